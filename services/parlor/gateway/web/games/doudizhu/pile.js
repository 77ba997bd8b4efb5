// @ts-check
/** What lies before each seat: its last play as cards, its last word as a bubble. */

import { h } from "../../ui/dom.js";
import { faceUp, fan } from "./cards.js";
import { lastActs } from "./seating.js";
import { readingText, wordOf } from "./speech.js";

/** @typedef {Record<string, any>} Json */

const BOMBS = { DOU_DIZHU_SHAPE_BOMB: "bomb", DOU_DIZHU_SHAPE_KINGBOMB: "rocket" };

/**
 * The three places, and over them the flash of a bomb that was played last.
 * @param {Json} ctx
 * @param {Record<number, "left" | "right" | "near">} places by seat
 */
export function piles(ctx, places) {
  const acts = lastActs(ctx.view);
  const newest = ctx.view.table.history.length - 1;
  return h(
    "div",
    { class: "ddz-piles" },
    acts.map((entry, seat) => pile(ctx, seat, entry, places[seat], entry?.place === newest)),
    flash(ctx),
  );
}

function pile(/** @type {Json} */ ctx, /** @type {number} */ seat, entry, /** @type {string} */ place, isNewest) {
  const { t } = ctx;
  const name = ctx.name(seat);
  // A new key for each act, so that it comes in anew.
  const props = { class: `ddz-pile ${place} ${isNewest ? "newest" : ""}`, key: `${place}${entry?.place ?? ""}` };
  if (!entry) return h("div", props);
  if (!entry.reading) return h("div", props, h("p", { class: `ddz-word ${entry.number ? "loud" : ""}` }, wordOf(entry, t)));
  const label = t("doudizhu.pile", { name, reading: readingText(entry.reading, t) });
  return h(
    "div",
    { ...props, role: "group", "aria-label": label },
    fan(entry.cards.map((card) => faceUp(card, t)), { class: `ddz-played ${BOMBS[entry.reading.shape] ?? ""}` }),
    h("p", { class: "ddz-reading" }, readingText(entry.reading, t)),
  );
}

/** Felt rather than read: the words stand at the cards. */
function flash(/** @type {Json} */ { view, reduced, t }) {
  const { history } = view.table;
  const bomb = BOMBS[history.at(-1)?.reading?.shape];
  if (!bomb || reduced) return null;
  return h(
    "div",
    { class: `ddz-flash ${bomb}`, key: `flash${history.length}`, "aria-hidden": "true" },
    h("b", null, t(`doudizhu.flash.${bomb}`)),
  );
}
