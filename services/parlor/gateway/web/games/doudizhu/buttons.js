// @ts-check
/** The buttons that act at the table. */

import { h } from "../../ui/dom.js";

/** @typedef {Record<string, any>} Json */

/**
 * A button of the bar. While a move is on its way, or the seat is held elsewhere, none can be pressed.
 * @param {Json} ctx
 * @param {string} key
 * @param {() => any} run
 * @param {Json} [look] `advised`: it is what the rules service would press, and takes the focus.
 */
export function button(ctx, key, run, look = {}) {
  const takesFocus = look.advised || look.focus;
  return h(
    "button",
    {
      type: "button",
      key: takesFocus ? `${key}!` : key,
      class: `btn ${look.style ?? ""} ${look.advised ? "advised" : ""}`,
      disabled: Boolean(!ctx.live || ctx.pending || look.disabled),
      "data-act": look.act,
      "data-value": look.value,
      "data-testid": look.testid,
      onclick: run,
      ref: takesFocus ? (/** @type {any} */ element) => element?.focus() : undefined,
    },
    ctx.t(key),
  );
}

