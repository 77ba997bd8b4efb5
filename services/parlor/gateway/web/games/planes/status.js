// @ts-check
/** Above the boards: what is asked of whom, and the clocks. */

import { targetOf } from "./battle.js";
import { dueOf } from "./fold.js";
import { cellName, SIZE } from "./shape.js";
import { isAsked, isPlayer, isYou, ownSeat } from "./sides.js";
import { clockText, spanMs, toInstant, toMs } from "./times.js";

/** @param {any} ctx */
export function status(ctx) {
  const { h, view } = ctx;
  return h("div", { class: `planes-status ${isYours(ctx) ? "yours" : ""}` },
    h("p", { class: "planes-asked" }, asked(ctx)),
    h("div", { class: "planes-clocks" }, clocks(ctx, view.table)));
}

/** Whether the table waits for the player. @param {any} ctx */
const isYours = (ctx) => isAsked(ctx, "PLACE") || isAsked(ctx, "ATTACK");

function asked(/** @type {any} */ ctx) {
  const { t, view } = ctx;
  const { table } = view;
  if (table.ending) return endingText(ctx);
  if (ctx.pending?.place) return t("planes.asked.placing");
  if (ctx.pending?.attack) return t("planes.asked.shooting", { cell: cellName(ctx.pending.attack.x, ctx.pending.attack.y) });
  if (isAsked(ctx, "PLACE")) return t("planes.asked.place");
  if (table.placingExpireTime) {
    return isPlayer(ctx) && !ctx.others ? t("planes.asked.wait", { name: ctx.name(1 - ownSeat(ctx)) }) : t("planes.asked.both");
  }
  if (!table.turn) return "";
  if (!isYou(ctx, table.turn.seat)) return t("planes.asked.other", { name: ctx.name(table.turn.seat) });
  const target = targetOf(ctx);
  return target === null ? t("planes.asked.attack")
    : t("planes.asked.target", { cell: cellName(Math.floor(target / SIZE), target % SIZE) });
}

/** How the game ended, in one sentence. @param {any} ctx @returns {string} */
export function endingText(ctx) {
  const { t, view: { table: { ending } } } = ctx;
  if (ending.winner === undefined) return t("planes.end.draw");
  return isYou(ctx, ending.winner) ? t("planes.end.you") : t("planes.end.other", { name: ctx.name(ending.winner) });
}

function clocks(/** @type {any} */ ctx, /** @type {any} */ table) {
  if (table.ending || ctx.others) return null;
  const { config } = ctx.view;
  const { turn } = table;
  return [
    clock(ctx, "placing", table.placingExpireTime, config.placingLimit),
    turn && !turn.paused && clock(ctx, "turn", dueOf(turn), turn.limit),
    turn?.paused && standing(ctx, table, turn),
    clock(ctx, "game", table.gameExpireTime, config.gameLimit),
  ];
}

/** A turn whose clock stands still, and the pauses that this uses up. */
function standing(/** @type {any} */ ctx, /** @type {any} */ table, /** @type {any} */ turn) {
  const { h, t, view } = ctx;
  const end = toMs(turn.changeTime) + spanMs(table.tallies[turn.seat].pauseBudget);
  return [
    h("span", { key: "still", class: "planes-still" }, t("planes.clock.still", { left: clockText(spanMs(turn.remaining)) })),
    clock(ctx, "pause", toInstant(end), view.config.pauseBudget),
  ];
}

function clock(/** @type {any} */ ctx, /** @type {string} */ which, /** @type {string | null} */ instant, /** @type {string} */ limit) {
  if (!instant) return null;
  const label = ctx.t(`planes.clock.${which}`);
  return ctx.h("span", { key: which, class: `planes-clock planes-clock-${which}` },
    ctx.h("span", { "aria-hidden": "true" }, label), ctx.countdown(instant, { label, total: spanMs(limit) }));
}
