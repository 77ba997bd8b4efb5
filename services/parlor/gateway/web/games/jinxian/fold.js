// @ts-check
/**
 * How one audience's view follows its events: the JSON counterpart of `rules/jinxian/view.py`.
 *
 * Pure, and in agreement with the engine event by event.
 */

import { after, emptyTable, FROM_HAND, less, PHASE } from "./chronicle.js";
import { later, spanMs } from "./times.js";

/** @typedef {Record<string, any>} Json */

const CLAIM = "JINXIAN_QUESTION_CLAIM";
const TAKEN_TYPES = ["CHOW", "PONG", "KONG"].map((name) => `JINXIAN_MELD_TYPE_${name}`);

/**
 * The view of a game in which nothing is dealt yet.
 * @param {Json} config the game's options, every one written out
 * @param {number | null} seat null: a spectator
 * @returns {Json}
 */
export function before(config, seat) {
  return { config, ...(seat === null ? {} : { seat }), table: emptyTable(), hand: [], passed: "0" };
}

/**
 * The view after an event that its audience observed. An event of a newer release changes nothing.
 * @param {Json} view
 * @param {Json} event `JinxianEvent`: one branch
 * @returns {Json}
 */
export function fold(view, event) {
  const [branch, content] = Object.entries(event)[0] ?? ["", {}];
  const seen = timed({ ...view, table: after(view.table, branch, content) }, branch, content);
  if (view.seat === undefined) return seen;
  return settled(OWN[branch]?.(seen, content) ?? seen);
}

/** What the receiver learns about itself, by branch. @type {Record<string, (seen: Json, event: any) => Json>} */
const OWN = {
  dealt: (seen, { hands, drawn }) => ({
    ...less(seen, "drawn"),
    hand: hands[seen.seat].tiles,
    ...(drawn !== undefined && { drawn }),
    passed: "0",
  }),
  drawn: (seen, { seat, tile }) => {
    if (seat !== seen.seat || tile === undefined) return seen;
    return { ...seen, hand: inOrder([...seen.hand, tile]), drawn: tile, passed: "0" };
  },
  asked: (seen, { asks }) => {
    const own = asks.find((/** @type {Json} */ ask) => ask.seat === seen.seat);
    const { question, expireTime } = seen.table.deadline;
    return {
      ...less(seen, "prompt", "answer"),
      ...(own && { prompt: { question, decision: own.decision, expireTime, options: own.options } }),
    };
  },
  discarded: (seen, { seat, tile }) => {
    if (seat !== seen.seat) return seen;
    return { ...less(seen, "drawn"), hand: without(seen.hand, [tile]) };
  },
  melded: (seen, { seat, meld }) => {
    if (seat !== seen.seat) return seen;
    return { ...less(seen, "drawn"), hand: without(seen.hand, fromHand(meld)) };
  },
  answered: (seen, { answer, passed }) => ({
    ...seen,
    answer,
    passed: BigInt(passed) > BigInt(seen.passed) ? passed : seen.passed,
  }),
  roundEnded: (seen, { hands }) => ({ ...less(seen, "drawn"), hand: hands[seen.seat].tiles }),
};

/** The view with when the limit began that runs now. */
function timed(/** @type {Json} */ seen, /** @type {string} */ branch, /** @type {Json} */ { startTime, lost }) {
  if (!seen.table.deadline) return less(seen, "startTime");
  if (branch === "asked") return { ...seen, startTime };
  return branch === "clocksMoved" ? { ...seen, startTime: later(seen.startTime, spanMs(lost)) } : seen;
}

/** The view without a prompt that is answered or over, else with the table's deadline in it. */
function settled(/** @type {Json} */ view) {
  const seen = view.table.phase !== `${PHASE}RESPONDING` && view.answer ? less(view, "answer") : view;
  const { prompt, table: { deadline } } = seen;
  if (!prompt) return seen;
  if (!deadline || isOver(seen, deadline)) return less(seen, "prompt");
  return { ...seen, prompt: { ...prompt, expireTime: deadline.expireTime } };
}

const isOver = (/** @type {Json} */ seen, /** @type {Json} */ deadline) =>
  deadline.question === CLAIM ? seen.answer !== undefined : !deadline.seats.includes(seen.seat);

/** The tiles of a meld that its owner laid down: all but the one that was claimed. */
function fromHand(/** @type {Json} */ meld) {
  if (TAKEN_TYPES.includes(meld.type)) return without(meld.tiles, [meld.taken]);
  return meld.tiles.slice(0, FROM_HAND[meld.type]);
}

const inOrder = (/** @type {number[]} */ tiles) => tiles.sort((one, two) => one - two);

function without(/** @type {number[]} */ hand, /** @type {number[]} */ gone) {
  const left = [...hand];
  for (const tile of gone) left.splice(left.indexOf(tile), 1);
  return left;
}
