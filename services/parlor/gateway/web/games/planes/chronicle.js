// @ts-check
/**
 * How the public side of a game follows its events: `rules/planes/chronicle.py` in the JSON form.
 * Nothing here decides anything; the events say what happened and the table keeps count of it.
 */

import { spanMs, toInstant, toMs, toSpan } from "./times.js";

const MISS = "PLANES_SHOT_RESULT_MISS";

/**
 * The table once an event has happened.
 * @param {any} table PlanesTable
 * @param {string} branch which event, such as `attackExecuted`
 * @param {any} event its content
 * @returns {any} PlanesTable
 */
export function after(table, branch, event) {
  const follow = FOLLOW[branch];
  return follow ? follow(table, event) : table;
}

/**
 * What is public before the first event.
 * @param {string} pauseBudget what each seat has of pauses
 */
export function blank(startTime = toInstant(0), gameExpireTime = toInstant(0), pauseBudget = "0s") {
  const tally = {
    attacks: 0, hits: 0, destroyed: 0, accuracy: 0, timeUsed: "0s", timeouts: 0, consecutiveTimeouts: 0, pauseBudget,
  };
  const board = { shots: [], revealed: [] };
  return {
    phase: "PLANES_PHASE_PLACING",
    startTime,
    gameExpireTime,
    placed: [false, false],
    autoPlaced: [false, false],
    online: [true, true],
    boards: [board, board],
    tallies: [tally, tally],
  };
}

/** @type {Record<string, (table: any, event: any) => any>} */
const FOLLOW = {
  gameStarted: (_, { config, startTime }) => ({
    ...blank(startTime, later(startTime, config.gameLimit), config.pauseBudget),
    placingExpireTime: later(startTime, config.placingLimit),
  }),
  placementCompleted: (table, { seat, auto }) => ({
    ...table,
    placed: put(table.placed, seat, true),
    autoPlaced: put(table.autoPlaced, seat, auto),
  }),
  battleStarted: (table, { seat }) => ({
    ...without(table, "placingExpireTime"), phase: "PLANES_PHASE_BATTLING", first: seat,
  }),
  turnStarted: (table, { seat, startTime, remaining, paused }) => ({
    ...table, turn: { seat, limit: remaining, remaining, changeTime: startTime, paused },
  }),
  attackExecuted: attacked,
  planeDestroyed: destroyed,
  turnTimedOut: timedOut,
  turnPaused: (table, { pauseTime, remaining }) => clockChanged(table, pauseTime, remaining, true),
  turnResumed: (table, { resumeTime, remaining }) => clockChanged(table, resumeTime, remaining, false),
  presenceChanged: (table, { seat, online }) => ({ ...table, online: put(table.online, seat, online) }),
  clocksMoved: moved,
  ended: (table, { ending, endTime }) => ({
    ...without(pauseSettled(table, endTime), "placingExpireTime", "turn"), phase: "PLANES_PHASE_OVER", ending,
  }),
};

function attacked(/** @type {any} */ before, /** @type {any} */ { seat, attackTime, x, y, result }) {
  const table = pauseSettled(before, attackTime);
  const owner = 1 - seat;
  const board = table.boards[owner];
  const tally = table.tallies[seat];
  const attacks = tally.attacks + 1;
  const hits = tally.hits + (result === MISS ? 0 : 1);
  return {
    ...without(table, "turn"),
    boards: put(table.boards, owner, { ...board, shots: [...board.shots, { x, y, result }] }),
    tallies: put(table.tallies, seat, {
      ...tally,
      attacks,
      hits,
      accuracy: Math.floor((20_000 * hits + attacks) / (2 * attacks)),
      timeUsed: toSpan(spanMs(tally.timeUsed) + used(table.turn, attackTime)),
      consecutiveTimeouts: 0,
    }),
  };
}

function destroyed(/** @type {any} */ table, /** @type {any} */ { seat, attacker, revealed }) {
  const board = table.boards[seat];
  const shown = [...board.revealed, revealed].sort((one, other) => one.x - other.x || one.y - other.y);
  const tally = table.tallies[attacker];
  return {
    ...table,
    boards: put(table.boards, seat, { ...board, revealed: shown }),
    tallies: put(table.tallies, attacker, { ...tally, destroyed: tally.destroyed + 1 }),
  };
}

function timedOut(/** @type {any} */ table, /** @type {any} */ { seat, consecutive }) {
  const tally = table.tallies[seat];
  const whole = table.turn ? spanMs(table.turn.limit) : 0;
  return {
    ...without(table, "turn"),
    tallies: put(table.tallies, seat, {
      ...tally,
      timeUsed: toSpan(spanMs(tally.timeUsed) + whole),
      timeouts: tally.timeouts + 1,
      consecutiveTimeouts: consecutive,
    }),
  };
}

function clockChanged(/** @type {any} */ before, /** @type {any} */ changeTime, /** @type {any} */ remaining, /** @type {any} */ paused) {
  const table = pauseSettled(before, changeTime);
  return table.turn ? { ...table, turn: { ...table.turn, remaining, changeTime, paused } } : table;
}

/** A turn that stands still has nothing to move: its budget and the game's limit run on. */
function moved(/** @type {any} */ table, /** @type {any} */ { lost }) {
  const next = { ...table };
  if (table.placingExpireTime) next.placingExpireTime = later(table.placingExpireTime, lost);
  if (table.turn && !table.turn.paused) {
    next.turn = { ...table.turn, changeTime: later(table.turn.changeTime, lost) };
  }
  return next;
}

/** The table with the time of a running pause taken off its seat's budget. */
function pauseSettled(/** @type {any} */ table, /** @type {string} */ instant) {
  const turn = table.turn;
  if (!turn?.paused) return table;
  const spent = Math.max(0, toMs(instant) - toMs(turn.changeTime));
  const tally = table.tallies[turn.seat];
  const pauseBudget = toSpan(Math.max(0, spanMs(tally.pauseBudget) - spent));
  return { ...table, tallies: put(table.tallies, turn.seat, { ...tally, pauseBudget }) };
}

/** What a turn has used of its limit by an instant, in ms. */
function used(/** @type {any} */ turn, /** @type {string} */ instant) {
  if (!turn) return 0;
  const ran = turn.paused ? 0 : Math.max(0, toMs(instant) - toMs(turn.changeTime));
  return spanMs(turn.limit) - spanMs(turn.remaining) + ran;
}

const later = (/** @type {string} */ instant, /** @type {string} */ span) => toInstant(toMs(instant) + spanMs(span));

/**
 * The pair with one of its two items replaced.
 * @template T
 * @param {T[]} items @param {number} seat @param {T} item
 */
export const put = (items, seat, item) => (seat === 0 ? [item, items[1]] : [items[0], item]);

function without(/** @type {any} */ table, /** @type {string[]} */ ...names) {
  const left = { ...table };
  for (const name of names) delete left[name];
  return left;
}
