// @ts-check
/** The lobby: what to play, and with whom. */

import { bring, KINDS } from "../games/index.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { codeIn, isCode } from "../routes.js";
import { knows, t } from "../words.js";
import { gameName } from "./names.js";
import { emblem } from "./emblems.js";
import { join } from "./errands.js";
import { party } from "./party.js";
import { play, selected } from "./play.js";
import { waiting } from "./waiting.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../games/index.js").Kind} Kind */

/** @param {App} app */
export function lobby(app) {
  return h(
    "main",
    { id: "main", class: "lobby", "data-testid": "lobby" },
    h("h1", { class: "lobby-title" }, t("lobby.title", { name: app.me.name })),
    back(app),
    app.isMatching ? waiting(app) : null,
    h(
      "section",
      { class: "games", "aria-label": t("lobby.games") },
      /** @type {Kind[]} */ (Object.keys(KINDS)).map((kind) => gameCard(app, kind)),
    ),
    h("div", { class: "lobby-columns" }, play(app), h("div", { class: "stack" }, party(app), joining(app), fairness())),
  );
}

/** The way back to a seat that this player holds. */
function back(/** @type {App} */ app) {
  if (!app.seatedIn) return null;
  return h(
    "section",
    { class: "panel row spread continue" },
    h("p", null, h("strong", null, t("lobby.seated"))),
    h(
      "button",
      {
        class: "btn btn-primary",
        type: "button",
        "data-testid": "continue",
        onclick: () => app.show({ page: "table" }),
      },
      t("lobby.continue"),
    ),
  );
}

function gameCard(/** @type {App} */ app, /** @type {Kind} */ kind) {
  const isSelected = selected(app) === kind;
  const about = `kind.${kind}.about`;
  return h(
    "button",
    {
      class: "game",
      key: kind,
      type: "button",
      "data-testid": `kind-${kind}`,
      "aria-pressed": isSelected,
      onclick: () => choose(app, kind),
    },
    emblem(kind),
    h(
      "span",
      { class: "game-words" },
      h("span", { class: "game-name" }, gameName(kind)),
      h("span", { class: "game-about" }, t(knows(`${kind}.about`) ? `${kind}.about` : about)),
    ),
  );
}

function choose(/** @type {App} */ app, /** @type {Kind} */ kind) {
  app.local.kind = kind;
  bring(kind);
  app.redraw();
}

function joining(/** @type {App} */ app) {
  const code = app.local.code ?? "";
  const { joinError } = app.local;
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isCode(code)) join(app, { code });
  };
  return h(
    "section",
    { class: "panel stack", "aria-labelledby": "join-title" },
    h("h2", { id: "join-title" }, t("join.title")),
    h(
      "form",
      { class: "row join", onsubmit: go },
      h("label", { class: "sr-only", for: "code" }, t("join.code")),
      h("input", {
        id: "code",
        class: "input code-input number",
        "data-testid": "join-code",
        inputmode: "numeric",
        autocomplete: "off",
        placeholder: "000000",
        value: code,
        "aria-invalid": Boolean(joinError),
        "aria-describedby": joinError ? "join-error" : "join-about",
        oninput: (/** @type {any} */ event) => {
          app.local.code = codeIn(event.target.value);
          event.target.value = app.local.code;
          app.local.joinError = "";
          app.redraw();
        },
      }),
      h("button", { class: "btn", "data-testid": "join-go", disabled: !isCode(code) || app.busy }, t("join.go")),
    ),
    h(
      "p",
      { id: "join-error", class: "note note-bad", role: "alert", "data-testid": "join-error", hidden: !joinError },
      joinError,
    ),
    joinError && app.local.joinWatch
      ? h(
          "button",
          {
            class: "btn",
            type: "button",
            "data-testid": "join-watch",
            onclick: () => {
              app.local.joinError = "";
              app.show({ page: "watch", roomId: app.local.joinWatch });
            },
          },
          icon("eye"),
          t("join.watch"),
        )
      : null,
    h("p", { id: "join-about", class: "small soft" }, t("join.about")),
  );
}

function fairness() {
  return h(
    "section",
    { class: "panel stack", "aria-labelledby": "fair-title" },
    h("h2", { id: "fair-title", class: "row" }, icon("check"), t("fair.title")),
    h("p", { class: "small soft" }, t("fair.text")),
  );
}
