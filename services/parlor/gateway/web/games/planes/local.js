// @ts-check
/** What the table keeps beside the view while it is open: the fleet being laid out, the aim, private notes. */

/**
 * @typedef {{
 *   game: string,
 *   fleet: import("./shape.js").Plane[] | null,
 *   chosen: number,
 *   drag: {from: import("./shape.js").Plane, x: number, y: number, moved: boolean, wasChosen: boolean} | null,
 *   byPointer: boolean,
 *   laying: boolean,
 *   unadvised: boolean,
 *   verdicts: Map<string, import("./check.js").Verdict>,
 *   checking: string | null,
 *   target: number | null,
 *   cursors: [number, number],
 *   notes: Map<number, string>,
 *   noting: boolean,
 *   front: "own" | "target" | null,
 *   press: {timer: any, done: boolean} | null,
 *   near: {owner: number, x: number, y: number} | null,
 *   hinting: boolean,
 *   unhinted: number | null,
 *   surrendering: boolean,
 * }} Local
 */

/**
 * The table's own state; a new game begins with a new one, but the player's way of shooting stays.
 * @param {any} ctx
 * @returns {Local}
 */
export function localOf(ctx) {
  const game = ctx.view.table.startTime;
  if (ctx.local.planes?.game !== game) ctx.local.planes = fresh(game);
  return ctx.local.planes;
}

/** Whether one press on a cell shoots, or chooses it first. @param {any} ctx @returns {boolean} */
export const shootsAtOnce = (ctx) => ctx.local.planesAtOnce === true;

/** @param {any} ctx @param {boolean} atOnce */
export function setShootsAtOnce(ctx, atOnce) {
  ctx.local.planesAtOnce = atOnce;
}

/** @param {string} game @returns {Local} */
function fresh(game) {
  return {
    game,
    fleet: null,
    chosen: 0,
    drag: null,
    byPointer: false,
    laying: false,
    unadvised: false,
    verdicts: new Map(),
    checking: null,
    target: null,
    cursors: [0, 0],
    notes: new Map(),
    noting: false,
    front: null,
    press: null,
    near: null,
    hinting: false,
    unhinted: null,
    surrendering: false,
  };
}
