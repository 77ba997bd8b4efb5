// @ts-check
/** What a game's module is given to draw with: the same shape for a live table, a watched one and a replay. */

import { h, svg } from "../ui/dom.js";
import { countdown } from "../ui/countdown.js";
import { lang, t } from "../words.js";

/** The name of a seat's player as text. @param {any} view RoomView JSON @param {number} seat @returns {string} */
export function nameOf(view, seat) {
  return view.seats[seat]?.name || t("seat.number", { n: seat + 1 });
}

/**
 * The context of a live table.
 *
 * @param {import("../app.js").App} app
 * @param {import("./seating.js").Seating} seating
 */
export function liveContext(app, seating) {
  const { room } = seating;
  const mine = room.view.status === "ROOM_STATUS_PLAYING" && room.seat !== null;
  return {
    ...drawing(app),
    room: room.view,
    view: room.game,
    seat: room.seat,
    others: null,
    // Whether a hand and questions of one's own are drawn, however the connection is.
    mine,
    // Whether something may be pressed. While the connection is away it may: it is sent when that is back.
    live: mine && app.connection.phase !== "over",
    pending: seating.sent?.action ?? null,
    local: seating.local,
    name: (/** @type {number} */ seat) => nameOf(room.view, seat),
    act: (/** @type {any} */ action, /** @type {number | undefined} */ decision) => seating.act(action, decision),
    ask: (/** @type {string} */ method, /** @type {any} */ body) => app.client.ask(room.kind ?? "", method, body),
  };
}

/**
 * What every context has.
 *
 * @param {import("../app.js").App} app
 */
export function drawing(app) {
  return {
    h,
    svg,
    t,
    lang: lang(),
    now: app.now,
    countdown: (/** @type {string} */ instant, /** @type {any} */ about) => countdown(app.now, instant, about),
    confirm: (/** @type {string} */ text) => app.confirm(t("confirm.title"), text, t("confirm.yes"), true),
    redraw: app.redraw,
    reduced: app.reduced,
  };
}
