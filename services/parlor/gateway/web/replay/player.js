// @ts-check
/**
 * A finished game that can be stood at any step of. Pure but for the place where it stands: the views of all seats
 * are folded forward once and kept, for they are never changed.
 */

import { KINDS, kindOf, sceneOf } from "../games/index.js";

export class Player {
  /** @param {any} replay the answer of `GET /replay`: `{start, steps, result}` @param {string} me */
  constructor(replay, me) {
    this.start = replay.start;
    this.steps = replay.steps;
    this.result = replay.result;
    this.kind = kindOf(replay.start.config);
    this.rules = this.kind && KINDS[this.kind];
    const own = this.start.seats.findIndex((/** @type {any} */ seat) => seat.player === me);
    /** From whose seat it is looked at. */
    this.seat = Math.max(0, own);
    /** How many steps have been taken, 0 to `steps.length`; it begins after the deal, which is the first. */
    this.step = Math.min(1, this.steps.length);
    /** By steps taken, then by seat. @type {any[][]} */
    this.views = [this.start.seats.map((/** @type {any} */ seat) => seat[this.kind ?? ""])];
    /** What the game's drawing remembers. @type {Record<string, any>} */
    this.local = {};
  }

  /** What draws its game; undefined where that could not be brought. */
  get scene() {
    return sceneOf(this.kind);
  }

  get length() {
    return this.steps.length;
  }

  /** Stands after so many steps, or as near to that as there are. @param {number} step */
  go(step) {
    this.step = Math.min(this.length, Math.max(0, Math.round(step)));
    this.local = {};
  }

  /** The view of each seat after `step` steps. @param {number} [step] @returns {any[]} */
  viewsAt(step = this.step) {
    while (this.views.length <= step) {
      const before = this.views[this.views.length - 1];
      const { seats } = this.steps[this.views.length - 1];
      this.views.push(before.map((view, seat) => this.#folded(view, seats[seat]?.events ?? [])));
    }
    return this.views[step];
  }

  /** What the seat that is looked from saw in the last step taken. @returns {any[]} the game's own events */
  events() {
    if (this.step === 0) return [];
    const seen = this.steps[this.step - 1].seats[this.seat]?.events ?? [];
    return seen.map((/** @type {any} */ event) => event[this.kind ?? ""]).filter(Boolean);
  }

  /** When the last step taken happened. @returns {string | undefined} */
  time() {
    return this.step ? this.steps[this.step - 1].commitTime : this.start.startTime;
  }

  /** The room as it would have looked: what a game's drawing may ask of it. */
  room() {
    const isOver = this.step === this.length;
    return {
      roomId: this.start.roomId,
      gameNo: this.start.gameNo,
      config: this.start.config,
      seat: this.seat,
      seats: this.start.seats.map((/** @type {any} */ { player, name, bot }) => ({
        player,
        name,
        bot,
        ready: false,
        online: true,
      })),
      status: isOver ? "ROOM_STATUS_FINISHED" : "ROOM_STATUS_PLAYING",
      commitment: this.start.commitment,
      options: { spectators: false, private: true },
      chat: [],
      code: "",
      ...(isOver ? { result: this.result } : {}),
    };
  }

  #folded(/** @type {any} */ view, /** @type {any[]} */ events) {
    return events.reduce((folded, event) => {
      const own = event[this.kind ?? ""];
      return own && this.rules ? this.rules.fold(folded, own) : folded;
    }, view);
  }
}
