// @ts-check
/** What has been laid on the table: a seat's melds and its river. */

import { h } from "../../ui/dom.js";
import { phaseOf, placeOf } from "./places.js";
import { back, tile, tileLabel } from "./tile.js";
import { bare, owned, say, tileName, tileNames, whom } from "./words.js";

/** @typedef {Record<string, any>} Json */

const TYPE = "JINXIAN_MELD_TYPE_";
/** More tiles than fit into three rows of six are drawn smaller. */
const ROOMY = 18;

/** The melds of a seat in the order in which they were made. @param {Json} ctx @param {number} seat */
export function melds(ctx, seat) {
  const { table } = ctx.view;
  const own = table.melds[seat].melds;
  return h(
    "div",
    { key: `melds-${seat}`, class: `jx-melds jx-at-${placeOf(ctx, seat)}`, role: "group", "aria-label": owned(ctx, "melds", seat) },
    own.map((/** @type {Json} */ each, /** @type {number} */ at) => meld(ctx, seat, each, `${at}`)),
  );
}

/**
 * One meld.
 * @param {Json} ctx
 * @param {number} seat
 * @param {Json} one
 * @param {string} key
 */
export function meld(ctx, seat, one, key) {
  const type = bare(TYPE, one.type);
  const { table } = ctx.view;
  const isRobbed = type === "PONG" && table.active === seat && table.adding === one.tiles[0];
  return h(
    "div",
    { key: `${key}-${type}`, class: `jx-meld jx-meld-${type.toLowerCase()}`, role: "group", "aria-label": meldLabel(ctx, one, type) },
    type === "CONCEALED_KONG" ? concealed(ctx, one.tiles) : open(ctx, seat, one),
    isRobbed && tile(ctx, table.adding, { key: "adding", class: "jx-offered", label: say(ctx, "adding", { tile: tileName(ctx, table.adding) }) }),
  );
}

function open(/** @type {Json} */ ctx, /** @type {number} */ seat, /** @type {Json} */ one) {
  const taken = one.tiles.lastIndexOf(one.taken);
  // Seen from the owner, who sits below.
  const from = one.source === undefined ? null : ["", "right", "across", "left"][(one.source - seat + 4) % 4];
  return one.tiles.map((/** @type {number} */ kind, /** @type {number} */ at) =>
    tile(ctx, kind, { key: `${at}`, class: at === taken && from ? `jx-taken jx-from-${from}` : "" }));
}

/** Four tiles of which the two in the middle may be seen by those who may know them. */
function concealed(/** @type {Json} */ ctx, /** @type {number[]} */ tiles) {
  const middle = (/** @type {number} */ at) => (at === 1 || at === 2) && tiles.length > 0;
  return [0, 1, 2, 3].map((at) => (middle(at) ? tile(ctx, tiles[at], { key: `${at}` }) : back({ key: `${at}` })));
}

function meldLabel(/** @type {Json} */ ctx, /** @type {Json} */ one, /** @type {string} */ type) {
  const tiles = one.tiles.length ? tileNames(ctx, one.tiles) : say(ctx, "tile.back");
  const words = { meld: say(ctx, `meld.${type}`), tiles };
  if (one.source === undefined) return say(ctx, "meldLabel", words);
  return say(ctx, "meldFrom", { ...words, name: whom(ctx, one.source) });
}

/** What a seat has discarded and nobody claimed, and the tile of it that can be claimed now. @param {Json} ctx @param {number} seat */
export function river(ctx, seat) {
  const { table } = ctx.view;
  const last = table.river.length - 1;
  const lying = table.river
    .map((/** @type {Json} */ one, /** @type {number} */ at) => ({ ...one, at }))
    .filter((/** @type {Json} */ one) => one.seat === seat && !one.claimed);
  const isOffered = phaseOf(ctx.view) === "RESPONDING" && table.adding === undefined;
  const mark = (/** @type {Json} */ one) => {
    if (one.at !== last) return "";
    return isOffered ? "jx-last jx-offered" : "jx-last";
  };
  return h(
    "ol",
    {
      key: `river-${seat}`,
      class: `jx-river jx-at-${placeOf(ctx, seat)} ${lying.length > ROOMY ? "jx-dense" : ""}`,
      "aria-label": owned(ctx, "river", seat),
    },
    lying.map((/** @type {Json} */ one) =>
      h("li", { key: `${one.at}`, class: "jx-lying" }, tile(ctx, one.tile, {
        class: `${mark(one)} ${one.auto ? "jx-auto" : ""}`, label: riverLabel(ctx, one, one.at === last),
      }))),
  );
}

function riverLabel(/** @type {Json} */ ctx, /** @type {Json} */ one, /** @type {boolean} */ isLast) {
  const label = tileLabel(ctx, one.tile);
  const named = isLast ? say(ctx, "tile.last", { tile: label }) : label;
  return one.auto ? say(ctx, "tile.auto", { tile: named }) : named;
}
