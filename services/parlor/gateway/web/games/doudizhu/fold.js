// @ts-check
/**
 * How a view follows its events: the JSON counterpart of `rules/doudizhu/view.py` and `chronicle.py`.
 *
 * Everything here is pure and agrees with the engine, event by event; what is absent there is absent here.
 */

import { inDisplayOrder } from "./deck.js";

/** @typedef {Record<string, any>} Json */

const ACT = "DOU_DIZHU_ACT_";
const PHASE = "DOU_DIZHU_PHASE_";
const QUESTION = "DOU_DIZHU_QUESTION_";
const FACTOR = "DOU_DIZHU_FACTOR_NAME_";
const SPRING = "DOU_DIZHU_SPRING_";
const CLASSIC = "DOU_DIZHU_RULE_SET_CLASSIC";
const BOMBS = ["DOU_DIZHU_SHAPE_BOMB", "DOU_DIZHU_SHAPE_KINGBOMB"];
const PHASE_OF = { [`${QUESTION}PLAY`]: `${PHASE}PLAYING`, [`${QUESTION}DOUBLE`]: `${PHASE}DOUBLING` };
const BIDS = [1, 2, 3];
const PASSES_TO_CLEAR = 2;

const all = (/** @type {boolean} */ flag) => ({ seats: [flag, flag, flag] });

/**
 * The view of a game in which nothing is dealt yet.
 * @param {Json} config The game's config with every field set.
 * @param {number | null} seat Null: a spectator.
 * @returns {Json}
 */
export function before(config, seat) {
  const isClassic = config.ruleSet === CLASSIC;
  return {
    config,
    ...(seat === null ? {} : { seat }),
    table: {
      phase: isClassic ? `${PHASE}PLAYING` : `${PHASE}BIDDING`,
      deal: 0,
      first: 0,
      counts: [0, 0, 0],
      bottom: [],
      spoken: all(false),
      bid: 0,
      robs: 0,
      shown: false,
      plays: [0, 0, 0],
      bombs: 0,
      passes: 0,
      online: all(true),
      autoplay: all(false),
      left: all(false),
      history: [],
    },
    hands: [{ cards: [] }, { cards: [] }, { cards: [] }],
    decision: 0,
    offered: false,
    mayShow: false,
    maySurrender: false,
    surrenderNeedsConsent: false,
    factors: [],
    multiplier: 1,
  };
}

/**
 * The view after an event that its audience observed. An event of a newer release changes nothing.
 * @param {Json} view
 * @param {Json} event `DouDizhuEvent`: one branch.
 * @returns {Json}
 */
export function fold(view, event) {
  const [branch] = Object.keys(event);
  const step = Object.hasOwn(STEPS, branch) ? STEPS[branch] : () => view;
  return settled(step(view, event[branch]));
}

/** @type {Record<string, (view: Json, event: Json) => Json>} */
const STEPS = {
  dealt: (view, { deal, first, counts, hands }) => ({
    ...view,
    hands,
    table: {
      ...without(view.table, "deadline"),
      deal,
      first,
      counts,
      spoken: all(false),
      history: [...view.table.history, entry("DEAL", { seat: first, number: deal })],
    },
  }),
  asked: (view, { question, seats, expireTime, decision }) => ({
    ...view,
    decision: decision || view.decision,
    table: {
      ...view.table,
      phase: PHASE_OF[question] ?? `${PHASE}BIDDING`,
      deadline: { question, seats, expireTime },
    },
  }),
  bidMade: (view, event) => spoken(view, "BID", event, event.bid, true),
  // Who calls has not had the last word: he may take back a rob.
  called: (view, event) => spoken(view, "CALL", event, Number(event.call), !event.call),
  robbed: (view, event) => spoken(view, "ROB", event, Number(event.rob), true),
  landlordChosen: (view, { seat, bid, bottom }) => ({
    ...view,
    hands:
      view.seat === seat
        ? withSeat(view.hands, seat, { cards: inDisplayOrder([...view.hands[seat].cards, ...bottom]) })
        : view.hands,
    table: {
      ...without(view.table, "deadline"),
      landlord: seat,
      bid,
      bottom,
      counts: raised(view.table.counts, seat, bottom.length),
    },
  }),
  doubleChosen: (view, { doubleStake }) => ({ ...view, doubleStake }),
  doubled: (view, { doubled }) => ({ ...view, table: { ...without(view.table, "deadline"), doubled } }),
  cardsShown: (view, { seat, cards }) => ({
    ...view,
    hands: withSeat(view.hands, seat, { cards }),
    table: { ...view.table, shown: true },
  }),
  played,
  passed,
  offerMade: (view, { seat, mate, decision, expireTime }) => ({
    ...view,
    offer: { seat, mate, decision, expireTime },
    offered: true,
  }),
  offerRefused: (view) => without(view, "offer"),
  autoplayChanged: (view, { seat, on, expireTime }) => {
    const table = due(flagged(view.table, "autoplay", seat, on), () => expireTime);
    return { ...view, table };
  },
  presenceChanged: (view, { seat, online }) => ({ ...view, table: flagged(view.table, "online", seat, online) }),
  seatLeft: (view, { seat }) => ({ ...view, table: flagged(view.table, "left", seat, true) }),
  clocksMoved: (view, { lost }) => {
    const later = (/** @type {string} */ instant) => moved(instant, lost);
    const offer = view.offer && { ...view.offer, expireTime: later(view.offer.expireTime) };
    return { ...view, ...(offer ? { offer } : {}), table: due(view.table, later) };
  },
  ended: (view, { ending, hands }) => ({
    ...without(view, "offer"),
    hands,
    table: { ...without(view.table, "deadline"), phase: `${PHASE}OVER`, ending },
  }),
};

/** A word in the bidding. */
function spoken(/** @type {Json} */ view, act, { seat, auto }, /** @type {number} */ number, lastWord) {
  const { table } = view;
  return {
    ...view,
    table: {
      ...flagged(without(table, "deadline"), "spoken", seat, lastWord),
      ...(number ? { bidder: seat } : {}),
      bid: Math.max(table.bid, number),
      robs: table.robs + (act === "ROB" ? number : 0),
      history: [...table.history, entry(act, { seat, number, auto })],
    },
  };
}

/** @type {(view: Json, event: Json) => Json} */
function played(view, { seat, cards, reading, auto }) {
  const { table, hands } = view;
  const hand = hands[seat].cards.filter((card) => !cards.includes(card));
  return {
    ...view,
    hands: withSeat(hands, seat, { cards: hand }),
    table: {
      ...without(table, "deadline"),
      counts: raised(table.counts, seat, -cards.length),
      plays: raised(table.plays, seat, 1),
      bombs: table.bombs + Number(BOMBS.includes(reading.shape)),
      trick: { seat, cards, reading },
      passes: 0,
      history: [...table.history, entry("PLAY", { seat, cards, reading, auto })],
    },
  };
}

/** A pass; when both others have passed, the table is cleared (RULES.md 4.3). */
function passed(/** @type {Json} */ view, /** @type {Json} */ { seat, auto }) {
  const { table } = view;
  const cleared = table.passes + 1 === PASSES_TO_CLEAR;
  return {
    ...view,
    table: {
      ...without(cleared ? without(table, "trick") : table, "deadline"),
      passes: cleared ? 0 : table.passes + 1,
      history: [...table.history, entry("PASS", { seat, auto })],
    },
  };
}

/** The view with what follows from the rest of it. */
function settled(/** @type {Json} */ view) {
  const factors = [...factorsOf(view)];
  return {
    ...prompted(view),
    mayShow: mayShow(view),
    maySurrender: maySurrender(view),
    surrenderNeedsConsent: maySurrender(view) && ![undefined, view.seat].includes(view.table.landlord),
    factors,
    multiplier: factors.reduce((product, { times }) => product * times, 1),
  };
}

function mayShow(/** @type {Json} */ { config, seat, table }) {
  const { phase, landlord, shown, plays, left } = table;
  const isLandlord = seat !== undefined && seat === landlord;
  return config.showCards && phase !== `${PHASE}OVER` && isLandlord && !left.seats[seat] && !shown && plays[seat] === 0;
}

function maySurrender(/** @type {Json} */ { config, seat, table, offered }) {
  const { phase, landlord, left } = table;
  if (!config.surrender || phase !== `${PHASE}PLAYING` || seat === undefined || left.seats[seat]) return false;
  return landlord === undefined || landlord === seat || !offered;
}

/** What multiplies the base score by now, in the order in which it is counted (RULES.md 6.4). */
function* factorsOf(/** @type {Json} */ { config, table }) {
  const { landlord, bid, robs, bombs, shown, ending } = table;
  if (config.ruleSet === CLASSIC) return;
  if (landlord !== undefined) yield factor("BID", 1, bid);
  const spring = ending && ending.spring !== `${SPRING}NONE` ? ending.spring.slice(SPRING.length) : "";
  for (const [name, count] of [["ROBS", robs], ["BOMBS", bombs], ["SHOWN", Number(shown)], [spring, Number(spring !== "")]]) {
    if (count) yield factor(name, count, 2 ** count);
  }
}

const factor = (/** @type {string} */ name, /** @type {number} */ count, /** @type {number} */ times) => ({
  name: FACTOR + name,
  count,
  times,
});

/** What the table asks the view's seat, from what the view holds already. */
function prompted(/** @type {Json} */ view) {
  const { deadline, trick, bid } = view.table;
  const rest = without(view, "prompt");
  const isAsked = deadline !== undefined && deadline.seats.includes(view.seat);
  if (!isAsked || (deadline.question === `${QUESTION}DOUBLE` && view.doubleStake !== undefined)) return rest;
  const isBid = deadline.question === `${QUESTION}BID`;
  const follows = deadline.question === `${QUESTION}PLAY` && trick !== undefined;
  return {
    ...rest,
    prompt: {
      question: deadline.question,
      decision: view.decision,
      expireTime: deadline.expireTime,
      lowestBid: isBid ? bid + 1 : 0,
      bids: isBid ? [0, ...BIDS.filter((number) => number > bid)] : [],
      mayPass: follows,
      ...(follows ? { toBeat: trick.reading } : {}),
    },
  };
}

const entry = (/** @type {string} */ act, /** @type {Json} */ { seat, number = 0, cards = [], reading, auto = false }) => ({
  act: ACT + act,
  seat,
  number,
  cards,
  ...(reading ? { reading } : {}),
  auto,
});

/** The table with its deadline moved; where it waits for nothing, or `move` gives nothing, as it was. */
function due(/** @type {Json} */ table, /** @type {(instant: string) => string | undefined} */ move) {
  const expireTime = table.deadline && move(table.deadline.expireTime);
  return expireTime ? { ...table, deadline: { ...table.deadline, expireTime } } : table;
}

/** An instant later by a duration such as "2.500s", again with milliseconds. */
const moved = (/** @type {string} */ instant, /** @type {string} */ lost) =>
  new Date(Date.parse(instant) + Math.round(Number.parseFloat(lost) * 1000)).toISOString();

const withSeat = (/** @type {any[]} */ list, /** @type {number} */ seat, /** @type {any} */ value) =>
  list.map((old, place) => (place === seat ? value : old));

const raised = (/** @type {number[]} */ numbers, /** @type {number} */ seat, /** @type {number} */ by) =>
  withSeat(numbers, seat, numbers[seat] + by);

const flagged = (/** @type {Json} */ table, /** @type {string} */ field, /** @type {number} */ seat, value) => ({
  ...table,
  [field]: { seats: withSeat(table[field].seats, seat, value) },
});

const without = (/** @type {Json} */ object, /** @type {string} */ field) => {
  const { [field]: _, ...rest } = object;
  return rest;
};
