// @ts-check
/** One sentence about each event, for the log and for those who listen. */

import { isHigherOpen, spoken } from "./moves.js";
import { headline, title } from "./scoring.js";
import { spanMs } from "./times.js";
import { bare, list, say, signed, tileName, tileNames, who, whom } from "./words.js";

/** @typedef {Record<string, any>} Json */

/**
 * @param {Json} event `JinxianEvent`: one branch
 * @param {Json} ctx
 * @returns {string | null} null where the events around it say it all
 */
export function announce(event, ctx) {
  const [branch, content] = Object.entries(event)[0] ?? ["", {}];
  return SENTENCES[branch]?.(ctx, content) ?? null;
}

/**
 * Whether an event stands in the log and is not said: what the sentence before or after it says as well.
 *
 * @param {Json} event `JinxianEvent`: one branch
 * @param {Json} ctx
 */
export function isQuiet({ drawn, phaseChanged }, ctx) {
  if (phaseChanged) return CLAIMING.includes(phaseChanged.reason);
  return drawn ? drawn.seat !== ctx.seat && !drawn.replacement : false;
}

/** That a discard may be claimed and was not, which whoever may claim it is asked, and the next turn shows. */
const CLAIMING = ["JINXIAN_PHASE_REASON_DISCARD", "JINXIAN_PHASE_REASON_ALL_PASSED"];

/** Such as `seven of dots, red dragon` by the seats' changes. */
const changes = (/** @type {Json} */ ctx, /** @type {string[]} */ deltas) =>
  list(ctx, deltas.map((delta, seat) => say(ctx, "say.change", { name: who(ctx, seat), points: signed(delta) })));

/** The phases that no other event tells of. @type {Record<string, string>} */
const PHASES = { ALL_READY: "say.begins", DISCARD: "say.claimOpen", ALL_PASSED: "say.unclaimed" };

/** By branch of `JinxianEvent`. @type {Record<string, (ctx: Json, event: any) => string | null>} */
const SENTENCES = {
  dealerChosen: (ctx, { dealer }) => say(ctx, "say.dealerChosen", { name: whom(ctx, dealer) }),
  phaseChanged: (ctx, { reason }) => {
    const key = PHASES[bare("JINXIAN_PHASE_REASON_", reason)];
    return key ? say(ctx, key) : null;
  },
  dealt: (ctx, { round, dealer, dice, hands }) => {
    const words = { round, name: whom(ctx, dealer), ...dice };
    const own = ctx.seat === null || ctx.others ? [] : hands[ctx.seat].tiles;
    return own.length ? say(ctx, "say.dealtYou", { ...words, tiles: tileNames(ctx, own) }) : say(ctx, "say.dealt", words);
  },
  jingTurned: (ctx, { jing, lower }) => {
    const words = { zheng: tileName(ctx, jing.zheng), fu: tileName(ctx, jing.fu) };
    if (!lower) return say(ctx, "say.jing", words);
    return say(ctx, "say.jingLower", { ...words, lowerZheng: tileName(ctx, lower.zheng), lowerFu: tileName(ctx, lower.fu) });
  },
  drawn: (ctx, { seat, tile, replacement }) => {
    const key = replacement ? "say.replaced" : "say.drew";
    if (seat === ctx.seat && tile !== undefined && !ctx.others) return say(ctx, `${key}You`, { tile: tileName(ctx, tile) });
    return say(ctx, key, { name: who(ctx, seat) });
  },
  asked,
  reminded: (ctx) => {
    const { deadline, active } = ctx.view.table;
    if (deadline?.question === "JINXIAN_QUESTION_CLAIM") return say(ctx, "say.remindedClaim");
    if (active === ctx.seat && !ctx.others) return say(ctx, "say.remindedYou");
    return say(ctx, "say.reminded", { name: ctx.name(active) });
  },
  discarded: (ctx, { seat, tile, auto }) =>
    say(ctx, auto ? "say.autoDiscarded" : "say.discarded", { name: (auto ? whom : who)(ctx, seat), tile: tileName(ctx, tile) }),
  answered: (ctx, { answer, auto, passed }) => {
    const claim = say(ctx, `claim.${bare("JINXIAN_CLAIM_", answer.claim)}`);
    const sentence = say(ctx, auto ? "say.answeredAuto" : "say.answered", { claim });
    if (passed === "0") return sentence;
    return `${sentence} ${say(ctx, isHigherOpen(ctx.view) ? "say.passedWinHigher" : "say.passedWin", { points: passed })}`;
  },
  kongDeclared: (ctx, { seat, tile }) => say(ctx, "say.kongDeclared", { name: who(ctx, seat), tile: tileName(ctx, tile) }),
  melded: (ctx, { seat, meld }) => {
    const name = who(ctx, seat);
    if (meld.tiles.length === 0) return say(ctx, "say.hiddenKong", { name });
    return say(ctx, `say.${bare("JINXIAN_MELD_TYPE_", meld.type)}`, {
      name,
      tile: tileName(ctx, meld.taken ?? meld.tiles[0]),
      tiles: tileNames(ctx, meld.tiles),
      from: meld.source === undefined ? "" : whom(ctx, meld.source),
    });
  },
  booked: (ctx, { deltas }) => say(ctx, "say.booked", { changes: changes(ctx, deltas) }),
  roundEnded: (ctx, { record }) => {
    const what = record.win
      ? say(ctx, "say.won", { what: headline(ctx, record), pattern: title(ctx, record), points: record.win.payTotal })
      : say(ctx, "say.draw");
    return `${what} ${changes(ctx, record.deltas)}`;
  },
  continued: (ctx, { seat }) => say(ctx, "say.continued", { name: who(ctx, seat) }),
  autoplayChanged: (ctx, { seat, on, cause }) =>
    say(ctx, on ? `say.autoOn.${bare("JINXIAN_AUTOPLAY_CAUSE_", cause)}` : "say.autoOff", { name: who(ctx, seat) }),
  presenceChanged: (ctx, { seat, online }) => say(ctx, online ? "say.online" : "say.offline", { name: who(ctx, seat) }),
  seatLeft: (ctx, { seat }) => say(ctx, "say.seatLeft", { name: who(ctx, seat) }),
  clocksMoved: (ctx, { lost }) => say(ctx, "say.clocksMoved", { seconds: Math.round(spanMs(lost) / 1000) }),
  ended: (ctx, { ending }) => {
    const order = [0, 1, 2, 3].sort((one, other) => ending.ranks[one] - ending.ranks[other] || one - other);
    const ranks = list(ctx, order.map((seat) => say(ctx, "say.rank", { rank: ending.ranks[seat], name: who(ctx, seat), score: signed(ending.scores[seat]) })));
    return say(ctx, ending.reason === "JINXIAN_END_REASON_DISSOLVED" ? "say.endedDissolved" : "say.ended", { ranks });
  },
};

/** What is asked of the reader, and else whose turn it is; a claim of others is nobody's business. */
function asked(/** @type {Json} */ ctx, /** @type {Json} */ { question, seats, asks }) {
  const own = ctx.others ? undefined : asks.find((/** @type {Json} */ ask) => ask.seat === ctx.seat);
  switch (question) {
    case "JINXIAN_QUESTION_CONTINUE":
      return say(ctx, "say.continue");
    case "JINXIAN_QUESTION_CLAIM":
      return own ? say(ctx, "say.claim", { acts: spoken(ctx, own.options, true) }) : null;
    case "JINXIAN_QUESTION_DISCARD":
      return own ? say(ctx, "say.discardNow") : null;
    default: {
      if (!own) return say(ctx, "say.asked", { name: who(ctx, seats[0]) });
      const acts = spoken(ctx, own.options, false);
      return acts ? say(ctx, "say.turnMore", { acts }) : say(ctx, "say.turn");
    }
  }
}
