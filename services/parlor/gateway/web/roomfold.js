// @ts-check
/**
 * What the room's own events make of its view; the games fold theirs. Pure: a view is never changed in place.
 *
 * It must agree with `parlor.client.folding`, which the tests compare it with.
 */

/** How many lines of chat a view keeps. */
export const CHAT_LINES = 50;

/**
 * The view after one event of the room, as `player` sees it; an event of a game leaves it as it is.
 *
 * @param {any} view RoomView JSON
 * @param {any} event Event JSON
 * @param {string} player
 * @returns {any}
 */
export function foldRoom(view, event, player) {
  if (event.seatChanged) {
    const { seat, content } = event.seatChanged;
    const seats = view.seats.map((/** @type {any} */ each, /** @type {number} */ index) =>
      index === seat ? content : each,
    );
    return { ...without(view, "seat"), seats, ...seatOf(seats, player) };
  }
  if (event.hostChanged) {
    const { host } = event.hostChanged;
    return { ...without(view, "host"), ...(host === undefined ? {} : { host }) };
  }
  if (event.readyOpened) {
    const { commitment, readyTime } = event.readyOpened;
    const seats = view.seats.map((/** @type {any} */ each) => ({ ...each, ready: false }));
    return { ...without(view, "readyTime"), seats, commitment, ...(readyTime ? { readyTime } : {}) };
  }
  if (event.gameStarted) {
    const { gameNo, commitment } = event.gameStarted;
    return { ...without(view, "readyTime"), status: "ROOM_STATUS_PLAYING", gameNo, commitment };
  }
  if (event.gameEnded) {
    return { ...without(view, "dissolve"), status: "ROOM_STATUS_FINISHED", result: event.gameEnded.result };
  }
  if (event.dissolveChanged) {
    const { vote } = event.dissolveChanged;
    return { ...without(view, "dissolve"), ...(vote ? { dissolve: vote } : {}) };
  }
  if (event.optionsChanged) {
    const { config, options } = event.optionsChanged;
    return { ...view, config, options };
  }
  if (event.roomClosed) {
    const faulted = event.roomClosed.reason === "CLOSE_REASON_FAULTED";
    return { ...view, code: "", ...(faulted ? { status: "ROOM_STATUS_FAULTED" } : {}) };
  }
  return view;
}

/**
 * The view with another line of chat, without the oldest beyond `CHAT_LINES`.
 *
 * @param {any} view
 * @param {any} line
 */
export function addChat(view, line) {
  if (view.chat.some((/** @type {any} */ known) => known.number === line.number)) return view;
  return { ...view, chat: [...view.chat, line].slice(-CHAT_LINES) };
}

/** The receiver's seat: the last that the player holds; nothing for a spectator. */
function seatOf(/** @type {any[]} */ seats, /** @type {string} */ player) {
  const seat = seats.findLastIndex((each) => each.player === player);
  return seat < 0 ? {} : { seat };
}

function without(/** @type {any} */ view, /** @type {string} */ field) {
  const { [field]: _, ...rest } = view;
  return rest;
}
