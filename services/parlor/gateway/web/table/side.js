// @ts-check
/** Beside the table: chat, and what has happened. A column on wide screens, a drawer on narrow ones. */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words.js";
import { chatName } from "./sentences.js";

const LONGEST = 120;
const PHRASES = [
  "chat.phrase.hello",
  "chat.phrase.well",
  "chat.phrase.think",
  "chat.phrase.hurry",
  "chat.phrase.thanks",
  "chat.phrase.again",
];

/** @typedef {import("../app.js").App} App */
/** @typedef {import("./seating.js").Seating} Seating */

/** @param {App} app @param {Seating} seating */
export function side(app, seating) {
  return h(
    "aside",
    {
      id: "side",
      class: `side${seating.sideOpen ? " is-open" : ""}`,
      "aria-label": t("side.label"),
      // What lies around the drawer belongs to it.
      onclick: (/** @type {Event} */ event) =>
        event.target === event.currentTarget && app.isCovered && seating.toggleSide(),
      onkeydown: (/** @type {KeyboardEvent} */ event) =>
        event.key === "Escape" && seating.sideOpen && seating.toggleSide(),
    },
    h(
      "div",
      { class: "panel side-panel" },
      h(
        "div",
        { class: "row spread side-head" },
        h("h2", { class: "side-title" }, t("chat.title")),
        h(
          "button",
          {
            class: "btn btn-quiet side-close",
            type: "button",
            "data-testid": "side-close",
            "aria-label": t("close"),
            onclick: () => seating.toggleSide(),
          },
          icon("close"),
        ),
      ),
      lines(app, seating),
      seating.room.seat !== null && !seating.room.closed && !seating.room.lost ? writing(app, seating) : null,
      h(
        "details",
        { class: "more happenings", open: "" },
        h("summary", null, t("log.title")),
        h(
          "ol",
          { class: "log small", "data-testid": "game-log", tabindex: 0, "aria-label": t("log.title"), ref: follow },
          seating.chronicle.lines.map((line) => h("li", { key: line.id }, line.text)),
        ),
      ),
    ),
  );
}

function lines(/** @type {App} */ app, /** @type {Seating} */ seating) {
  const { view } = seating.room;
  return h(
    "ol",
    { class: "chat-log", "data-testid": "chat-log", tabindex: 0, "aria-label": t("chat.title"), ref: follow },
    view.chat.map((/** @type {any} */ line) =>
      h(
        "li",
        { key: line.number, class: line.player === app.me?.player ? "chat-line is-mine" : "chat-line" },
        h("span", { class: "chat-name" }, chatName(view, line)),
        h("span", { class: "chat-text" }, line.text),
      ),
    ),
    view.chat.length === 0 && h("li", { class: "small soft" }, t("chat.empty")),
  );
}

function writing(/** @type {App} */ app, /** @type {Seating} */ seating) {
  const { local } = app;
  const text = local.line ?? "";
  const say = async (/** @type {Event} */ event) => {
    event.preventDefault();
    // Enter may be faster than the drawing of what was typed.
    const line = (local.line ?? "").trim();
    if (!line) return;
    local.line = "";
    app.redraw();
    // What was refused goes back to where it was typed, unless something else stands there.
    if (!(await seating.say(line)) && !local.line) local.line = line;
    app.redraw();
  };
  return h(
    "form",
    { class: "stack chat-form", onsubmit: say },
    h(
      "div",
      { class: "phrases", role: "group", "aria-label": t("chat.phrases") },
      PHRASES.map((phrase) =>
        h(
          "button",
          { class: "btn btn-small phrase", key: phrase, type: "button", onclick: () => seating.say(t(phrase)) },
          t(phrase),
        ),
      ),
    ),
    h(
      "div",
      { class: "row chat-row" },
      h("label", { class: "sr-only", for: "chat-input" }, t("chat.label")),
      h("input", {
        id: "chat-input",
        class: "input",
        "data-testid": "chat-input",
        maxlength: LONGEST,
        autocomplete: "off",
        placeholder: t("chat.placeholder"),
        value: text,
        oninput: (/** @type {any} */ event) => ((local.line = event.target.value), app.redraw()),
      }),
      h("button", { class: "btn", "data-testid": "chat-send", "aria-disabled": String(!text.trim()) }, t("chat.send")),
    ),
  );
}

/** Keeps the newest line in sight, unless somebody has scrolled up to read. */
function follow(/** @type {any} */ el) {
  if (!el) return;
  let isAtEnd = true;
  el.addEventListener("scroll", () => (isAtEnd = el.scrollHeight - el.scrollTop - el.clientHeight < 24));
  const toEnd = () => isAtEnd && (el.scrollTop = el.scrollHeight);
  new MutationObserver(toEnd).observe(el, { childList: true });
  toEnd();
}
