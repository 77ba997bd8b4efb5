// @ts-check
/** What a game came to: why, the counts of both seats, and both fleets as they lay. */

import { sheet } from "./board.js";
import { percent } from "./history.js";
import { drawScorch, drawShot } from "./marks.js";
import { drawPlane } from "./plane.js";
import { fleetOf, isYou } from "./sides.js";
import { clockText, spanMs } from "./times.js";

const SEATS = [0, 1];

/** @type {[string, (tally: any) => string | number][]} */
const COUNTS = [
  ["destroyed", (tally) => tally.destroyed],
  ["attacks", (tally) => tally.attacks],
  ["hits", (tally) => tally.hits],
  ["accuracy", (tally) => percent(tally.accuracy)],
  ["timeUsed", (tally) => clockText(spanMs(tally.timeUsed))],
  ["timeouts", (tally) => tally.timeouts],
];

/** @param {any} ctx @returns {any} vnode; null while the game runs */
export function result(ctx) {
  const ending = ctx.view?.table.ending;
  if (!ending) return null;
  const { h, t } = ctx;
  const decided = ending.decidedBy !== "PLANES_DECIDED_BY_UNSPECIFIED";
  return h("div", { class: "planes-result" },
    h("p", null,
      t(`planes.reason.${ending.reason}`), decided && ` ${t(`planes.decided.${ending.decidedBy}`)}`, " ",
      h("span", { class: "soft" }, t("planes.lasted", { time: clockText(spanMs(ending.duration)), moves: ending.moves }))),
    counts(ctx, ending),
    h("div", { class: "planes-layouts" }, SEATS.map((owner) => layout(ctx, owner))));
}

function counts(/** @type {any} */ { h, t, name, view }, /** @type {any} */ ending) {
  return h("table", { class: "planes-tallies number" },
    h("thead", null, h("tr", null, h("td"), SEATS.map((seat) => (
      h("th", { key: seat, scope: "col", class: ending.winner === seat ? "won" : "" }, name(seat)))))),
    h("tbody", null, COUNTS.map(([field, read]) => h("tr", { key: field },
      h("th", { scope: "row" }, t(`planes.tally.${field}`)),
      SEATS.map((seat) => h("td", { key: seat }, read(view.table.tallies[seat])))))));
}

function layout(/** @type {any} */ ctx, /** @type {number} */ owner) {
  const { h, svg, t, view } = ctx;
  const fleet = fleetOf(ctx, owner);
  const name = isYou(ctx, owner) ? t("planes.board.own") : t("planes.board.of", { name: ctx.name(owner) });
  const { shots, revealed } = view.table.boards[owner];
  const fell = (/** @type {any} */ plane) => revealed.some((/** @type {any} */ { x, y }) => x === plane.x && y === plane.y);
  return h("figure", { key: owner, class: "planes-layout" },
    sheet(ctx, {
      drawing: [
        shots.map((/** @type {any} */ shot) => drawScorch(svg, shot)),
        fleet.map((plane, n) => drawPlane(svg, plane, { key: n, tone: fell(plane) ? "fallen" : "" })),
        shots.map((/** @type {any} */ shot) => drawShot(svg, shot, false)),
      ],
      over: null,
    }),
    h("figcaption", null, name, fleet.length === 0 && ` (${t("planes.unplaced")})`));
}
