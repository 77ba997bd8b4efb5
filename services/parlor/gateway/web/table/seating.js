// @ts-check
/**
 * This page at one table: what it has asked for and not heard of, what has happened, and what the game's drawing
 * remembers.
 */

import { guarded } from "../faults.js";
import { Refused, SessionOver } from "../requests.js";
import { reasonText } from "../reasons.js";
import { t } from "../words.js";
import { liveContext } from "./context.js";
import { roomSentence } from "./sentences.js";
import { isKept, toBase64 } from "./verify.js";

/** Actions that answer no decision. */
const UNASKED = ["surrender", "autoplay", "show", "stopAutoplay"];

/** @typedef {import("../app.js").App} App */

export class Seating {
  /**
   * @param {App} app
   * @param {import("../room.js").Room} room
   * @param {import("./chronicle.js").Chronicle} chronicle
   */
  constructor(app, room, chronicle) {
    this.app = app;
    this.room = room;
    this.chronicle = chronicle;
    /** The action that is on its way, and the number of the entry that brings it. @type {{action: any, seq: number | null} | null} */
    this.sent = null;
    /** What the game's drawing remembers, until the next game. @type {Record<string, any>} */
    this.local = {};
    /** The options that the host is choosing for the next game; null for those of the table. @type {any} */
    this.draft = null;
    /** By game: whether its shuffle was checked; null where it cannot be. @type {Map<number, boolean | null>} */
    this.kept = new Map();
    this.unread = 0;
    /** Whether chat and log are shown where there is no room for them beside the table. */
    this.sideOpen = false;
    /** What was last asked of this seat. */
    this.decision = 0;
    /** Whether the game has said what is asked of it since. */
    this.isTold = false;
    this.wasSeated = room.seat !== null;
    this.changed();
  }

  /** What the game's own module is given to draw with. */
  get context() {
    return liveContext(this.app, this);
  }

  /** The game's keyboard shortcuts that are open now. @returns {{key: string, label: string, run: () => void}[]} */
  keys() {
    const { scene, game } = this.room;
    return scene && game ? guarded(() => scene.keys(this.context) ?? [], []) : [];
  }

  toggleSide() {
    this.sideOpen = !this.sideOpen;
    this.unread = 0;
    this.app.redraw();
    // The focus goes along with what covers the table, and back.
    this.app.focus(this.sideOpen ? ".side-close" : ".chat-toggle");
  }

  // What is done.

  /**
   * Acts in the game.
   *
   * @param {any} action one branch of the game's Action
   * @param {number} [decision] what it answers; else the prompt's
   * @returns {Promise<boolean>} whether it was accepted
   */
  async act(action, decision) {
    const { room } = this;
    if (this.sent || !room.kind) return false;
    const mine = (this.sent = { action, seq: /** @type {number | null} */ (null) });
    this.app.redraw();
    try {
      const act = { decision: decision ?? decisionOf(action, room.game), [room.kind]: action };
      const accepted = await this.app.client.command(room.roomId, { act });
      // The answer may be faster than the entry; until that is here the move still shows as on its way.
      mine.seq = accepted.seq;
      this.#settle();
      return true;
    } catch (error) {
      if (this.sent === mine) this.sent = null;
      this.#refused(error);
      return false;
    } finally {
      this.app.redraw();
    }
  }

  /** @param {boolean} ready */
  ready(ready) {
    const entropy = toBase64(crypto.getRandomValues(new Uint8Array(16)));
    return this.#command({ ready: ready ? { ready, entropy } : { ready } });
  }

  /** Fills the table with bots and is ready itself, so that the game begins. */
  async startWithBots() {
    if (await this.addBots()) await this.ready(true);
  }

  addBots() {
    return this.#command({ addBots: { count: 0 } });
  }

  /** @param {number} seat */
  sit(seat) {
    return this.#command({ join: { seat, code: this.room.code } });
  }

  leave() {
    return this.#command({ leave: {} }, ["ERROR_REASON_NOT_SEATED", "ERROR_REASON_ROOM_NOT_FOUND"]);
  }

  /** @param {number} seat */
  kick(seat) {
    return this.#command({ kick: { seat } });
  }

  /** @param {number} first @param {number} second */
  swap(first, second) {
    return this.#command({ swapSeats: { first, second } });
  }

  /** Plays the next game with other options. @param {any} config of the game, JSON */
  setOptions(config) {
    return this.#command({ setOptions: { config: { [this.room.kind ?? ""]: config } } });
  }

  /** @param {boolean} agree */
  dissolve(agree) {
    return this.#command({ dissolve: { agree } });
  }

  /** @param {string} text */
  say(text) {
    return this.#command({ say: { text } });
  }

  /** @returns {Promise<boolean>} */
  async #command(/** @type {any} */ command, /** @type {string[]} */ fine = []) {
    try {
      await this.app.client.command(this.room.roomId, command);
      return true;
    } catch (error) {
      if (error instanceof Refused && fine.includes(error.reason)) return true;
      this.#refused(error);
      return false;
    }
  }

  #refused(/** @type {unknown} */ error) {
    if (error instanceof Refused) this.app.speaker.show(reasonText(error), "bad");
    else if (!(error instanceof SessionOver)) throw error;
  }

  // What is heard.

  /**
   * Something happened, and the room already shows it.
   *
   * @param {any} event Event JSON, or `{chat: ChatLine}`
   * @param {any} before the room's view before it
   */
  happened(event, before) {
    if (event.gameStarted) this.local = {};
    const sentence = guarded(() => this.#sentence(event, before), null);
    if (event.chat && event.chat.player !== this.app.me?.player && !this.sideOpen) this.unread += 1;
    if (!sentence) return;
    if (!event.chat) this.chronicle.add(sentence);
    if (this.#isQuiet(event)) return;
    this.isTold ||= this.#ownOf(event) !== undefined;
    this.app.speaker.say(sentence);
  }

  /** The room has changed. */
  changed() {
    const { room } = this;
    this.#settle();
    const decision = room.game?.prompt?.decision ?? 0;
    // A question that comes with a step, its game puts into words; one that comes with a whole view nobody does.
    if (decision && decision !== this.decision && !this.isTold && room.view.status === "ROOM_STATUS_PLAYING") {
      this.app.speaker.say(t("turn.yours"));
    }
    this.decision = decision;
    this.isTold = false;
    if (room.rewound) this.app.speaker.show(t("room.rewound"), "bad");
    if (this.wasSeated && room.seat === null && !room.closed && this.app.seating === this) {
      this.app.speaker.show(t("room.unseated"), "bad");
    }
    this.wasSeated = room.seat !== null;
    this.#check();
  }

  #sentence(/** @type {any} */ event, /** @type {any} */ before) {
    const { scene } = this.room;
    const own = this.#ownOf(event);
    if (own) return scene?.announce(own, this.context) ?? null;
    // While a game runs its own events tell of who comes and goes, and how it ends.
    const isOwn = event.seatChanged || event.gameEnded;
    return scene && isOwn && before.status === "ROOM_STATUS_PLAYING" ? null : roomSentence(event, this.context, before);
  }

  /** Whether an event is for the log only. @returns {boolean} */
  #isQuiet(/** @type {any} */ event) {
    const own = this.#ownOf(event);
    return Boolean(own && this.room.scene?.isQuiet?.(own, this.context));
  }

  /** The game's part of an event; undefined where it is none of its. */
  #ownOf(/** @type {any} */ event) {
    return this.room.kind ? event[this.room.kind] : undefined;
  }

  /** A move is on its way until the room shows it. */
  #settle() {
    if (!this.sent || this.sent.seq === null) return;
    // What was accepted may be among what the store has lost.
    if (this.room.rewound || this.room.view.seq >= this.sent.seq) this.sent = null;
  }

  /** Checks the last game's shuffle, once. */
  async #check() {
    const { result } = this.room.view;
    if (!result || this.kept.has(result.gameNo)) return;
    this.kept.set(result.gameNo, null);
    this.kept.set(result.gameNo, await isKept(this.room.promised.get(result.gameNo), result.seed));
    this.app.redraw();
  }
}

function decisionOf(/** @type {any} */ action, /** @type {any} */ game) {
  if (UNASKED.some((branch) => branch in action)) return 0;
  if ("consent" in action) return game?.offer?.decision ?? 0;
  return game?.prompt?.decision ?? 0;
}
