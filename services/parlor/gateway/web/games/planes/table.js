// @ts-check
/** The table: two sheets of paper, what is asked above them, and what may be done below. */

import { actions } from "./actions.js";
import { battleBoard } from "./battle.js";
import { history } from "./history.js";
import { localOf } from "./local.js";
import { placingBoard } from "./placing.js";
import { planeIcon } from "./plane.js";
import { isAsked, isYou, ownSeat } from "./sides.js";
import { status } from "./status.js";

const FLEET = [0, 1, 2];

/** @param {any} ctx @returns {any} vnode; null before the first deal */
export function table(ctx) {
  if (!ctx.view) return null;
  const { h, view } = ctx;
  const own = ownSeat(ctx);
  const isLaying = isAsked(ctx, "PLACE");
  const front = frontOf(ctx);
  return h("div", { class: `planes ${isLaying ? "laying" : ""} front-${front}`, "data-phase": view.table.phase },
    h("div", { class: "planes-frame" },
      status(ctx),
      !isLaying && board(ctx, 1 - own, "target", front),
      board(ctx, own, "own", front),
      actions(ctx)));
}

/** The board that has the room, where there is room for one. @param {any} ctx @returns {"own" | "target"} */
export function frontOf(ctx) {
  if (isAsked(ctx, "PLACE")) return "own";
  return localOf(ctx).front ?? (ctx.view.table.placingExpireTime ? "own" : "target");
}

/** @param {any} ctx */
export function swapBoards(ctx) {
  localOf(ctx).front = frontOf(ctx) === "own" ? "target" : "own";
  ctx.redraw();
}

function board(/** @type {any} */ ctx, /** @type {number} */ owner, /** @type {any} */ place, /** @type {any} */ front) {
  const { h, t } = ctx;
  const name = isYou(ctx, owner) ? t("planes.board.own") : t("planes.board.of", { name: ctx.name(owner) });
  const isLaying = isAsked(ctx, "PLACE");
  const { turn } = ctx.view.table;
  const isAimedAt = turn && turn.seat !== owner;
  return h("section", {
    key: place, "aria-label": name, "data-testid": `${place}-board`,
    class: `planes-sheet panel ${place} ${front === place ? "front" : "back"} ${isAimedAt ? "aimed-at" : ""}`,
  },
    header(ctx, owner, name),
    isLaying ? placingBoard(ctx, name) : battleBoard(ctx, owner, name),
    !isLaying && history(ctx, owner),
    front !== place && h("button", {
      type: "button", class: "planes-bring", "aria-label": t("planes.bring", { board: name }), onclick: () => swapBoards(ctx),
    }, h("span", { "aria-hidden": "true" }, t("planes.bring.short"))));
}

function header(/** @type {any} */ ctx, /** @type {number} */ owner, /** @type {string} */ name) {
  const { h, svg, t, view } = ctx;
  const { table, config } = view;
  const fallen = table.boards[owner].revealed.length;
  const { consecutiveTimeouts } = table.tallies[owner];
  return h("header", { class: "planes-head-line" },
    h("h2", null, name),
    h("span", { class: "planes-fleet", role: "img", "aria-label": t("planes.fallen", { n: fallen }) },
      FLEET.map((n) => planeIcon(svg, n < fallen, n))),
    h("span", { class: "planes-badges" },
      !table.online[owner] && !table.ending && h("span", { class: "badge badge-warn" }, t("planes.offline")),
      table.placingExpireTime && !isAsked(ctx, "PLACE")
        && h("span", { class: "badge" }, t(table.placed[owner] ? "planes.placed" : "planes.unplaced")),
      table.autoPlaced[owner] && h("span", { class: "badge" }, t("planes.auto")),
      consecutiveTimeouts > 0 && !table.ending && h("span", { class: "badge badge-warn" },
        t("planes.missed", { n: consecutiveTimeouts, most: config.maxTimeouts }))));
}
