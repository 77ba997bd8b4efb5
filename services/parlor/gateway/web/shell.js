// @ts-check
/** The whole page: what stands on top, the place where one is, and what lies over it. */

import { banner } from "./banner.js";
import { lobby } from "./lobby/lobby.js";
import { gameName } from "./lobby/names.js";
import { replayPage } from "./replay/replay.js";
import { choose, settings } from "./settings.js";
import { signIn } from "./signin.js";
import { copySheet, inviteSheet } from "./table/invite.js";
import { keysSheet } from "./table/keys.js";
import { tablePage } from "./table/table.js";
import { dialog } from "./ui/dialog.js";
import { h } from "./ui/dom.js";
import { toMain } from "./ui/focus.js";
import { icon } from "./ui/icons.js";
import { lang, t } from "./words.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function page(app) {
  const { phase } = app.connection;
  document.title = title(app);
  return h(
    "div",
    {
      class: app.reduced ? "app still" : "app",
      "data-testid": "app",
      "data-ready": String(phase === "idle" || phase === "over" || (phase === "open" && app.me !== null)),
      "data-connection": phase === "open" ? "open" : "away",
    },
    h("a", { class: "btn skip", href: "#main", inert: app.isCovered, onclick: skip }, t("skip")),
    top(app),
    banner(app),
    place(app),
    spoken(app),
    toast(app),
    sheet(app),
    question(app),
  );
}

function title(/** @type {App} */ app) {
  const turn = app.seating?.decision && `● ${t("turn.short")}`;
  return [turn, ...places(app), t("parlor")].filter(Boolean).join(" · ");
}

/** Where one is, as the title says it: the innermost first. @returns {string[]} */
function places(/** @type {App} */ app) {
  const { page } = app.route;
  if (!app.client.token) return [t("signin.title")];
  if (page === "replay") {
    const kind = app.replaying?.player?.kind;
    return [t("replay.controls"), kind ? gameName(kind) : ""];
  }
  if (page !== "table" && page !== "watch") return [t("lobby")];
  const room = app.seating?.room;
  return [t(room?.seat === null ? "room.watching" : "table.label"), room?.rules ? gameName(room.rules.kind) : ""];
}

function top(/** @type {App} */ app) {
  const other = lang() === "zh" ? "en" : "zh";
  return h(
    "header",
    { class: "top", inert: app.isCovered },
    h(
      "a",
      {
        class: "brand",
        href: "#/",
        onclick: (/** @type {Event} */ event) => (event.preventDefault(), app.show({ page: "lobby" })),
      },
      h("span", { class: "brand-name" }, t("parlor")),
    ),
    h("div", { class: "grow" }),
    app.me && h("span", { class: "me", "data-testid": "me-name" }, app.me.name),
    h(
      "button",
      {
        class: "btn btn-quiet",
        type: "button",
        "data-testid": "lang-toggle",
        lang: other === "zh" ? "zh-CN" : "en",
        onclick: () => choose(app, other),
      },
      other === "zh" ? "中文" : "English",
    ),
    h(
      "button",
      {
        class: "btn btn-quiet",
        type: "button",
        "data-testid": "settings",
        "aria-label": t("settings"),
        onclick: () => ((app.sheet = "settings"), app.redraw()),
      },
      icon("gear"),
    ),
  );
}

function place(/** @type {App} */ app) {
  const { page } = app.route;
  const isOver = app.connection.phase === "over";
  if (!app.client.token || (!app.me && isOver)) return signIn(app);
  if (!app.me) return connecting();
  if (page === "replay") return replayPage(app);
  if (page === "table" || page === "watch") return app.seating ? tablePage(app, app.seating) : connecting();
  return lobby(app);
}

/** Until the server has told what is here. */
function connecting() {
  return h("main", { id: "main", class: "waiting-room" }, h("div", { role: "status" }, h("h1", null, t("connecting"))));
}

function spoken(/** @type {App} */ app) {
  return h(
    "div",
    { class: "sr-only", "aria-live": "polite", "aria-relevant": "additions", "data-testid": "announcer" },
    app.speaker.spoken.map((line) => h("p", { key: line.id }, line.text)),
  );
}

function toast(/** @type {App} */ app) {
  const line = app.speaker.toast;
  return h(
    "div",
    { class: "toasts", role: "status" },
    line &&
      h(
        "div",
        { key: line.id, class: `toast toast-${line.tone}` },
        h("p", { "data-testid": "toast" }, line.text),
        h(
          "button",
          { class: "btn btn-quiet", type: "button", "aria-label": t("close"), onclick: () => app.speaker.hide() },
          icon("close"),
        ),
      ),
  );
}

function sheet(/** @type {App} */ app) {
  if (app.sheet === "settings") return settings(app);
  if (app.sheet === "invite") return inviteSheet(app);
  if (app.sheet === "copy") return copySheet(app);
  if (app.sheet === "keys") return keysSheet(app);
  return null;
}

function question(/** @type {App} */ app) {
  const asked = app.question;
  if (!asked) return null;
  const { title, text, yes, danger, answer } = asked;
  return dialog(
    { title, close: () => answer(false), testid: "confirm", alert: true },
    h("p", null, text),
    h(
      "div",
      { class: "dialog-foot" },
      h(
        "button",
        { class: "btn", type: "button", "data-testid": "confirm-no", onclick: () => answer(false) },
        t("confirm.no"),
      ),
      h(
        "button",
        {
          class: danger ? "btn btn-danger" : "btn btn-primary",
          type: "button",
          "data-testid": "confirm-yes",
          onclick: () => answer(true),
        },
        yes,
      ),
    ),
  );
}

/** Skipping must not change the address, which says where one is. */
function skip(/** @type {Event} */ event) {
  event.preventDefault();
  toMain(document);
}
