// @ts-check
/** One sentence for each event, for the log and for those who listen instead of look. */

import { toneOf } from "./marks.js";
import { cellName } from "./shape.js";
import { isYou, planeText } from "./sides.js";
import { clockText, spanMs } from "./times.js";

/**
 * @param {any} event PlanesEvent: one branch
 * @param {any} ctx
 * @returns {string | null} null for an event of a newer release
 */
export function announce(event, ctx) {
  const [branch] = Object.keys(event);
  const say = SENTENCES[branch];
  return say ? say(ctx, event[branch]) : null;
}

/** A sentence about a seat: "you …" to the seat itself, with the name to everybody else. */
function about(/** @type {any} */ ctx, /** @type {any} */ key, /** @type {number} */ seat, params = {}) {
  return ctx.t(`planes.say.${key}.${isYou(ctx, seat) ? "you" : "other"}`, { name: ctx.name(seat), ...params });
}

/** @type {Record<string, (ctx: any, event: any) => string>} */
const SENTENCES = {
  gameStarted: (ctx) => ctx.t("planes.say.started"),
  planePlaced: (ctx, { number, plane }) => ctx.t("planes.say.stands", { plane: planeText(ctx, plane, number) }),
  placementCompleted: (ctx, { seat, auto }) => about(ctx, auto ? "autoPlaced" : "placed", seat),
  battleStarted: (ctx, { seat }) => about(ctx, "battle", seat),
  turnStarted: (ctx, { seat, paused }) => about(ctx, paused ? "turnPaused" : "turn", seat),
  attackExecuted: (ctx, { seat, x, y, result }) => about(ctx, "attack", seat, {
    cell: cellName(x, y), result: ctx.t(`planes.cell.${toneOf(result)}`),
  }),
  planeDestroyed: (ctx, { seat, revealed }) => about(ctx, "fell", seat, { place: place(ctx, revealed) }),
  turnTimedOut: (ctx, { seat, consecutive }) => about(ctx, "timedOut", seat, { n: consecutive }),
  turnPaused: (ctx, { seat, remaining }) => about(ctx, "paused", seat, { left: clockText(spanMs(remaining)) }),
  turnResumed: (ctx, { seat, remaining, reason }) => about(
    ctx, reason === "PLANES_RESUME_REASON_BUDGET" ? "budget" : "resumed", seat, { left: clockText(spanMs(remaining)) },
  ),
  presenceChanged: (ctx, { seat, online }) => about(ctx, online ? "online" : "offline", seat),
  surrendered: (ctx, { seat }) => about(ctx, "surrendered", seat),
  clocksMoved: (ctx, { lost }) => ctx.t("planes.say.moved", { n: Math.ceil(spanMs(lost) / 1000) }),
  ended: (ctx, { ending }) => {
    const reason = ctx.t(`planes.reason.${ending.reason}`);
    const won = ending.winner === undefined ? ctx.t("planes.say.drawn") : about(ctx, "won", ending.winner);
    return ctx.t("planes.say.ended", { reason, won });
  },
};

/** What a fallen plane shows: its head, and its direction where that is shown. */
function place(/** @type {any} */ ctx, /** @type {any} */ { x, y, direction }) {
  const cell = cellName(x, y);
  return direction === "PLANES_DIRECTION_UNSPECIFIED" ? ctx.t("planes.say.head", { cell })
    : ctx.t("planes.say.plane", { cell, nose: ctx.t(`planes.nose.${direction}`) });
}
