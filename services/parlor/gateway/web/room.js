// @ts-check
/** One followed room: where this page stands in it, and how it looks. */

import { guarded } from "./faults.js";
import { kindOf, KINDS, sceneOf } from "./games/index.js";
import { addChat, foldRoom } from "./roomfold.js";

/** @typedef {{askAgain: (room: Room, position: any) => void, happened: (room: Room, event: any, before: any) => void,
 *   changed: (room: Room) => void, player: () => string}} RoomParts */

export class Room {
  /**
   * @param {RoomParts} parts
   * @param {any} first RoomView JSON
   */
  constructor(parts, first) {
    this.parts = parts;
    this.roomId = first.roomId;
    /** All but the game, as folded. @type {any} */
    this.view = null;
    /** The game as its rules see it; null before the first deal. @type {any} */
    this.game = null;
    /** What `kindOf` says of its config. */
    this.kind = kindOf(first.config);
    /** The code by which one may sit down, as far as it is known: a private room tells it only to who sits there. */
    this.code = "";
    /** Whether the room is gone (`closed`), or closed to this player (`lost`, with the refusal). */
    this.closed = false;
    /** A CloseReason, once it has closed. */
    this.whyClosed = "";
    /** @type {any} */
    this.lost = null;
    /** Whether the store lost what this page had seen: it went back in time. */
    this.rewound = false;
    this.repairing = false;
    /** The commitment to each game's seed as it was first given; null where it was changed. @type {Map<number, string | null>} */
    this.promised = new Map();
    this.takeView(first);
  }

  /** @returns {number | null} */
  get seat() {
    return this.view.seat ?? null;
  }

  /** What was last received. */
  get position() {
    return { roomId: this.roomId, seq: this.view.seq, token: this.view.token };
  }

  /** The rules of its game, as this client plays it; null for a kind that a newer server has. */
  get rules() {
    return this.kind && KINDS[this.kind];
  }

  /** What draws its game; undefined where that could not be brought. */
  get scene() {
    return sceneOf(this.kind);
  }

  /** Replaces what is known, unless that is newer. @param {any} view */
  takeView(view) {
    const sameAudience = this.view !== null && (view.seat ?? null) === this.seat;
    if (!view.rewound && sameAudience && view.seq < this.view.seq) return;
    this.rewound = view.rewound && this.view !== null;
    this.repairing = false;
    const { [this.kind ?? ""]: game, ...rest } = view;
    this.view = rest;
    this.game = game ?? null;
    this.code = view.code || this.code;
    this.#promise(view.gameNo + (view.status === "ROOM_STATUS_PLAYING" ? 0 : 1), view.commitment);
    this.parts.changed(this);
  }

  /** Folds the step that follows the position; asks for what is missing before one that does not. @param {any} entry */
  takeEntry(entry) {
    if (entry.seq <= this.view.seq) return;
    if (entry.seq > this.view.seq + 1) return this.miss();
    this.repairing = false;
    this.rewound = false;
    this.view = { ...this.view, seq: entry.seq, token: entry.token };
    for (const event of entry.events) {
      const before = this.view;
      this.#fold(event);
      this.parts.happened(this, event, before);
    }
    this.parts.changed(this);
  }

  /** @param {any} line */
  takeChat(line) {
    const before = this.view;
    this.view = addChat(this.view, line);
    if (this.view === before) return;
    // Chat is numbered on its own, so that no entry shows that a line was lost: the whole view has it.
    const last = before.chat.at(-1)?.number ?? 0;
    if (line.number > last + 1) this.parts.askAgain(this, undefined);
    this.parts.happened(this, { chat: line }, before);
    this.parts.changed(this);
  }

  /** Something behind the position is missing: asked for once. */
  miss() {
    if (this.repairing) return;
    this.repairing = true;
    this.parts.askAgain(this, this.position);
  }

  #fold(/** @type {any} */ event) {
    this.view = foldRoom(this.view, event, this.parts.player());
    if (event.readyOpened) this.#promise(this.view.gameNo + 1, event.readyOpened.commitment);
    if (event.roomClosed) {
      this.closed = true;
      this.whyClosed = event.roomClosed.reason;
    }
    if (event.gameStarted) {
      this.#promise(event.gameStarted.gameNo, event.gameStarted.commitment);
      this.game = this.rules?.before(this.view.config[this.kind ?? ""], this.seat) ?? null;
    }
    const own = this.kind && event[this.kind];
    if (own && this.game) this.game = guarded(() => this.rules?.fold(this.game, own), undefined) ?? this.#anew();
  }

  /** An event that this page cannot fold, perhaps of a newer server: the whole view says what came of it. */
  #anew() {
    this.parts.askAgain(this, undefined);
    return this.game;
  }

  #promise(/** @type {number} */ gameNo, /** @type {string} */ commitment) {
    const known = this.promised.get(gameNo);
    if (known === undefined) this.promised.set(gameNo, commitment);
    else if (known !== commitment) this.promised.set(gameNo, null);
  }
}
