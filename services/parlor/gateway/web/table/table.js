// @ts-check
/** The shell around every table: what is the same whatever is played at it. */

import { leave } from "../lobby/errands.js";
import { gameName } from "../lobby/names.js";
import { optionsText } from "../lobby/optionsform.js";
import { guarded } from "../faults.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words.js";
import { said, vote } from "./dissolve.js";
import { gather } from "./gather.js";
import { resultPanel } from "./result.js";
import { side } from "./side.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("./seating.js").Seating} Seating */

/** @param {App} app @param {Seating} seating */
export function tablePage(app, seating) {
  const { room } = seating;
  const { view } = room;
  const status = STATUS[view.status] ?? "open";
  return h(
    "main",
    {
      id: "main",
      class: `room room-${status}`,
      key: room.roomId,
      "data-testid": "room",
      "data-room": room.roomId,
      "data-status": status,
      "data-seat": room.seat ?? "",
      "data-game-no": view.gameNo,
    },
    bar(app, seating),
    h(
      "div",
      { class: "room-columns" },
      h(
        "div",
        { class: "room-main", inert: app.isCovered },
        room.closed || room.lost ? gone(app, seating) : null,
        status === "faulted" ? h("p", { class: "note note-bad", role: "alert" }, t("room.faulted")) : null,
        vote(app, seating),
        status === "finished" && resultPanel(app, seating),
        status !== "playing" && !room.closed && !room.lost && gather(app, seating),
        room.game && stage(seating),
      ),
      side(app, seating),
    ),
  );
}

/** @type {Record<string, string>} */
const STATUS = {
  ROOM_STATUS_OPEN: "open",
  ROOM_STATUS_PLAYING: "playing",
  ROOM_STATUS_FINISHED: "finished",
  ROOM_STATUS_FAULTED: "faulted",
};

function bar(/** @type {App} */ app, /** @type {Seating} */ seating) {
  const { room } = seating;
  const { view } = room;
  const playing = view.status === "ROOM_STATUS_PLAYING";
  const seated = room.seat !== null;
  const keys = seating.keys();
  return h(
    "div",
    { class: "bar", inert: app.isCovered },
    h("h1", { class: "bar-title" }, room.rules ? gameName(room.rules.kind) : t("kind.unknown")),
    view.code
      ? h(
          "span",
          { class: "badge number bar-code" },
          h("span", null, t("room.code")),
          h("span", { "data-testid": "room-code" }, view.code),
        )
      : null,
    !seated && h("span", { class: "badge badge-warn", "data-testid": "watching" }, icon("eye"), t("room.watching")),
    h("div", { class: "grow" }),
    keys.length > 0 &&
      tool("keys", t("keys.title"), icon("keys"), () => ((app.sheet = "keys"), app.redraw())),
    ((!playing && view.code) || view.options.spectators) &&
      tool("invite", t("invite.title"), icon("share"), () => ((app.sheet = "invite"), app.redraw())),
    playing &&
      seated &&
      !view.dissolve &&
      tool("dissolve", t("dissolve.ask"), icon("stop"), () => askDissolve(app, seating)),
    h(
      "button",
      {
        class: "btn btn-quiet chat-toggle",
        type: "button",
        "data-testid": "side-toggle",
        "aria-expanded": seating.sideOpen,
        "aria-controls": "side",
        "aria-label": seating.unread ? t("chat.unread", { n: seating.unread }) : t("chat.title"),
        onclick: () => seating.toggleSide(),
      },
      icon("chat"),
      seating.unread > 0 && h("span", { class: "count number", "aria-hidden": "true" }, seating.unread),
    ),
    h(
      "button",
      {
        class: "btn btn-quiet bar-settings",
        type: "button",
        "aria-label": t("settings"),
        onclick: () => ((app.sheet = "settings"), app.redraw()),
      },
      icon("gear"),
    ),
    tool("leave", seated ? t("leave") : t("leave.watching"), icon("leave"), () => leave(app)),
  );
}

function tool(
  /** @type {string} */ testid,
  /** @type {string} */ label,
  /** @type {any} */ mark,
  /** @type {() => void} */ run,
) {
  return h(
    "button",
    {
      class: `btn btn-quiet tool tool-${testid}`,
      key: testid,
      type: "button",
      "data-testid": testid,
      title: label,
      onclick: run,
    },
    mark,
    h("span", { class: "tool-label" }, label),
  );
}

async function askDissolve(/** @type {App} */ app, /** @type {Seating} */ seating) {
  const text = said(seating.room.kind, "dissolve.text");
  if (await app.confirm(t("dissolve.title"), text, t("dissolve.yes"), true)) seating.dissolve(true);
}

/** The game itself, drawn by its own module. */
function stage(/** @type {Seating} */ seating) {
  const { room } = seating;
  const { game } = room;
  return h(
    "section",
    {
      class: "stage",
      key: `stage-${room.view.gameNo}`,
      "aria-label": t("table.label"),
      "data-testid": "table",
      "data-kind": room.kind,
      "data-seat": room.seat ?? "",
      "data-decision": game.prompt?.decision || "",
      "data-phase": game.table?.phase ?? "",
      "data-pending": Boolean(seating.sent) || null,
    },
    drawn(room, seating.context),
  );
}

/**
 * The game as its scene draws it, or why it cannot be drawn.
 *
 * @param {{kind: string | null, scene: import("../games/index.js").Scene | undefined}} of
 * @param {any} context
 */
export function drawn({ kind, scene }, context) {
  if (kind === null) return h("p", { class: "note" }, t("kind.unknown.text"));
  if (!scene) return missing();
  return guarded(() => scene.table(context), h("p", { class: "note note-bad" }, t("table.broken")));
}

/** A browser does not ask again for a module that it could not have; a new page does, and sits where this one sat. */
function missing() {
  return h(
    "div",
    { class: "note note-bad stack", role: "alert", "data-testid": "scene-missing" },
    h("p", null, t("table.missing")),
    h("button", { class: "btn", type: "button", onclick: () => location.reload() }, t("reload")),
  );
}

/** By CloseReason. @type {Record<string, string>} */
const CLOSED = {
  CLOSE_REASON_IDLE: "room.closed.IDLE",
  CLOSE_REASON_FAULTED: "room.closed.FAULTED",
  CLOSE_REASON_NO_SHOW: "room.closed.NO_SHOW",
};

function gone(/** @type {App} */ app, /** @type {Seating} */ seating) {
  const { lost, whyClosed } = seating.room;
  const text = lost ? t("room.lost") : t(CLOSED[whyClosed] ?? "room.closed");
  return h(
    "section",
    { class: "panel stack", role: "alert", "data-testid": "room-gone" },
    h("p", null, text),
    h("button", { class: "btn btn-primary", type: "button", onclick: () => leave(app) }, t("room.toLobby")),
  );
}

/** What is played, as short sentences. @param {Seating} seating */
export function rulesText(seating) {
  const { rules, view, kind } = seating.room;
  return rules && kind ? optionsText(rules, view.config[kind]) : [];
}
