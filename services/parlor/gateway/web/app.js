// @ts-check
/** The page's state and what can be done on it; `shell.js` and what it imports draw it. */

import { Client, isWaiting } from "./client.js";
import { bring } from "./games/index.js";
import { forgetToken, knownName, knownToken, rememberGiven } from "./identity.js";
import { join, watch } from "./lobby/errands.js";
import { reasonText } from "./reasons.js";
import { Refused } from "./requests.js";
import { format, parse } from "./routes.js";
import { Viewing } from "./replay/viewing.js";
import { Chronicle } from "./table/chronicle.js";
import { Seating } from "./table/seating.js";
import { toMain } from "./ui/focus.js";
import { Speaker } from "./ui/speaker.js";
import { t } from "./words.js";

/** @typedef {import("./room.js").Room} Room */
/** @typedef {import("./routes.js").Route} Route */
/** @typedef {{title: string, text: string, yes: string, danger: boolean, answer: (yes: boolean) => void}} Question */

/** Windows in which chat and log have a column of their own, as `table/table.css` has it. */
export const BESIDE = "(min-width: 68.75rem)";

export class App {
  /** The address of the place that was shown last; empty before the first. */
  #place = "";

  /**
   * @param {{window: any, url: string, open: (url: string, protocols: string[]) => any,
   *   world: import("./connection.js").World, newId: () => string, redraw: () => void}} parts
   */
  constructor(parts) {
    this.parts = parts;
    this.window = parts.window;
    this.redraw = parts.redraw;
    this.speaker = new Speaker(parts.redraw);
    this.client = new Client({
      url: parts.url,
      open: parts.open,
      world: parts.world,
      newId: parts.newId,
      changed: () => this.#moved(),
      welcomed: (welcome) => this.#welcomed(welcome),
      happened: (room, event, before) => this.seating?.room === room && this.seating.happened(event, before),
      roomChanged: (room) => this.#roomChanged(room),
    });
    /** @type {Route} */
    this.route = { page: "lobby" };
    /** The table that is shown; null in the lobby. @type {Seating | null} */
    this.seating = null;
    /** The room in which this player has a seat, as far as is known; empty without one. */
    this.seatedIn = "";
    /** What is shown over the page. @type {"" | "settings" | "invite" | "copy" | "keys"} */
    this.sheet = "";
    /** @type {Question | null} */
    this.question = null;
    /** What the parts of the page remember: what is typed, chosen, folded out. @type {Record<string, any>} */
    this.local = { name: knownName() };
    /** The replay that is shown. @type {Viewing | null} */
    this.replaying = null;
    /** Whether something is on its way that buttons wait for. */
    this.busy = false;
  }

  get connection() {
    return this.client.connection.state;
  }

  get me() {
    return this.client.welcome;
  }

  get now() {
    return () => this.client.clock.now();
  }

  get reduced() {
    return this.local.motion === "less" || this.window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** Whether chat and log lie over the table, which then waits. */
  get isCovered() {
    return this.#isAtTable && Boolean(this.seating?.sideOpen) && !this.window.matchMedia(BESIDE).matches;
  }

  get #isAtTable() {
    return this.route.page === "table" || this.route.page === "watch";
  }

  /** Forgets who played, and everything that belongs to that player. */
  forget() {
    forgetToken(this.client.token);
    this.#end();
  }

  /** Ends the session, and with it all that runs or is open because of it. */
  #end() {
    this.client.end();
    this.replaying?.pause();
    this.replaying = null;
    this.question?.answer(false);
    this.sheet = "";
    this.seating = null;
    this.seatedIn = "";
    const { name, motion, shortcuts } = this.local;
    this.local = { name, motion, shortcuts };
  }

  // Where one is.

  /** Goes somewhere in the page; the address follows. @param {Route} route */
  show(route) {
    const hash = format(route);
    this.sheet = "";
    const { history, location } = this.window;
    // Going back shall not sit down again.
    if (this.route.page === "join") history.replaceState(null, "", hash);
    else if (location.hash !== hash) history.pushState(null, "", hash);
    this.route = route;
    this.#arrive();
  }

  /** Goes where the address says, and plays by the token that stands in it: at first, by a link, or by the browser's buttons. */
  followAddress() {
    const { history, location } = this.window;
    const { route, token } = parse(location.hash);
    // A token in the address is read once and leaves it at once: it shall not be in the history or be copied with a link.
    if (location.hash && !location.hash.startsWith("#/")) history.replaceState(null, "", format(route));
    this.route = route;
    this.sheet = "";
    if (token) {
      rememberGiven(token);
      this.#end();
      this.client.begin(token);
    }
    if (route.code) this.local.code = route.code;
    this.#arrive();
  }

  /** Does what the place asks for, once there is a session. */
  #arrive() {
    const { route } = this;
    if (route.page === "lobby" || route.page === "join") this.#leaveWatching();
    if (this.me) {
      if (route.page === "join") join(this, route);
      else if (route.page === "watch") watch(this, route.roomId ?? "");
      else if (route.page === "table") this.#toOwnTable();
    }
    this.#showReplay();
    this.window.scrollTo?.(0, 0);
    this.redraw();
    const place = format(route);
    // A page that is opened begins at its beginning; then the focus goes along, for what had it may be gone.
    if (this.#place && this.#place !== place) this.focusMain();
    this.#place = place;
  }

  // What asks back.

  /**
   * Asks before something that cannot be taken back.
   *
   * @param {string} title
   * @param {string} text
   * @param {string} yes what the button says that does it
   * @param {boolean} [danger]
   * @returns {Promise<boolean>}
   */
  confirm(title, text, yes, danger = false) {
    this.question?.answer(false);
    return new Promise((resolve) => {
      const answer = (/** @type {boolean} */ said) => {
        this.question = null;
        this.redraw();
        resolve(said);
      };
      this.question = { title, text, yes, danger, answer };
      this.redraw();
    });
  }

  /**
   * Does something that can be refused, and shows why where it is.
   *
   * @param {() => Promise<any>} work
   * @param {(text: string, error: Refused) => void} [refused] where the reason is shown beside what was asked, too
   * @returns {Promise<boolean>} whether it was done
   */
  async attempt(work, refused) {
    this.busy = true;
    this.redraw();
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof Refused) {
        const text = reasonText(error);
        refused?.(text, error);
        this.speaker.show(text, "bad");
      }
      return false;
    } finally {
      this.busy = false;
      this.redraw();
    }
  }

  /** Moves the focus, once the page is drawn. @param {string} selector */
  focus(selector) {
    this.window.setTimeout(() => this.window.document.querySelector(selector)?.focus(), 0);
  }

  /** Moves the focus to the page's main part, once that is drawn: where a keyboard or a screen reader goes on. */
  focusMain() {
    this.window.setTimeout(() => toMain(this.window.document), 0);
  }

  // What comes from the server.

  #welcomed(/** @type {any} */ welcome) {
    const isFirst = !this.local.welcomed;
    this.local.welcomed = true;
    this.seatedIn = welcome.roomId;
    if (!isFirst) return this.speaker.show(t("banner.back"), "good");
    const { page } = this.route;
    if (welcome.roomId && (page === "lobby" || page === "table")) this.show({ page: "table" });
    else this.#arrive();
  }

  #moved() {
    const { ticket, connection } = this.client;
    const { assigned } = this.local;
    if (ticket?.state === "TICKET_STATE_ASSIGNED" && assigned?.roomId !== ticket.roomId) {
      this.local.assigned = ticket;
      this.seatedIn = ticket.roomId;
      this.local.matched = ticket.roomId;
      this.speaker.say(t("match.found"));
      this.show({ page: "table" });
    }
    if (isWaiting(ticket) && assigned?.ticketId === ticket.ticketId) this.#matchAgain(assigned.roomId);
    const { refusal } = connection.state.goodbye ?? {};
    if (refusal?.reason === "ERROR_REASON_INVALID_TOKEN" && this.client.token) this.#turnedAway();
    this.redraw();
  }

  /** The token is not taken any more: who came with one that was handed over goes on as this browser's guest, if it has one. */
  #turnedAway() {
    this.forget();
    const guest = knownToken();
    if (!guest) {
      this.local.signInError = t("reason.INVALID_TOKEN");
      return;
    }
    this.client.begin(guest);
    this.speaker.show(t("signin.asGuest"));
  }

  /** Somebody did not come to the table, and the others wait in front of the queue. */
  #matchAgain(/** @type {string} */ roomId) {
    this.local.assigned = null;
    if (this.seatedIn === roomId) this.seatedIn = "";
    if (this.seating?.room.roomId !== roomId) return;
    this.rise();
    this.speaker.show(t("match.again"));
    this.show({ page: "lobby" });
  }

  #roomChanged(/** @type {Room} */ room) {
    if (room.seat !== null && !room.closed && !room.lost) this.seatedIn = room.roomId;
    else if (this.seatedIn === room.roomId) this.seatedIn = "";
    if (this.seating?.room === room) this.seating.changed();
    this.redraw();
  }

  async #toOwnTable() {
    const shown = this.seating?.room;
    if (shown && shown.seat !== null && (!this.seatedIn || shown.roomId === this.seatedIn)) return;
    const roomId = this.seatedIn;
    if (!roomId) return this.show({ page: "lobby" });
    await this.attempt(
      async () => {
        await this.look(await this.client.rooms.watch({ roomId }));
        if (this.local.matched !== roomId) return;
        // Who asked for a match wants to play it; the time to say so is short.
        this.local.matched = "";
        await this.seating?.ready(true);
      },
      () => this.show({ page: "lobby" }),
    );
  }

  /** Shows a table at which this player has a seat. @param {Room} room */
  async sit(room) {
    await this.look(room);
    this.seatedIn = room.roomId;
    this.show({ page: "table" });
  }

  /** Shows a table, once there is what draws it. @param {Room} room */
  async look(room) {
    if (!room.scene) await bring(room.kind);
    if (this.seating?.room === room) return;
    this.seating = new Seating(this, room, new Chronicle());
    this.redraw();
    this.focusMain();
  }

  /** Shows no table any more, and gives up nothing but looking at it. */
  rise() {
    const room = this.seating?.room;
    if (room) this.client.rooms.unwatch(room.roomId);
    this.seating = null;
  }

  #leaveWatching() {
    if (this.seating?.room.seat === null) this.rise();
  }

  /** Back from a replay: to the table whose game it was, where that is still there. */
  closeReplay() {
    if (this.seating?.room.roomId === this.replaying?.roomId && this.seating) {
      return this.show(
        this.seating.room.seat === null ? { page: "watch", roomId: this.seating.room.roomId } : { page: "table" },
      );
    }
    this.show({ page: "lobby" });
  }

  #showReplay() {
    const { page, roomId, gameNo } = this.route;
    if (page !== "replay" || !this.me) {
      this.replaying?.pause();
      this.replaying = null;
    } else if (this.replaying?.roomId !== roomId || this.replaying?.gameNo !== gameNo) {
      this.replaying?.pause();
      this.replaying = new Viewing(this, roomId ?? "", gameNo ?? 0);
    }
  }

  /** The keyboard shortcuts of what is shown. @returns {{key: string, label: string, run: () => void}[]} */
  openKeys() {
    if (this.route.page === "replay") return this.replaying?.keys() ?? [];
    return this.#isAtTable ? (this.seating?.keys() ?? []) : [];
  }

  /** Whether the player waits for opponents. */
  get isMatching() {
    return isWaiting(this.client.ticket);
  }
}
