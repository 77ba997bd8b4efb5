// @ts-check
/** Below a board: the shots at it, the newest first, and the counts of who shot them. */

import { localOf } from "./local.js";
import { markIcon, toneOf } from "./marks.js";
import { cellName } from "./shape.js";

/** @param {any} ctx @param {number} owner whose board */
export function history(ctx, owner) {
  const { h, svg, t, view } = ctx;
  const { shots } = view.table.boards[owner];
  const tally = view.table.tallies[1 - owner];
  return h("footer", { class: "planes-history" },
    h("p", { class: "planes-counts number" },
      t(tally.attacks === 0 ? "planes.counts.none" : "planes.counts", {
        attacks: tally.attacks, hits: tally.hits, accuracy: percent(tally.accuracy),
      })),
    shots.length > 0 && h("ol", { class: "planes-shots", reversed: true, tabindex: 0, "aria-label": t("planes.shots") },
      shots.map((/** @type {any} */ shot, /** @type {number} */ n) => h("li", {
        key: n,
        onpointerenter: () => near(ctx, { owner, x: shot.x, y: shot.y }),
        onpointerleave: () => near(ctx, null),
      },
        h("span", { class: "planes-number number" }, n + 1),
        markIcon(svg, toneOf(shot.result)),
        h("span", { class: "number" }, cellName(shot.x, shot.y)),
        h("span", { class: "sr-only" }, t(`planes.cell.${toneOf(shot.result)}`)))).reverse()));
}

/** @param {number} accuracy in hundredths of a percent @returns {string} */
export const percent = (accuracy) => `${(accuracy / 100).toFixed(2)}%`;

function near(/** @type {any} */ ctx, /** @type {any} */ cell) {
  localOf(ctx).near = cell;
  ctx.redraw();
}
