// @ts-check
/** Dialogs: native modal ones, which keep the focus inside and give it back when they close. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "../words.js";

/** The one that is shown. @type {any} */
let shown = null;

/**
 * A modal dialog with a title, a way to close it and `body`.
 *
 * @param {{title: string, close: () => void, testid: string, alert?: boolean}} about `alert`: it asks something that
 *   has to be answered
 * @param {...any} body
 */
export function dialog({ title, close, testid, alert }, ...body) {
  return h(
    "dialog",
    {
      key: testid,
      "aria-labelledby": "dialog-title",
      role: alert ? "alertdialog" : null,
      "data-testid": testid,
      ref: (/** @type {any} */ el) => {
        // Closing, and not only taking it away, gives the focus back to what had it.
        if (!el) return shown?.close();
        shown = el;
        el.showModal();
      },
      oncancel: (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
      },
      onclick: (/** @type {MouseEvent} */ event) => {
        // The backdrop belongs to the dialog's element, its content does not.
        if (event.target === event.currentTarget) close();
      },
    },
    h(
      "div",
      { class: "dialog-frame" },
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id: "dialog-title" }, title),
        h(
          "button",
          { class: "btn btn-quiet", type: "button", "aria-label": t("close"), onclick: close },
          icon("close"),
        ),
      ),
      h("div", { class: "dialog-body" }, ...body),
    ),
  );
}
