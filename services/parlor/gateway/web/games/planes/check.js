// @ts-check
/**
 * Whether a fleet may be placed: the rules service says so, and every answer is kept.
 *
 * One question is on its way at a time. While it is, a plane may move on; then the newest fleet is asked about next,
 * so that a drag across the board asks for no more than the line carries.
 */

import { localOf } from "./local.js";

/** @typedef {{state: "fits" | "refused" | "checking" | "unknown", reason: string, blamed: number[]}} Verdict */

/** @type {Verdict} */
const CHECKING = { state: "checking", reason: "", blamed: [] };
/** @type {Verdict} No answer came; the table itself will say at the latest. */
const UNKNOWN = { state: "unknown", reason: "", blamed: [] };
/** @type {Verdict} */
const FITS = { state: "fits", reason: "", blamed: [] };

/** Stands in where no layout could be asked for; the player moves it anyway. */
const FORMATION = [
  { x: 0, y: 2, direction: "PLANES_DIRECTION_UP" },
  { x: 0, y: 7, direction: "PLANES_DIRECTION_UP" },
  { x: 9, y: 4, direction: "PLANES_DIRECTION_DOWN" },
];

/**
 * What is known of the fleet on the board; asks where nothing is.
 * @param {any} ctx
 * @returns {Verdict}
 */
export function verdict(ctx) {
  const local = localOf(ctx);
  if (!local.fleet) return CHECKING;
  const key = keyOf(local.fleet);
  const known = local.verdicts.get(key);
  if (known) return known;
  if (local.checking === null) ask(ctx, local, key);
  return CHECKING;
}

/** Asks for a whole layout and puts it on the board. @param {any} ctx */
export async function layOut(ctx) {
  const local = localOf(ctx);
  if (local.laying) return;
  local.laying = true;
  local.unadvised = false;
  try {
    const { action } = await ctx.ask("Advise", { view: ctx.view });
    if (!local.drag) local.fleet = action.place.planes.map((/** @type {any} */ { x, y, direction }) => ({ x, y, direction }));
    if (local.fleet) local.verdicts.set(keyOf(action.place.planes), FITS);
  } catch {
    local.fleet ??= FORMATION;
    local.unadvised = true;
  }
  local.laying = false;
  ctx.redraw();
}

async function ask(/** @type {any} */ ctx, /** @type {any} */ local, /** @type {any} */ key) {
  local.checking = key;
  try {
    const answer = await ctx.ask("Validate", { planes: local.fleet });
    const refused = answer.blamed.length > 0;
    local.verdicts.set(key, refused ? { state: "refused", reason: answer.reason, blamed: answer.blamed } : FITS);
  } catch {
    local.verdicts.set(key, UNKNOWN);
  }
  local.checking = null;
  ctx.redraw();
}

/** In the order of the planes, for the blame names them by their places. */
const keyOf = (/** @type {any} */ fleet) => fleet.map((/** @type {any} */ { x, y, direction }) => `${x}${y}${direction}`).join();
