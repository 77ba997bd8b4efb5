// @ts-check
/** Who is who: the two boards as the player, a spectator or a replay looks at them. */

import { cellIndex, cellName } from "./shape.js";

/** The seat whose fleet is shown as one's own; a spectator sits behind seat 0. @param {any} ctx @returns {number} */
export const ownSeat = (ctx) => ctx.seat ?? 0;

/** @param {any} ctx @returns {boolean} */
export const isPlayer = (ctx) => ctx.seat !== null && ctx.seat !== undefined;

/** Whether the reader plays there; who looks at a replay is told of every seat by its name. @param {any} ctx @param {number} seat @returns {boolean} */
export const isYou = (ctx, seat) => isPlayer(ctx) && ctx.seat === seat && !ctx.others;

/**
 * The planes of a seat as far as they may be seen; in a replay every seat's own view shows them.
 * @param {any} ctx @param {number} owner
 * @returns {import("./shape.js").Plane[]}
 */
export function fleetOf(ctx, owner) {
  const shown = ctx.view.fleets[owner].planes;
  return shown.length || !ctx.others ? shown : ctx.others[owner]?.fleets[owner].planes ?? [];
}

/**
 * The fallen planes of a board that show which way they lay, so that they can be drawn.
 * @param {any} ctx @param {number} owner
 */
export function fallenOf(ctx, owner) {
  return ctx.view.table.boards[owner].revealed.filter((/** @type {any} */ { direction }) => direction !== "PLANES_DIRECTION_UNSPECIFIED");
}

/** @param {any} ctx @param {number} owner @returns {Map<number, {x: number, y: number, result: string}>} by cell */
export function shotsAt(ctx, owner) {
  return new Map(ctx.view.table.boards[owner].shots.map((/** @type {any} */ shot) => [cellIndex(shot.x, shot.y), shot]));
}

/** What the table asks the player, where it can be answered here. @param {any} ctx @param {string} question */
export function isAsked(ctx, question) {
  return ctx.view.prompt?.question === `PLANES_QUESTION_${question}` && !ctx.others;
}

/** A plane in words. @param {any} ctx @param {import("./shape.js").Plane} plane @param {number} number from 0 */
export function planeText(ctx, { x, y, direction }, number) {
  return ctx.t("planes.handle", { n: number + 1, cell: cellName(x, y), nose: ctx.t(`planes.nose.${direction}`) });
}
