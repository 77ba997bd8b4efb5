// @ts-check
/** The ways to a table and away from it. */

import { bring } from "../games/index.js";
import { t } from "../words.js";
import { leads } from "./party.js";

/** @typedef {import("../app.js").App} App */

/**
 * Asks to be matched: alone, or with all of the party that the player leads.
 *
 * @param {App} app
 * @param {import("../games/index.js").Kind} kind
 * @param {any} config
 */
export function quickMatch(app, kind, config) {
  app.local.matching = { kind, config };
  bring(kind);
  const party = leads(app) ? app.client.party.code : "";
  return app.attempt(() => app.client.enqueue({ [kind]: config }, party));
}

/** Waits for a match no longer. @param {App} app */
export function cancelMatch(app) {
  return app.attempt(() => app.client.dequeue());
}

/**
 * Opens a table and sits down at it, with bots in the other seats where wanted.
 *
 * @param {App} app
 * @param {import("../games/index.js").Kind} kind
 * @param {any} config
 * @param {{spectators: boolean, private: boolean}} options
 * @param {boolean} [bots]
 */
export function openRoom(app, kind, config, options, bots = false) {
  bring(kind);
  return app.attempt(async () => {
    await app.sit(await app.client.openRoom({ [kind]: config }, options));
    if (bots) await app.seating?.startWithBots();
  });
}

/**
 * Sits down at the table with a code, or at the one of a link.
 *
 * @param {App} app
 * @param {{code?: string, roomId?: string, linkToken?: string}} way
 */
export function join(app, { code = "", roomId = "", linkToken = "" }) {
  app.local.joinError = "";
  const { client } = app;
  return app.attempt(
    async () => await app.sit(await (linkToken ? client.joinByLink(roomId, linkToken) : client.join(code))),
    (text, refused) => {
      app.local.joinError = text;
      app.local.joinWatch = refused.watchable;
    },
  );
}

/** Looks at a table, from the own seat where there is one. @param {App} app @param {string} roomId */
export function watch(app, roomId) {
  if (app.seating?.room.roomId === roomId) return;
  return app.attempt(
    async () => {
      const { rooms } = app.client;
      const room = await rooms.watch({ roomId });
      await bring(room.kind);
      if (isWatching(app, roomId)) await (room.seat === null ? app.look(room) : app.sit(room));
      // Who has gone on meanwhile does not look at it.
      else if (room.seat === null && app.seating?.room !== room) rooms.unwatch(roomId);
    },
    () => isWatching(app, roomId) && app.show({ page: "lobby" }),
  );
}

function isWatching(/** @type {App} */ { route }, /** @type {string} */ roomId) {
  return route.page === "watch" && route.roomId === roomId;
}

/** Leaves the table that is shown: the seat, where there is one. @param {App} app */
export async function leave(app) {
  const { seating } = app;
  if (!seating) return;
  const { room } = seating;
  if (room.seat !== null && !room.closed && !room.lost) {
    const text = room.view.status === "ROOM_STATUS_PLAYING" ? "leave.text.playing" : "leave.text";
    if (!(await app.confirm(t("leave.title"), t(text), t("leave.yes"), true))) return;
    if (!(await seating.leave())) return;
  }
  app.rise();
  if (app.seatedIn === room.roomId) app.seatedIn = "";
  app.show({ page: "lobby" });
}
