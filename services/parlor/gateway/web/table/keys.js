// @ts-check
/** The game's keyboard shortcuts: bound, and listed. */

import { dialog } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { t } from "../words.js";

/** Where a shortcut acts; the bar is among it, for a dialog gives the focus back to the button that opened it. */
const PLAYED = ".stage, .bar, .replay-controls";

/** @param {import("../app.js").App} app */
export function keysSheet(app) {
  const keys = app.openKeys();
  return dialog(
    { title: t("keys.title"), close: () => ((app.sheet = ""), app.redraw()), testid: "keys-dialog" },
    h("p", { class: "soft" }, t(app.local.shortcuts === "off" ? "keys.off" : "keys.text")),
    h(
      "dl",
      { class: "keys" },
      keys.map((each) => [
        h("dt", { key: `${each.key}-key` }, h("kbd", null, keyName(each.key))),
        h("dd", { key: each.key }, each.label),
      ]),
    ),
  );
}

/**
 * Binds the shortcuts of the table that is shown.
 *
 * @param {Document} page
 * @param {import("../app.js").App} app
 */
export function bindKeys(page, app) {
  page.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (app.local.shortcuts === "off" || app.question || app.sheet || app.isCovered) return;
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!target.matches("body, #main") && !target.closest(PLAYED)) return;
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    // Enter and space press the button that has the focus.
    if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, summary, [role=button]")) return;
    const pressed = app.openKeys().find((each) => each.key.toLowerCase() === event.key.toLowerCase());
    if (!pressed) return;
    event.preventDefault();
    pressed.run();
  });
}

function keyName(/** @type {string} */ key) {
  const name = `key.${key === " " ? "Space" : key}`;
  const text = t(name);
  return text === name ? (key.length === 1 ? key.toUpperCase() : key) : text;
}
