// @ts-check
/** The rooms that a session follows, and those that it has asked for. */

import { PASSING, Refused, retryAfter, SessionOver } from "./requests.js";
import { Room } from "./room.js";

const AGAIN_MS = 250;

/**
 * @typedef {{send: (frame: any) => boolean, after: (ms: number, fn: () => void) => void, player: () => string,
 *   happened: (room: Room, event: any, before: any) => void, changed: (room: Room) => void}} RoomsParts
 * @typedef {{watch: any, resolve: (room: Room) => void, reject: (error: Error) => void}} Asked
 */

export class Rooms {
  /** @param {RoomsParts} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {Map<string, Room>} */
    this.followed = new Map();
    /** Asked for and not come; the first is on its way, for a refusal does not always say what it refuses. @type {Asked[]} */
    this.asked = [];
    /** Where a room stood when a beat said that the server is ahead of it. @type {Map<string, number>} */
    this.behind = new Map();
    /** Rooms let go: a view of one may still have been on its way. @type {Set<string>} */
    this.left = new Set();
  }

  /** From where a new connection goes on. */
  positions() {
    return [...this.followed.values()].slice(-8).map((room) => room.position);
  }

  /** A new connection was told every position, and what is missing comes by itself. */
  resumed() {
    this.behind.clear();
    for (const room of this.followed.values()) room.repairing = false;
    if (this.asked.length) this.parts.send({ watch: this.asked[0].watch });
  }

  /**
   * The room with this id or code, followed from now on. Rejects with `Refused` or `SessionOver`.
   *
   * @param {{roomId?: string, code?: string}} watch
   * @returns {Promise<Room>}
   */
  watch(watch) {
    this.left.delete(watch.roomId ?? "");
    const known = this.followed.get(watch.roomId ?? "");
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.asked.push({ watch, resolve, reject });
      if (this.asked.length === 1) this.parts.send({ watch });
    });
  }

  /** Follows it no longer. @param {string} roomId */
  unwatch(roomId) {
    this.left.add(roomId);
    if (!this.followed.delete(roomId)) return;
    this.parts.send({ unwatch: { roomId } });
    // A code that is on its way may be that of this very room, which would be let go with the answer.
    if (this.asked[0]?.watch.code) this.parts.send({ watch: this.asked[0].watch });
  }

  /** Nothing will come any more. */
  end() {
    for (const asked of this.asked.splice(0)) asked.reject(new SessionOver());
    this.followed.clear();
    this.left.clear();
  }

  /** Gives a frame to its room. @param {any} frame */
  take(frame) {
    if (frame.view) this.#takeView(frame.view);
    else if (frame.entry) this.#takeEntry(frame.entry);
    else if (frame.chat) this.followed.get(frame.chat.roomId)?.takeChat(frame.chat.line);
    else if (frame.heartbeat) this.#takeHeads(frame.heartbeat.heads);
    else if (frame.refusal) this.#takeRefusal(frame.refusal);
  }

  #takeView(/** @type {any} */ view) {
    let room = this.followed.get(view.roomId);
    const isAsked = this.asked.some(({ watch }) => watch.code || watch.roomId === view.roomId);
    if (!room && !isAsked && this.left.has(view.roomId) && view.seat === undefined) return;
    this.left.delete(view.roomId);
    if (room) {
      room.takeView(view);
    } else {
      room = new Room({ ...this.parts, askAgain: (each, position) => this.#askAgain(each, position) }, view);
      this.followed.set(view.roomId, room);
    }
    if (this.asked.length && answers(view, this.asked[0].watch)) {
      const arrived = room;
      this.#answered((asked) => asked.resolve(arrived));
    }
  }

  #takeEntry(/** @type {any} */ entry) {
    const room = this.followed.get(entry.roomId);
    room?.takeEntry(entry);
    if (room?.closed) this.followed.delete(room.roomId);
  }

  /** Two beats in which nothing came, and the server is ahead: something was lost. */
  #takeHeads(/** @type {any[]} */ heads) {
    const behind = new Map();
    for (const head of heads) {
      const room = this.followed.get(head.roomId);
      if (!room || head.seq <= room.view.seq) continue;
      if (this.behind.get(head.roomId) === room.view.seq) room.miss();
      behind.set(head.roomId, room.view.seq);
    }
    this.behind = behind;
  }

  #takeRefusal(/** @type {any} */ refusal) {
    const room = this.followed.get(refusal.metadata?.room_id ?? "");
    if (room && PASSING.has(refusal.reason)) {
      // The gateway has let go of the room until its engine, or the store, is back.
      this.parts.after(Math.max(AGAIN_MS, retryAfter(refusal)), () => this.#askAgain(room, room.position));
    } else if (room) {
      this.followed.delete(room.roomId);
      room.lost = refusal;
      this.parts.changed(room);
    } else if (this.asked.length && PASSING.has(refusal.reason)) {
      const [{ watch }] = this.asked;
      this.parts.after(Math.max(AGAIN_MS, retryAfter(refusal)), () => {
        if (this.asked[0]?.watch === watch) this.parts.send({ watch });
      });
    } else {
      this.#answered((asked) => asked.reject(new Refused(refusal)));
    }
  }

  #answered(/** @type {(asked: Asked) => void} */ answer) {
    const asked = this.asked.shift();
    if (asked) answer(asked);
    if (this.asked.length) this.parts.send({ watch: this.asked[0].watch });
  }

  /** Without a position the whole view comes. */
  #askAgain(/** @type {Room} */ room, /** @type {any} */ position) {
    if (this.followed.get(room.roomId) === room) this.parts.send({ watch: { roomId: room.roomId, position } });
  }
}

/**
 * Whether a view is that of the room asked for. A spectator of a private room is not told its code: such a view answers
 * a code, whether the room is new or was watched before.
 */
function answers(/** @type {any} */ view, /** @type {any} */ watch) {
  if (watch.roomId) return watch.roomId === view.roomId;
  return view.code ? view.code === watch.code : view.seat === undefined;
}
