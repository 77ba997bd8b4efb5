// @ts-check
/** What one audience knows of a game, event by event: `rules/planes/view.py` in the JSON form. */

import { after, blank, put } from "./chronicle.js";
import { spanMs, toInstant, toMs } from "./times.js";

const NO_FLEET = { planes: [] };

/**
 * The view of a game that has just begun, before its first event.
 * @param {any} config PlanesConfig, all of it set
 * @param {number | null} seat null for a spectator
 * @returns {any} PlanesView
 */
export function before(config, seat) {
  const view = { config, table: blank(), fleets: [NO_FLEET, NO_FLEET], decision: 0, maySurrender: false };
  return seat === null ? view : { ...view, seat };
}

/**
 * The view after an event that its audience received.
 * @param {any} view PlanesView
 * @param {any} event PlanesEvent: one branch
 * @returns {any} PlanesView
 */
export function fold(view, event) {
  const [branch] = Object.keys(event);
  const content = event[branch];
  const seen = { ...view, table: after(view.table, branch, content) };
  switch (branch) {
    case "gameStarted":
      seen.config = content.config;
      seen.fleets = [NO_FLEET, NO_FLEET];
      seen.decision = content.decision;
      break;
    case "planePlaced":
      seen.fleets = put(view.fleets, content.seat, { planes: [...view.fleets[content.seat].planes, content.plane] });
      break;
    case "turnStarted":
      seen.decision = content.decision || view.decision;
      break;
    case "ended":
      seen.fleets = content.fleets;
      break;
  }
  return prompted(seen);
}

/** The view with what the table asks its seat, which follows from the rest. */
function prompted(/** @type {any} */ seen) {
  const { seat, table, decision } = seen;
  delete seen.prompt;
  seen.maySurrender = seat !== undefined && table.phase !== "PLANES_PHASE_OVER";
  if (seat === undefined) return seen;
  if (table.placingExpireTime && !table.placed[seat]) {
    seen.prompt = { question: "PLANES_QUESTION_PLACE", decision, expireTime: table.placingExpireTime };
  } else if (table.turn?.seat === seat) {
    seen.prompt = { question: "PLANES_QUESTION_ATTACK", decision };
    const due = dueOf(table.turn);
    if (due) seen.prompt.expireTime = due;
  }
  return seen;
}

/**
 * When a turn runs out; null while its clock stands still.
 * @param {any} turn PlanesTurn
 * @returns {string | null}
 */
export function dueOf(turn) {
  return turn.paused ? null : toInstant(toMs(turn.changeTime) + spanMs(turn.remaining));
}
