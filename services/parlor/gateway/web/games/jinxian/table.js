// @ts-check
/** The table as a whole: seats around the mat, on it rivers, melds and what the round is about, the own hand in front. */

import { h } from "../../ui/dom.js";
import { bar } from "./bar.js";
import { centre } from "./centre.js";
import { hand } from "./hand.js";
import { melds, river } from "./melds.js";
import { phaseOf, seatAt } from "./places.js";
import { side } from "./plates.js";
import { settlement } from "./settlement.js";
import { say } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** @param {Json} ctx */
export function table(ctx) {
  if (!ctx.view) return null;
  const around = /** @type {const} */ (["bottom", "right", "top", "left"]).map((place) => seatAt(ctx, place));
  const isOpen = ctx.others !== null || ctx.view.table.shown.length > 0;
  return h(
    "div",
    { class: "jx", role: "group", "aria-label": say(ctx, "table"), "data-phase": phaseOf(ctx.view) },
    h(
      "div",
      { class: `jx-board ${isOpen ? "jx-shown" : ""}` },
      // From the own seat on against the clock, which is the order of play.
      around.slice(1).map((seat) => side(ctx, seat)),
      h("div", { class: "jx-mat" }, centre(ctx), around.map((seat) => river(ctx, seat)), around.map((seat) => melds(ctx, seat))),
      bar(ctx),
      hand(ctx),
      settlement(ctx),
    ),
  );
}
