// @ts-check
/** The way in for guests. */

import { emblem } from "./lobby/emblems.js";
import { signIn as enter } from "./signing.js";
import { h } from "./ui/dom.js";
import { t } from "./words.js";

const LONGEST_NAME = 24;

/** @param {import("./app.js").App} app */
export function signIn(app) {
  const { local } = app;
  const name = local.name ?? "";
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    // Enter may be faster than the drawing of what was typed.
    if (local.name?.trim() && !app.busy) enter(app, local.name);
  };
  return h(
    "main",
    { id: "main", class: "signin" },
    h(
      "div",
      { class: "signin-emblems", "aria-hidden": "true" },
      ["doudizhu", "jinxian", "planes"].map((kind) => emblem(kind)),
    ),
    h("h1", { class: "signin-title" }, t("signin.title")),
    h("p", { class: "signin-lead" }, t("signin.lead")),
    h(
      "form",
      { class: "panel stack signin-form", onsubmit: go },
      h(
        "div",
        { class: "field" },
        h("label", { for: "name" }, t("signin.name")),
        h("input", {
          id: "name",
          class: "input",
          "data-testid": "signin-name",
          autocomplete: "nickname",
          required: true,
          maxlength: LONGEST_NAME,
          value: name,
          placeholder: t("signin.example"),
          "aria-describedby": local.signInError ? "signin-error" : null,
          "aria-invalid": Boolean(local.signInError),
          oninput: (/** @type {any} */ event) => ((local.name = event.target.value), app.redraw()),
        }),
      ),
      h(
        "p",
        {
          id: "signin-error",
          class: "note note-bad",
          role: "alert",
          "data-testid": "signin-error",
          hidden: !local.signInError,
        },
        local.signInError,
      ),
      h(
        "button",
        { class: "btn btn-primary", "data-testid": "signin-go", disabled: app.busy },
        t("signin.go"),
      ),
      h("p", { class: "small soft" }, t("signin.note")),
    ),
  );
}
