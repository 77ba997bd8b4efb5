// @ts-check
/** One tile as it is drawn: its face or its back, and what marks it. */

import { h } from "../../ui/dom.js";
import { face } from "./faces.js";
import { say, tileName } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** Short marks for readers of no Chinese: the rank of a character tile, a wind's initial. */
const MARKS = "123456789";
const WIND_MARKS = "ESWN";

/**
 * The kind's role in this round.
 * @param {Json} ctx
 * @param {number} kind
 * @returns {"zheng" | "fu" | null}
 */
export function jingOf(ctx, kind) {
  const { jing } = ctx.view.table;
  if (!jing) return null;
  return kind === jing.zheng ? "zheng" : kind === jing.fu ? "fu" : null;
}

/** What a screen reader says of the tile. @param {Json} ctx @param {number} kind */
export function tileLabel(ctx, kind) {
  const name = tileName(ctx, kind);
  const role = jingOf(ctx, kind);
  return role ? say(ctx, `tile.${role}`, { tile: name }) : name;
}

/**
 * A tile that lies face up. It is an image with a label; with `props.onclick` a button.
 * @param {Json} ctx
 * @param {number} kind
 * @param {Json} [props] attributes of the element; `class` is added to the tile's own, `label` replaces the usual one
 */
export function tile(ctx, kind, { class: more = "", label, ...props } = {}) {
  const role = jingOf(ctx, kind);
  const mark = ctx.lang === "zh" ? null : kind < 9 ? MARKS[kind] : kind >= 27 && kind < 31 ? WIND_MARKS[kind - 27] : null;
  const kinds = ["jx-tile", role && "jx-jing", role && `jx-${role}`, more];
  return h(
    props.onclick ? "button" : "span",
    {
      ...(props.onclick ? { type: "button" } : { role: "img" }),
      class: kinds.filter(Boolean).join(" "),
      "aria-label": label ?? tileLabel(ctx, kind),
      "data-tile": kind,
      "data-mark": mark,
      ...props,
    },
    h("img", { src: face(kind), alt: "", draggable: false, class: "jx-face" }),
    role && h("span", { class: "jx-badge", "aria-hidden": "true" }, "精"),
  );
}

/** A tile that lies face down. @param {Json} [props] */
export const back = ({ class: more = "", ...props } = {}) =>
  h("span", { class: `jx-tile jx-back ${more}`, "aria-hidden": "true", ...props });
