// @ts-check
/**
 * One WebSocket after the other: says hello, keeps alive, notices silence, and comes back by itself after random,
 * growing pauses until the server says that the session is over.
 */

import { PASSING, retryAfter } from "./requests.js";

/** Version of the protocol that this client speaks. */
export const PROTOCOL = 1;
const SUBPROTOCOL = "parlor.v1.json";
const CLIENT = "parlor-web/1";

const OPEN_MS = 8_000;
const BEATS_TO_DEATH = 3;
const WAKE_MS = 4_000;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** After a server that answers and cannot let anybody in yet: one that wants more rest says so. */
const LONGEST_REFUSED_MS = 1_000;

/**
 * `connecting` until the first welcome, `open`, `away` between two connections, `over` for good (`goodbye` says why;
 * `outdated` where the server speaks another protocol), `idle` before the start.
 *
 * @typedef {{phase: "idle" | "connecting" | "open" | "away" | "over", retryAt: number, goodbye: any,
 *   outdated: boolean}} State
 * @typedef {{now: () => number, random: () => number, setTimeout: (fn: () => void, ms: number) => any,
 *   clearTimeout: (timer: any) => void}} World
 * @typedef {{url: string, open: (url: string, protocols: string[]) => any, world: World, token: () => string,
 *   positions: () => any[], welcomed: (welcome: any) => void, heard: (frame: any) => void,
 *   changed: () => void}} Parts
 */

/** A session's connection. */
export class Connection {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {State} */
    this.state = { phase: "idle", retryAt: 0, goodbye: null, outdated: false };
    /** @type {any} */
    this.socket = null;
    this.pause = SHORTEST_PAUSE_MS;
    this.beatMs = 5_000;
    this.silentAt = 0;
    /** By what they are for. @type {Record<string, any>} */
    this.timers = {};
  }

  /** Connects; again after `stop`, or to take the session back from another page. */
  start() {
    if (this.state.phase !== "idle" && this.state.phase !== "over") return;
    this.pause = SHORTEST_PAUSE_MS;
    this.#move({ phase: "connecting", goodbye: null, outdated: false });
    this.#connect();
  }

  /** Ends it without a word. */
  stop() {
    this.#drop();
    this.#move({ phase: "idle", goodbye: null, outdated: false });
  }

  /**
   * Looks after the connection now: the device woke up, or its network changed. A connection that seems open has to
   * answer soon; one that waits to connect again does so at once.
   */
  nudge() {
    if (this.state.phase === "open") {
      this.silentAt = Math.min(this.silentAt, this.parts.world.now() + WAKE_MS);
      this.send({ ping: {} });
      this.#listen();
    } else if ("retry" in this.timers) {
      this.#connect();
    }
  }

  /** Sends a frame. @param {any} frame @returns {boolean} whether there is a connection to send it over */
  send(frame) {
    if (this.state.phase !== "open") return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  #connect() {
    const { parts } = this;
    this.#clear();
    const socket = (this.socket = parts.open(parts.url, [SUBPROTOCOL]));
    const mine = (/** @type {(event: any) => void} */ fn) => (/** @type {any} */ event) => {
      if (this.socket === socket) fn(event);
    };
    socket.onopen = mine(() => {
      const hello = { token: parts.token(), protocol: PROTOCOL, client: CLIENT, positions: parts.positions() };
      socket.send(JSON.stringify({ hello }));
    });
    socket.onmessage = mine((event) => this.#take(event.data));
    socket.onclose = mine(() => this.#lost(0));
    this.silentAt = parts.world.now() + OPEN_MS;
    this.#listen();
  }

  #take(/** @type {any} */ data) {
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return this.#lost(0);
    }
    this.silentAt = this.parts.world.now() + BEATS_TO_DEATH * this.beatMs;
    if (frame.goodbye) return this.#parted(frame.goodbye);
    if (!frame.welcome) return this.parts.heard(frame);
    if (frame.welcome.protocol !== PROTOCOL) return this.#end(null, true);
    this.beatMs = Math.max(frame.welcome.heartbeatMs, 1_000);
    this.pause = SHORTEST_PAUSE_MS;
    this.#move({ phase: "open" });
    this.#beat();
    this.parts.welcomed(frame.welcome);
  }

  /** Pings once a beat, so that the server knows that this page lives. */
  #beat() {
    const beat = () => {
      this.send({ ping: {} });
      this.#arm("beat", this.beatMs, beat);
    };
    this.#arm("beat", this.beatMs, beat);
  }

  /** Gives the connection up once nothing was heard for too long. Timers of hidden pages come late, never early. */
  #listen() {
    const left = this.silentAt - this.parts.world.now();
    if (left <= 0) this.#lost(0);
    else this.#arm("listen", left, () => this.#listen());
  }

  #parted(/** @type {any} */ goodbye) {
    const { reason, refusal } = goodbye;
    const passing = PASSING.has(refusal?.reason);
    if (reason === "GOODBYE_REASON_REPLACED") return this.#end(goodbye, false);
    if (reason === "GOODBYE_REASON_REFUSED" && !passing) {
      return this.#end(goodbye, refusal?.reason === "ERROR_REASON_UNSUPPORTED_PROTOCOL");
    }
    this.pause = Math.min(this.pause, LONGEST_REFUSED_MS);
    this.#lost(goodbye.retryAfterMs || retryAfter(refusal), reason === "GOODBYE_REASON_DRAINING");
  }

  /** Another connection may do better: at once where the server only moves, else after a pause. */
  #lost(/** @type {number} */ wait, atOnce = false) {
    const { world } = this.parts;
    this.#drop();
    const pause = atOnce ? 0 : this.pause * (0.5 + world.random() / 2);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    const phase = this.state.phase === "connecting" ? "connecting" : "away";
    this.#move({ phase, retryAt: world.now() + wait + pause });
    this.#arm("retry", wait + pause, () => this.#connect());
  }

  #end(/** @type {any} */ goodbye, /** @type {boolean} */ outdated) {
    this.#drop();
    this.#move({ phase: "over", goodbye, outdated });
  }

  #drop() {
    this.#clear();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  #clear() {
    for (const name of Object.keys(this.timers)) this.#disarm(name);
  }

  #arm(/** @type {string} */ name, /** @type {number} */ ms, /** @type {() => void} */ fn) {
    this.#disarm(name);
    this.timers[name] = this.parts.world.setTimeout(fn, ms);
  }

  #disarm(/** @type {string} */ name) {
    if (name in this.timers) this.parts.world.clearTimeout(this.timers[name]);
    delete this.timers[name];
  }

  #move(/** @type {Partial<State>} */ change) {
    this.state = { ...this.state, ...change };
    this.parts.changed();
  }
}
