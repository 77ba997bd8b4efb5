// @ts-check
/** One player's session: its connection, its requests, its rooms and its ticket, put together. */

import { ServerClock } from "./clock.js";
import { Connection } from "./connection.js";
import { askRules, loadReplay } from "./http.js";
import { Refused, Requests } from "./requests.js";
import { Rooms } from "./rooms.js";

/**
 * @typedef {{url: string, open: (url: string, protocols: string[]) => any, world: import("./connection.js").World,
 *   newId: () => string, changed: () => void, happened: (room: import("./room.js").Room, event: any, before: any) => void,
 *   roomChanged: (room: import("./room.js").Room) => void, welcomed: (welcome: any) => void}} ClientParts
 */

export class Client {
  /** @param {ClientParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.token = "";
    /** What the newest connection was welcomed with. @type {any} */
    this.welcome = null;
    /** The server that this page began with; another one means that a newer page may be there. */
    this.firstServer = "";
    /** The ticket as it was last heard of; null without one. @type {any} */
    this.ticket = null;
    /** The party as it was last heard of; null without one. @type {any} */
    this.party = null;
    /** The maintenance that is planned or has begun; null without one. @type {any} */
    this.maintenance = null;
    this.clock = new ServerClock(parts.world.now);
    this.connection = new Connection({
      url: parts.url,
      open: parts.open,
      world: parts.world,
      token: () => this.token,
      positions: () => this.rooms.positions(),
      welcomed: (welcome) => this.#welcomed(welcome),
      heard: (frame) => this.#heard(frame),
      changed: parts.changed,
    });
    const send = (/** @type {any} */ frame) => this.connection.send(frame);
    this.requests = new Requests(send, parts.world);
    this.rooms = new Rooms({
      send,
      after: (ms, fn) => parts.world.setTimeout(fn, ms),
      player: () => this.welcome?.player ?? "",
      happened: parts.happened,
      changed: parts.roomChanged,
    });
  }

  /** Whether the server has been replaced by another release since the page was loaded. */
  get isOld() {
    return this.welcome !== null && this.welcome.server !== this.firstServer;
  }

  /** Opens the session of a token. @param {string} token */
  begin(token) {
    this.token = token;
    this.connection.start();
  }

  /** Ends the session. */
  end() {
    // First, for what is told of the end asks whether there is a session.
    this.token = "";
    this.connection.stop();
    this.requests.end();
    this.rooms.end();
    this.ticket = null;
    this.party = null;
    this.welcome = null;
    this.maintenance = null;
  }

  /**
   * Sends a command about a room until it is answered. Rejects with `Refused` or `SessionOver`.
   *
   * @param {string} roomId
   * @param {Record<string, any>} command one branch of Command
   */
  async command(roomId, command) {
    const requestId = this.parts.newId();
    const answer = await this.requests.ask(requestId, { command: { requestId, roomId, ...command } });
    return answer.accepted;
  }

  /**
   * Opens a room and takes its first seat.
   *
   * @param {any} config GameConfig JSON
   * @param {{spectators: boolean, private: boolean}} options
   * @returns {Promise<import("./room.js").Room>}
   */
  async openRoom(config, options) {
    const requestId = this.parts.newId();
    const answer = await this.requests.ask(requestId, { openRoom: { requestId, config, options, join: true } });
    return this.rooms.watch({ roomId: answer.opened.roomId });
  }

  /**
   * The room with this code, with a seat in it, also where nobody else may look.
   *
   * @param {string} code
   * @returns {Promise<import("./room.js").Room>}
   */
  async join(code) {
    const followed = new Set(this.rooms.followed.keys());
    const known = [...this.rooms.followed.values()].find((room) => room.code === code);
    let roomId = known?.roomId ?? "";
    try {
      roomId ||= (await this.rooms.watch({ code })).roomId;
    } catch (error) {
      const refused = /** @type {import("./requests.js").Refused} */ (error);
      if (refused.reason !== "ERROR_REASON_NO_SPECTATORS" || !refused.metadata.room_id) throw error;
      roomId = refused.metadata.room_id;
    }
    const room = this.rooms.followed.get(roomId);
    return room && room.seat !== null ? room : this.#sit(roomId, { code }, followed.has(roomId));
  }

  /**
   * The room of a link, with a seat in it.
   *
   * @param {string} roomId
   * @param {string} linkToken
   * @returns {Promise<import("./room.js").Room>}
   */
  joinByLink(roomId, linkToken) {
    return this.#sit(roomId, { linkToken }, this.rooms.followed.has(roomId));
  }

  /** Sits down; a room in which no seat is to be had is followed only where it was before. */
  async #sit(/** @type {string} */ roomId, /** @type {any} */ join, /** @type {boolean} */ wasFollowed) {
    try {
      await this.command(roomId, { join });
    } catch (error) {
      if (isRefused(error, "ROOM_FULL") || isRefused(error, "WRONG_STATUS")) {
        const { rooms } = this;
        const mayWatch = await rooms.watch({ roomId }).then(
          () => true,
          () => false,
        );
        /** @type {Refused} */ (error).watchable = mayWatch ? roomId : "";
      }
      if (!wasFollowed) this.rooms.unwatch(roomId);
      throw error;
    }
    return this.rooms.watch({ roomId });
  }

  /**
   * Asks to be matched.
   *
   * @param {any} config GameConfig JSON
   * @param {string} [partyCode] of the party that the player leads, to come with all of it
   */
  async enqueue(config, partyCode = "") {
    const requestId = this.parts.newId();
    this.ticket = null;
    await this.requests.ask(requestId, { enqueue: { requestId, config, partyCode } });
  }

  /** Gives the ticket back; one that is gone already is given back. */
  async dequeue() {
    const requestId = this.parts.newId();
    try {
      await this.requests.ask(requestId, { dequeue: { requestId } });
    } catch (error) {
      if (!isRefused(error, "TICKET_NOT_FOUND")) throw error;
      // An answer that was lost said so, or it ended by itself.
      if (isWaiting(this.ticket)) this.ticket = { ...this.ticket, state: "TICKET_STATE_CANCELLED" };
      this.parts.changed();
    }
  }

  /** Begins a party, or gives the one that the player leads. */
  createParty() {
    return this.#party("createParty", {});
  }

  /** @param {string} code */
  joinParty(code) {
    return this.#party("joinParty", { code });
  }

  /** Leaves the party, or takes another out of it; who is in none has left it. @param {string} [member] */
  async leaveParty(member = "") {
    try {
      await this.#party("leaveParty", { member });
    } catch (error) {
      if (member || !isRefused(error, "PARTY_NOT_FOUND")) throw error;
      this.party = null;
      this.parts.changed();
    }
  }

  async #party(/** @type {string} */ branch, /** @type {any} */ request) {
    const requestId = this.parts.newId();
    const answer = await this.requests.ask(requestId, { [branch]: { requestId, ...request } });
    this.#takeParty(answer.party);
  }

  /** An answer and a frame may come in either order. */
  #takeParty(/** @type {any} */ party) {
    const isOld = this.party?.code === party.code && Number(party.version) < Number(this.party.version);
    const isIn = party.members.some((/** @type {any} */ each) => each.player === this.welcome?.player);
    if (!isOld) this.party = party.code && isIn ? party : null;
  }

  /** A question to the rules of a game. @param {string} kind @param {string} method @param {any} body */
  ask(kind, method, body) {
    return askRules(this.token, kind, method, body);
  }

  /** The replay of a finished game. @param {string} roomId @param {number} gameNo */
  replay(roomId, gameNo) {
    return loadReplay(this.token, roomId, gameNo);
  }

  #plan(/** @type {any} */ maintenance) {
    this.maintenance = maintenance.startTime ? maintenance : null;
    const left = Date.parse(maintenance.startTime) - this.clock.now();
    // What is said of it changes when it begins. A timer takes 24 days at most.
    if (left > 0 && left < 2 ** 31) this.parts.world.setTimeout(this.parts.changed, left + 1);
  }

  #welcomed(/** @type {any} */ welcome) {
    this.welcome = welcome;
    // What is planned is told behind each welcome.
    this.maintenance = null;
    this.firstServer ||= welcome.server;
    this.clock.heard(welcome.serverTime);
    // Where there still is one, it follows.
    this.party = null;
    if (welcome.ticket) {
      this.ticket = welcome.ticket;
    } else if (isWaiting(this.ticket)) {
      // A ticket that is not mentioned any more has ended while nobody listened.
      const state = welcome.roomId ? "TICKET_STATE_ASSIGNED" : "TICKET_STATE_CANCELLED";
      this.ticket = { ...this.ticket, state, roomId: welcome.roomId };
    }
    this.rooms.resumed();
    this.requests.resumed();
    this.parts.welcomed(welcome);
  }

  #heard(/** @type {any} */ frame) {
    if (frame.answer) this.requests.take(frame.answer);
    else if (frame.ticket) this.ticket = frame.ticket;
    else if (frame.party) this.#takeParty(frame.party);
    else if (frame.maintenance) this.#plan(frame.maintenance);
    else this.rooms.take(frame);
    if (frame.heartbeat) this.clock.heard(frame.heartbeat.serverTime);
    else this.parts.changed();
  }
}

/** Whether a request was refused for this reason. @param {unknown} error @param {string} reason */
function isRefused(error, reason) {
  return error instanceof Refused && error.reason === `ERROR_REASON_${reason}`;
}

/** Whether a ticket still waits for opponents or for its room. @param {any} ticket TicketUpdate JSON */
export function isWaiting(ticket) {
  return ticket?.state === "TICKET_STATE_WAITING" || ticket?.state === "TICKET_STATE_MATCHED";
}
