// @ts-check
/** Looking at a replay: loading it, and letting it run. */

import { guarded } from "../faults.js";
import { bring } from "../games/index.js";
import { Refused } from "../requests.js";
import { reasonText } from "../reasons.js";
import { drawing, nameOf } from "../table/context.js";
import { isKept } from "../table/verify.js";
import { t } from "../words.js";
import { Player } from "./player.js";

const STEP_MS = 1_100;

export class Viewing {
  /** @param {import("../app.js").App} app @param {string} roomId @param {number} gameNo */
  constructor(app, roomId, gameNo) {
    this.app = app;
    this.roomId = roomId;
    this.gameNo = gameNo;
    /** @type {Player | null} */
    this.player = null;
    /** Whether the shuffle was what had been promised; null while that is not known. @type {boolean | null} */
    this.kept = null;
    this.error = "";
    this.timer = 0;
    this.load();
  }

  /** Loads the replay; again, after it failed. */
  async load() {
    this.error = "";
    try {
      const replay = await this.app.client.replay(this.roomId, this.gameNo);
      const player = new Player(replay, this.app.me?.player ?? "");
      await bring(player.kind);
      this.player = player;
      this.app.redraw();
      this.kept = await isKept(replay.start.commitment, replay.result.seed);
    } catch (error) {
      this.error = error instanceof Refused ? reasonText(error) : t("replay.broken");
    }
    this.app.redraw();
  }

  /** @param {number} step */
  go(step) {
    this.player?.go(step);
    if (this.player?.step === this.player?.length) this.pause();
    for (const sentence of this.sentences()) this.app.speaker.say(sentence);
    this.app.redraw();
  }

  /** @param {number} seat */
  lookFrom(seat) {
    if (!this.player) return;
    this.player.seat = seat;
    this.player.local = {};
    this.app.redraw();
  }

  get isRunning() {
    return this.timer !== 0;
  }

  /** Lets it run, from the beginning where it stands at the end. */
  run() {
    if (!this.player || this.isRunning) return;
    if (this.player.step === this.player.length) this.player.go(0);
    this.timer = this.app.window.setInterval(() => this.go((this.player?.step ?? 0) + 1), STEP_MS);
    this.app.redraw();
  }

  pause() {
    this.app.window.clearInterval(this.timer);
    this.timer = 0;
    this.app.redraw();
  }

  /** What happened in the last step, as sentences. @returns {string[]} */
  sentences() {
    const { player } = this;
    if (!player?.scene) return [];
    const ctx = this.context;
    return player
      .events()
      .map((event) => guarded(() => player.scene?.announce(event, ctx), null) ?? "")
      .filter(Boolean);
  }

  /** What the game's module draws with: the same shape as at a live table, with nothing to be done. */
  get context() {
    const player = /** @type {Player} */ (this.player);
    const views = player.viewsAt();
    const room = player.room();
    return {
      ...drawing(this.app),
      // It was the time of the step, and nobody is in a hurry any more.
      now: () => Date.parse(player.time() ?? ""),
      countdown: () => null,
      room,
      view: views[player.seat],
      seat: player.seat,
      others: { ...views },
      mine: false,
      live: false,
      pending: null,
      local: player.local,
      name: (/** @type {number} */ seat) => nameOf(room, seat),
      act: async () => false,
      ask: async () => Promise.reject(new Refused({ reason: "ERROR_REASON_WRONG_STATUS" })),
    };
  }

  /** @returns {{key: string, label: string, run: () => void}[]} */
  keys() {
    const step = this.player?.step ?? 0;
    return [
      { key: "ArrowRight", label: t("replay.next"), run: () => this.go(step + 1) },
      { key: "ArrowLeft", label: t("replay.prev"), run: () => this.go(step - 1) },
      { key: " ", label: t("replay.play"), run: () => (this.isRunning ? this.pause() : this.run()) },
    ];
  }
}
