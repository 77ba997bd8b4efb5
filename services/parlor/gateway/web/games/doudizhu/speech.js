// @ts-check
/** What is said about readings and events, for bubbles, the log and the ARIA live region. */

import { inDisplayOrder, rankOfValue, shortName, valueOf } from "./deck.js";
import { isClassic } from "./seating.js";

/** @typedef {Record<string, any>} Json */
/** @typedef {(key: string, params?: Record<string, string | number>) => string} Translate */

const SHAPE = "DOU_DIZHU_SHAPE_";
const BIG_JOKER_VALUE = 16;
const SMALL_JOKER_VALUE = 15;

/** Where the name of the shape says it all, or where the highest rank of the body is the whole of it. */
const RUNS = ["STRAIGHT", "TWO_TWO", "THREE_THREE", "PLANE_1", "PLANE_2"].map((shape) => SHAPE + shape);

/**
 * A reading in words: "一对 8", "straight to Q".
 * @param {Json} reading
 * @param {Translate} t
 */
export function readingText(reading, t) {
  const { shape, value, length } = reading;
  const key = `doudizhu.reading.${shape.replace(SHAPE, "")}`;
  return t(key, { rank: valueName(value, t), n: length });
}

/**
 * A reading so that it can be told from others of the same cards.
 * @param {Json} reading
 * @param {Translate} t
 */
export function claimText(reading, t) {
  if (!RUNS.includes(reading.shape)) return readingText(reading, t);
  const [low, high] = [reading.value - reading.length + 1, reading.value].map((value) => valueName(value, t));
  return t("doudizhu.claim", { reading: readingText(reading, t), low, high });
}

function valueName(/** @type {number} */ value, /** @type {Translate} */ t) {
  if (value === BIG_JOKER_VALUE) return t("doudizhu.bigJoker");
  return value === SMALL_JOKER_VALUE ? t("doudizhu.smallJoker") : rankOfValue(value);
}

/** The ranks of cards, lowest first, as one reads a play aloud. */
const ranksText = (/** @type {number[]} */ cards, /** @type {Translate} */ t) =>
  inDisplayOrder(cards)
    .reverse()
    .sort((a, b) => valueOf(a) - valueOf(b))
    .map((card) => shortName(card, t))
    .join(" ");

/** A word of the bidding, or a pass, as it stands in a bubble. */
export function wordOf(/** @type {Json} */ { act, number }, /** @type {Translate} */ t) {
  if (act === "DOU_DIZHU_ACT_PASS") return t("doudizhu.pass");
  const word = { DOU_DIZHU_ACT_BID: "bid", DOU_DIZHU_ACT_CALL: "call", DOU_DIZHU_ACT_ROB: "rob" }[act];
  return t(`doudizhu.${word}.${word === "bid" ? number : number === 1}`);
}

/**
 * One sentence about an event; null where nothing has to be said.
 * @param {Json} event
 * @param {Json} ctx
 * @returns {string | null}
 */
export function announce(event, ctx) {
  const [branch] = Object.keys(event);
  return Object.hasOwn(SENTENCES, branch) ? SENTENCES[branch](event[branch], ctx) : null;
}

/** Whether the reader plays there; who looks at a replay is told of every seat by its name. */
const isYou = (/** @type {Json} */ ctx, /** @type {number} */ seat) => seat === ctx.seat && !ctx.others;

const who = (/** @type {Json} */ ctx, /** @type {number} */ seat) =>
  isYou(ctx, seat) ? ctx.t("doudizhu.you") : ctx.name(seat);

/** A seat's own words, marked where the clock spoke for it. */
const says = (/** @type {Json} */ ctx, /** @type {Json} */ { seat, auto }, /** @type {string} */ text) =>
  ctx.t(auto ? "doudizhu.says.auto" : "doudizhu.says", { name: who(ctx, seat), text });

/** @type {Record<string, (event: Json, ctx: Json) => string | null>} */
const SENTENCES = {
  dealt: ({ deal, first }, ctx) => {
    const key = isClassic(ctx.view) ? "dealtClassic" : deal > 1 ? "dealtAgain" : "dealt";
    return ctx.t(`doudizhu.says.${key}`, { name: who(ctx, first), n: deal });
  },
  asked: ({ question, seats }, ctx) => {
    if (!seats.some((/** @type {number} */ seat) => isYou(ctx, seat))) return null;
    return ctx.t(`doudizhu.ask.${question.replace("DOU_DIZHU_QUESTION_", "").toLowerCase()}`);
  },
  bidMade: (event, ctx) => says(ctx, event, ctx.t(`doudizhu.bid.${event.bid}`)),
  called: (event, ctx) => says(ctx, event, ctx.t(`doudizhu.call.${event.call}`)),
  robbed: (event, ctx) => says(ctx, event, ctx.t(`doudizhu.rob.${event.rob}`)),
  landlordChosen: ({ seat, bid, bottom }, ctx) =>
    ctx.t("doudizhu.says.landlord", { name: who(ctx, seat), bid, cards: ranksText(bottom, ctx.t) }),
  doubleChosen: (event, ctx) => says(ctx, event, ctx.t(`doudizhu.double.${event.doubleStake}`)),
  doubled: ({ doubled }, ctx) => {
    const names = [0, 1, 2].filter((seat) => doubled.seats[seat]).map((seat) => who(ctx, seat));
    if (names.length === 0) return ctx.t("doudizhu.says.noneDoubled");
    return ctx.t("doudizhu.says.doubled", { name: names.join(ctx.t("doudizhu.and")) });
  },
  cardsShown: ({ seat, cards }, ctx) =>
    ctx.t("doudizhu.says.shown", { name: who(ctx, seat), cards: ranksText(cards, ctx.t) }),
  played: (event, ctx) => {
    const reading = ctx.t(`doudizhu.shape.${event.reading.shape.replace(SHAPE, "")}`);
    return says(ctx, event, ctx.t("doudizhu.says.played", { reading, cards: ranksText(event.cards, ctx.t) }));
  },
  passed: (event, ctx) => says(ctx, event, ctx.t("doudizhu.pass")),
  offerMade: ({ seat, mate }, ctx) => {
    const key = isYou(ctx, seat) ? "sent" : isYou(ctx, mate) ? "asks" : "made";
    return ctx.t(`doudizhu.offer.${key}`, { name: ctx.name(seat), mate: ctx.name(mate) });
  },
  offerRefused: (event, ctx) =>
    ctx.t(event.auto ? "doudizhu.offer.unanswered" : "doudizhu.offer.refused", { name: who(ctx, event.mate) }),
  autoplayChanged: ({ seat, on, cause }, ctx) => {
    const reason = cause.replace("DOU_DIZHU_AUTOPLAY_CAUSE_", "");
    return says(ctx, { seat }, ctx.t(`doudizhu.says.autoplay.${on}`, { cause: ctx.t(`doudizhu.cause.${reason}`) }));
  },
  presenceChanged: ({ seat, online }, ctx) => says(ctx, { seat }, ctx.t(`doudizhu.says.online.${online}`)),
  seatLeft: ({ seat }, ctx) => says(ctx, { seat }, ctx.t("doudizhu.says.left")),
  clocksMoved: ({ lost }, ctx) => ctx.t("doudizhu.says.clocks", { n: Math.round(Number.parseFloat(lost)) }),
  ended: ({ ending }, ctx) => endText(ending, ctx),
};

/** Who won, and why. */
export function endText(/** @type {Json} */ ending, /** @type {Json} */ ctx) {
  const reason = ending.reason.replace("DOU_DIZHU_END_REASON_", "");
  if (reason === "OUT" && ending.seat === ctx.seat && !ctx.others) {
    const mates = ending.winners.filter((/** @type {number} */ seat) => seat !== ctx.seat).map(ctx.name);
    return ctx.t(mates.length ? "doudizhu.end.OUT.ownWith" : "doudizhu.end.OUT.own", { mate: mates.join("") });
  }
  const params = {
    name: ending.seat === undefined ? "" : who(ctx, ending.seat),
    winners: ending.winners.map((/** @type {number} */ seat) => who(ctx, seat)).join(ctx.t("doudizhu.and")),
  };
  return ctx.t(`doudizhu.end.${reason}`, params);
}
