// @ts-check
/** Before a game and between games: who sits where, who is ready, and what can be done about it. */

import { countdown } from "../ui/countdown.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words.js";
import { invitation } from "./invite.js";
import { otherOptions } from "./otheroptions.js";
import { rulesText } from "./table.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("./seating.js").Seating} Seating */

/** @param {App} app @param {Seating} seating */
export function gather(app, seating) {
  const { view } = seating.room;
  const isFirst = view.gameNo === 0;
  const hasFree = view.seats.some((/** @type {any} */ seat) => !seat.player);
  const rules = rulesText(seating);
  return h(
    "section",
    { class: "panel stack gather", "aria-labelledby": "gather-title" },
    h(
      "div",
      { class: "row spread" },
      h("h2", { id: "gather-title" }, t(hasFree ? "gather.waiting" : isFirst ? "gather.full" : "gather.again")),
      countdown(app.now, readyTime(seating.room), { label: t("gather.left") }),
    ),
    h(
      "ul",
      { class: "seats" },
      view.seats.map((/** @type {any} */ seat, /** @type {number} */ index) => place(app, seating, seat, index)),
    ),
    buttons(app, seating, hasFree),
    hasFree && view.code && isFirst ? invitation(app, seating) : null,
    h(
      "p",
      { class: "small soft" },
      rules.length ? t("gather.rules", { rules: rules.join(t("list.semicolon")) }) : t("gather.usual"),
    ),
    otherOptions(app, seating),
  );
}

/** Until when the receiver has to be ready: its seat's own limit or the table's, whichever comes first. */
export function readyTime(/** @type {any} */ { seat, view }) {
  const own = seat === null ? undefined : view.seats[seat].readyTime;
  if (!own || !view.readyTime) return own ?? view.readyTime;
  return Date.parse(own) < Date.parse(view.readyTime) ? own : view.readyTime;
}

function place(
  /** @type {App} */ app,
  /** @type {Seating} */ seating,
  /** @type {any} */ seat,
  /** @type {number} */ index,
) {
  const { room } = seating;
  const isMine = room.seat === index;
  const isHost = room.view.host === index;
  return h(
    "li",
    {
      class: `seat${seat.player ? "" : " seat-free"}${isMine ? " seat-mine" : ""}`,
      key: index,
      "data-testid": `seat-${index}`,
      "data-player": seat.player,
      "data-ready": String(seat.ready),
      "data-online": String(seat.online),
    },
    h(
      "span",
      { class: `seat-mark${seat.ready ? " is-ready" : ""}`, "aria-hidden": "true" },
      seat.ready ? icon("check") : seat.bot ? icon("bot") : index + 1,
    ),
    h(
      "span",
      { class: "seat-words" },
      h("span", { class: "seat-name" }, seat.player ? seat.name : t("seat.free")),
      h(
        "span",
        { class: "row" },
        isMine && h("span", { class: "badge" }, t("seat.you")),
        isHost && h("span", { class: "badge" }, icon("crown"), t("seat.host")),
        seat.bot && h("span", { class: "badge" }, t("seat.bot")),
        seat.player && !seat.online && h("span", { class: "badge badge-warn" }, t("seat.offline")),
        seat.player &&
          h(
            "span",
            { class: seat.ready ? "badge badge-good" : "badge" },
            t(seat.ready ? "seat.ready" : "seat.notReady"),
          ),
      ),
    ),
    seatTools(app, seating, seat, index),
  );
}

/** What a host, or somebody who looks for a seat, can do with one. */
function seatTools(
  /** @type {App} */ app,
  /** @type {Seating} */ seating,
  /** @type {any} */ seat,
  /** @type {number} */ index,
) {
  const { room } = seating;
  const mine = room.seat;
  if (mine === null) {
    return !seat.player && !app.seatedIn && (room.code || !room.view.options.private)
      ? h(
          "button",
          { class: "btn btn-small", type: "button", "data-testid": `sit-${index}`, onclick: () => seating.sit(index) },
          t("seat.sit"),
        )
      : null;
  }
  if (room.view.host !== mine || index === mine) return null;
  const name = seat.name || t("seat.number", { n: index + 1 });
  return h(
    "span",
    { class: "row seat-tools" },
    h(
      "button",
      {
        class: "btn btn-quiet btn-small",
        type: "button",
        "data-testid": `swap-${index}`,
        title: t("seat.swap", { name }),
        "aria-label": t("seat.swap", { name }),
        onclick: () => seating.swap(mine, index),
      },
      icon("swap"),
    ),
    seat.player &&
      h(
        "button",
        {
          class: "btn btn-quiet btn-small",
          type: "button",
          "data-testid": `kick-${index}`,
          title: t("seat.kick", { name }),
          "aria-label": t("seat.kick", { name }),
          onclick: async () => {
            const isSure =
              seat.bot || (await app.confirm(t("kick.title"), t("kick.text", { name }), t("kick.yes"), true));
            if (isSure) seating.kick(index);
          },
        },
        icon("close"),
      ),
  );
}

function buttons(/** @type {App} */ app, /** @type {Seating} */ seating, /** @type {boolean} */ hasFree) {
  const { room } = seating;
  const { seat, view } = room;
  if (seat === null) return null;
  const isReady = view.seats[seat].ready;
  const isHost = view.host === seat;
  const again = view.gameNo > 0;
  return h(
    "div",
    { class: "row gather-buttons" },
    h(
      "button",
      {
        class: isReady ? "btn" : "btn btn-primary",
        type: "button",
        "data-testid": "ready",
        "aria-pressed": isReady,
        disabled: app.connection.phase !== "open",
        onclick: () => seating.ready(!isReady),
      },
      isReady ? icon("check") : null,
      t(isReady ? "ready.undo" : again ? "ready.again" : "ready.go"),
    ),
    hasFree &&
      isHost &&
      h(
        "button",
        {
          class: "btn",
          type: "button",
          "data-testid": "add-bots",
          disabled: app.connection.phase !== "open",
          onclick: () => seating.addBots(),
        },
        icon("bot"),
        t("bots.add"),
      ),
    isReady && h("p", { class: "small soft", role: "status" }, t(hasFree ? "ready.waitSeats" : "ready.waitOthers")),
  );
}
