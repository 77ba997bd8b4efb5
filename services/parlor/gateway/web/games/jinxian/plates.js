// @ts-check
/** The seats around the table: whose they are, how they stand, and their hands as far as they may be seen. */

import { h } from "../../ui/dom.js";
import { handOf, held, phaseOf, placeOf } from "./places.js";
import { back, tile } from "./tile.js";
import { owned, say, signed } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** A seat that is not in front. @param {Json} ctx @param {number} seat */
export function side(ctx, seat) {
  const place = placeOf(ctx, seat);
  return h(
    "section",
    { key: `side-${place}`, class: `jx-side jx-at-${place}`, "aria-label": owned(ctx, "seat", seat) },
    plate(ctx, seat),
    sideHand(ctx, seat),
  );
}

/** Name, marks and score of a seat. @param {Json} ctx @param {number} seat */
export function plate(ctx, seat) {
  const { table } = ctx.view;
  return h(
    "div",
    { class: `jx-plate ${isActive(ctx.view, seat) ? "jx-active" : ""} ${table.online.seats[seat] ? "" : "jx-off"}` },
    h(
      "div",
      { class: "jx-name" },
      table.round > 0 && table.dealer === seat && h("span", { class: "jx-dealer" }, h("span", { "aria-hidden": "true" }, say(ctx, "dealer")), hidden(say(ctx, "dealerLong"))),
      h("bdi", { class: "jx-who", title: ctx.name(seat) }, ctx.name(seat)),
    ),
    h(
      "div",
      { class: "jx-stand" },
      h("span", { class: "jx-points number" }, h("span", { "aria-hidden": "true" }, signed(table.tallies[seat].score)), hidden(say(ctx, "score", { score: table.tallies[seat].score }))),
      table.round > 0 && h("span", { class: "jx-count number" }, h("span", { "aria-hidden": "true" }, table.counts[seat]), hidden(say(ctx, "tilesHeld", { count: table.counts[seat] }))),
      ...marks(ctx, seat).map((key) => h("span", { key, class: `jx-mark jx-mark-${key}` }, say(ctx, key))),
    ),
  );
}

const hidden = (/** @type {string} */ text) => h("span", { class: "sr-only" }, text);

function marks(/** @type {Json} */ ctx, /** @type {number} */ seat) {
  const { autoplay, online, left, deadline } = ctx.view.table;
  const isReady = deadline?.question === "JINXIAN_QUESTION_CONTINUE" && !deadline.seats.includes(seat);
  return [
    left.seats[seat] ? "left" : !online.seats[seat] && "away",
    // Who else would play for a seat that was left?
    autoplay.seats[seat] && !left.seats[seat] && "auto",
    isReady && "ready",
  ].filter((key) => typeof key === "string");
}

/** Whether the table waits for this seat to play. @param {Json} view @param {number} seat */
export const isActive = (view, seat) => phaseOf(view) === "PLAYING" && view.table.active === seat;

function sideHand(/** @type {Json} */ ctx, /** @type {number} */ seat) {
  const hand = handOf(ctx, seat);
  const label = say(ctx, "handOf", { name: ctx.name(seat) });
  if (hand.tiles) {
    return h(
      "div",
      { key: "open", class: "jx-backs jx-open", role: "group", "aria-label": label },
      held(ctx.view, hand).map(({ key, kind, part }) => tile(ctx, kind, { key, class: `jx-part-${part}` })),
    );
  }
  // A tile that has just been drawn stands apart.
  const apart = isActive(ctx.view, seat) && hand.count % 3 === 2;
  return h(
    "div",
    { key: "closed", class: "jx-backs", role: "img", "aria-label": say(ctx, "tilesHeld", { count: hand.count }) },
    Array.from({ length: hand.count }, (_, at) => back({ key: `${at}`, class: apart && at === hand.count - 1 ? "jx-part-drawn" : "" })),
  );
}
