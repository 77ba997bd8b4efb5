// @ts-check
/**
 * How the public side of a game follows its events: the JSON counterpart of `rules/jinxian/chronicle.py`.
 *
 * Every function gives a new table and changes none. What is absent in the JSON form is absent here, never null.
 */

import { later, spanMs } from "./times.js";

/** @typedef {Record<string, any>} Json */

export const PHASE = "JINXIAN_PHASE_";
const MELD = "JINXIAN_MELD_TYPE_";
const WIN_BY = "JINXIAN_WIN_BY_";

const SEATS = [0, 1, 2, 3];
const TILES = 136;
/** Tiles of the deal, the dealer's fourteenth included. */
const DEALT = 53;
/** Tiles of the seventeen stacks that stay. */
const NEVER_DRAWN = 34;

/** How many tiles a meld takes from the hand. @type {Record<string, number>} */
export const FROM_HAND = {
  [`${MELD}CHOW`]: 2,
  [`${MELD}PONG`]: 2,
  [`${MELD}KONG`]: 3,
  [`${MELD}ADDED_KONG`]: 1,
  [`${MELD}CONCEALED_KONG`]: 4,
};

/** The melds that take the last tile of the river. */
const CLAIMS = [`${MELD}CHOW`, `${MELD}PONG`, `${MELD}KONG`];

const NOTHING = ["0", "0", "0", "0"];

/** @returns {Json} the table before the first deal */
export const emptyTable = () => ({
  phase: `${PHASE}WAITING`,
  round: 0,
  dealer: 0,
  active: 0,
  dice: { first: 0, second: 0 },
  jingDice: { first: 0, second: 0 },
  turned: 0,
  remaining: 0,
  drawable: -NEVER_DRAWN,
  replaced: 0,
  counts: [0, 0, 0, 0],
  melds: noMelds(),
  river: [],
  booked: NOTHING,
  shown: [],
  tallies: SEATS.map(() => ({ score: "0", roundScore: "0", wins: 0, selfDraws: 0, losses: 0 })),
  online: { seats: [true, true, true, true] },
  autoplay: { seats: [false, false, false, false] },
  left: { seats: [false, false, false, false] },
  history: [],
});

/** By branch of `JinxianEvent`. @type {Record<string, (table: Json, event: any) => Json>} */
const AFTER = {
  dealerChosen: (table, { dealer }) => ({ ...table, dealer, active: dealer }),
  phaseChanged: (table, { phase }) => ({ ...less(table, "deadline"), phase }),
  dealt,
  jingTurned: (table, { dice, place, jing, lower }) => ({
    ...less(table, "lowerJing"),
    jingDice: dice,
    turned: place,
    jing,
    ...(lower && { lowerJing: lower }),
  }),
  drawn,
  asked: (table, { question, seats, expireTime, remindTime }) => ({
    ...table,
    deadline: { question, seats, expireTime, ...(remindTime && { remindTime }) },
  }),
  reminded: (table, { remindTime }) => timed(table, { remindTime }),
  discarded: (table, { seat, tile, auto }) => ({
    ...less(table, "deadline"),
    counts: raised(table, seat, -1),
    river: [...table.river, { seat, tile, claimed: false, auto }],
  }),
  kongDeclared: (table, { tile }) => ({ ...less(table, "deadline"), adding: tile }),
  melded,
  booked: (table, { deltas }) => ({ ...table, booked: sums(table.booked, deltas) }),
  roundEnded,
  continued,
  autoplayChanged: (table, { seat, on, expireTime, remindTime }) => {
    const flagged = { ...table, autoplay: flag(table.autoplay, seat, on) };
    return expireTime ? timed(flagged, { expireTime, remindTime }) : flagged;
  },
  presenceChanged: (table, { seat, online }) => ({ ...table, online: flag(table.online, seat, online) }),
  seatLeft: (table, { seat }) => ({ ...table, left: flag(table.left, seat, true) }),
  clocksMoved,
  ended: (table, { ending }) => ({ ...less(table, "deadline"), ending }),
};

/**
 * The table once something has happened. An event of a newer release, and the seat's own answer, change nothing.
 * @param {Json} table
 * @param {string} branch
 * @param {Json} event the content of the branch
 * @returns {Json}
 */
export const after = (table, branch, event) => AFTER[branch]?.(table, event) ?? table;

/** @param {Json} table @param {string[]} keys @returns {Json} the table without these fields */
export function less(table, ...keys) {
  const rest = { ...table };
  for (const key of keys) delete rest[key];
  return rest;
}

/** @returns {Json} */
function dealt(/** @type {Json} */ table, /** @type {Json} */ { round, dealer, dice, counts }) {
  return {
    ...less(table, "jing", "lowerJing", "adding", "deadline"),
    round,
    dealer,
    active: dealer,
    dice,
    remaining: TILES - DEALT,
    drawable: TILES - DEALT - NEVER_DRAWN,
    replaced: 0,
    counts,
    melds: noMelds(),
    river: [],
    booked: NOTHING,
    shown: [],
  };
}

/** @returns {Json} */
function drawn(/** @type {Json} */ table, /** @type {Json} */ { seat, replacement }) {
  return {
    ...less(table, "deadline"),
    active: seat,
    counts: raised(table, seat, 1),
    remaining: table.remaining - 1,
    drawable: table.drawable - 1,
    replaced: table.replaced + (replacement ? 1 : 0),
  };
}

/** @returns {Json} */
function melded(/** @type {Json} */ table, /** @type {Json} */ { seat, meld }) {
  return {
    ...less(table, "adding", "deadline"),
    active: seat,
    counts: raised(table, seat, -FROM_HAND[meld.type]),
    melds: table.melds.map((/** @type {Json} */ own, /** @type {number} */ at) =>
      at === seat ? { melds: laid(own.melds, meld) } : own),
    river: CLAIMS.includes(meld.type) ? lastClaimed(table.river) : table.river,
  };
}

/** The melds with a new one at their end, or for an added kong in the place of its pong. */
function laid(/** @type {Json[]} */ melds, /** @type {Json} */ meld) {
  if (meld.type !== `${MELD}ADDED_KONG`) return [...melds, meld];
  return melds.map((old) => (old.type === `${MELD}PONG` && old.tiles[0] === meld.tiles[0] ? meld : old));
}

const lastClaimed = (/** @type {Json[]} */ river) => [...river.slice(0, -1), { ...river[river.length - 1], claimed: true }];

/** @returns {Json} */
function roundEnded(/** @type {Json} */ table, /** @type {Json} */ { record, hands, melds }) {
  return {
    ...less(table, "adding", "deadline"),
    counts: hands.map((/** @type {Json} */ hand) => hand.tiles.length),
    melds,
    river: record.by === `${WIN_BY}DISCARD` ? lastClaimed(table.river) : table.river,
    shown: hands,
    tallies: table.tallies.map((/** @type {Json} */ tally, /** @type {number} */ seat) => tallied(tally, seat, record)),
    history: [...table.history, record],
  };
}

function tallied(/** @type {Json} */ tally, /** @type {number} */ seat, /** @type {Json} */ record) {
  const won = record.winner === seat;
  return {
    score: sum(tally.score, record.deltas[seat]),
    roundScore: record.deltas[seat],
    wins: tally.wins + (won ? 1 : 0),
    selfDraws: tally.selfDraws + (won && record.by === `${WIN_BY}SELF_DRAW` ? 1 : 0),
    losses: tally.losses + (record.loser === seat ? 1 : 0),
  };
}

/** @returns {Json} */
function continued(/** @type {Json} */ table, /** @type {Json} */ { seat }) {
  if (!table.deadline) return table;
  const seats = table.deadline.seats.filter((/** @type {number} */ other) => other !== seat);
  return { ...table, deadline: { ...table.deadline, seats } };
}

/** @returns {Json} */
function clocksMoved(/** @type {Json} */ table, /** @type {Json} */ { lost }) {
  const { deadline } = table;
  if (!deadline) return table;
  const ms = spanMs(lost);
  const remindTime = deadline.remindTime && later(deadline.remindTime, ms);
  return timed(table, { expireTime: later(deadline.expireTime, ms), remindTime });
}

/** The table with another reminder to come or none, and where one is given another deadline. */
function timed(/** @type {Json} */ table, /** @type {Json} */ { expireTime, remindTime }) {
  if (!table.deadline) return table;
  const deadline = less(table.deadline, "remindTime");
  return { ...table, deadline: { ...deadline, ...(expireTime && { expireTime }), ...(remindTime && { remindTime }) } };
}

const noMelds = () => SEATS.map(() => ({ melds: [] }));

const raised = (/** @type {Json} */ table, /** @type {number} */ seat, /** @type {number} */ by) =>
  table.counts.map((/** @type {number} */ count, /** @type {number} */ at) => (at === seat ? count + by : count));

const flag = (/** @type {Json} */ flags, /** @type {number} */ seat, /** @type {boolean} */ on) => ({
  seats: flags.seats.map((/** @type {boolean} */ old, /** @type {number} */ at) => (at === seat ? on : old)),
});

/** Both are int64, which JSON carries as text. */
const sum = (/** @type {string} */ one, /** @type {string} */ two) => String(BigInt(one) + BigInt(two));

const sums = (/** @type {string[]} */ some, /** @type {string[]} */ more) => some.map((one, at) => sum(one, more[at]));
