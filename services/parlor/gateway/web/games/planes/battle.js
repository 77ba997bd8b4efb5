// @ts-check
/** One board of the battle: what is known of it, and, where it is the one shot at, how a shot is chosen. */

import { grid, sheet } from "./board.js";
import { localOf, setShootsAtOnce, shootsAtOnce } from "./local.js";
import { drawNote, drawScorch, drawShot, drawTarget, toneOf } from "./marks.js";
import { noteListeners, turnNote, wasNoted } from "./notes.js";
import { drawPlane } from "./plane.js";
import { cellIndex, cellName, cellsOf, SIZE } from "./shape.js";
import { fallenOf, fleetOf, isAsked, isPlayer, ownSeat, shotsAt } from "./sides.js";

/** Whether a shot may be sent now. @param {any} ctx @returns {boolean} */
export const mayShoot = (ctx) => ctx.live && isAsked(ctx, "ATTACK") && !ctx.pending;

/** @param {any} ctx @param {number} owner whose board @param {string} label */
export function battleBoard(ctx, owner, label) {
  const local = localOf(ctx);
  const shots = shotsAt(ctx, owner);
  const planes = planesOf(ctx, owner);
  const cells = planes.flatMap((/** @type {any} */ { plane }) => cellsOf(plane));
  const covered = new Set(cells.map((/** @type {any} */ { x, y }) => cellIndex(x, y)));
  const isTarget = isPlayer(ctx) && owner !== ownSeat(ctx) && !ctx.others;
  const notes = isTarget ? local.notes : new Map();
  const describe = (/** @type {number} */ x, /** @type {number} */ y) => {
    const index = cellIndex(x, y);
    const shot = shots.get(index);
    return [
      covered.has(index) && ctx.t("planes.cell.plane"),
      shot && ctx.t(`planes.cell.${toneOf(shot.result)}`),
      !shot && notes.has(index) && ctx.t(`planes.note.${notes.get(index)}`),
    ].filter(Boolean).join(", ");
  };
  const moves = {
    label, describe,
    cursor: local.cursors[owner],
    move: (/** @type {number} */ index) => {
      local.cursors[owner] = index;
      ctx.redraw();
    },
  };
  return sheet(ctx, {
    drawing: drawing(ctx, { owner, planes, shots, notes, isTarget }),
    over: grid(ctx, isTarget ? { ...moves, ...targeting(ctx, shots) } : moves),
  });
}

/** Shoots at the chosen cell. @param {any} ctx */
export function fire(ctx) {
  const { target } = localOf(ctx);
  if (target !== null && mayShoot(ctx)) shoot(ctx, Math.floor(target / SIZE), target % SIZE);
}

/** The chosen cell, as long as a shot at it is to come. @param {any} ctx @returns {number | null} */
export function targetOf(ctx) {
  const { target } = localOf(ctx);
  const isOpen = target !== null && !ctx.view.table.ending && !shotsAt(ctx, 1 - ownSeat(ctx)).has(target);
  return isOpen ? target : null;
}

/** Chooses the cell that a good player would shoot at; that no advice came is said, for the player waits for it. @param {any} ctx */
export async function hint(ctx) {
  const local = localOf(ctx);
  const { prompt } = ctx.view;
  if (!prompt || local.hinting) return;
  local.hinting = true;
  local.unhinted = null;
  ctx.redraw();
  const answer = await ctx.ask("Advise", { view: ctx.view }).catch(() => null);
  const attack = answer?.action?.attack;
  if (attack) {
    local.target = cellIndex(attack.x, attack.y);
    local.cursors[1 - ownSeat(ctx)] = local.target;
  } else {
    local.unhinted = prompt.decision;
  }
  local.hinting = false;
  ctx.redraw();
}

/** Whether a hint for the shot that is asked for now was asked for in vain. @param {any} ctx */
export const isUnhinted = (ctx) => isAsked(ctx, "ATTACK") && localOf(ctx).unhinted === ctx.view.prompt.decision;

/** @param {any} ctx */
export function toggleAtOnce(ctx) {
  setShootsAtOnce(ctx, !shootsAtOnce(ctx));
  ctx.redraw();
}

/** @param {any} ctx */
export function toggleNoting(ctx) {
  const local = localOf(ctx);
  local.noting = !local.noting;
  ctx.redraw();
}

/** What the cells of the target board do. */
function targeting(/** @type {any} */ ctx, /** @type {any} */ shots) {
  const local = localOf(ctx);
  const isFree = (/** @type {number} */ x, /** @type {number} */ y) => !shots.has(cellIndex(x, y));
  return {
    press: (/** @type {number} */ x, /** @type {number} */ y, /** @type {any} */ event) => {
      if (wasNoted(ctx) || !isFree(x, y)) return;
      if (local.noting) return turnNote(ctx, x, y);
      const index = cellIndex(x, y);
      // A key has walked here on purpose, and a second press confirms the first.
      const isSure = event.detail === 0 || shootsAtOnce(ctx) || local.target === index;
      local.target = index;
      // Who chooses alone waits for no advice any more.
      local.unhinted = null;
      if (isSure && mayShoot(ctx)) shoot(ctx, x, y);
      else ctx.redraw();
    },
    cell: (/** @type {number} */ x, /** @type {number} */ y) => ({
      "aria-selected": local.target === cellIndex(x, y) && isFree(x, y),
      "aria-disabled": isFree(x, y) ? null : "true",
      "data-act": isFree(x, y) && shootsAtOnce(ctx) && mayShoot(ctx) && !local.noting ? "attack" : null,
    }),
    listeners: noteListeners(ctx, isFree),
  };
}

async function shoot(/** @type {any} */ ctx, /** @type {number} */ x, /** @type {number} */ y) {
  const local = localOf(ctx);
  local.target = cellIndex(x, y);
  if (await ctx.act({ attack: { x, y } })) {
    if (local.target === cellIndex(x, y)) local.target = null;
    local.notes.delete(cellIndex(x, y));
    ctx.redraw();
  }
}

/** The planes to draw: the fleet where it is known, else those that fell and show themselves. */
function planesOf(/** @type {any} */ ctx, /** @type {number} */ owner) {
  const fallen = new Set(ctx.view.table.boards[owner].revealed.map((/** @type {any} */ { x, y }) => cellName(x, y)));
  const fleet = fleetOf(ctx, owner);
  return (fleet.length ? fleet : fallenOf(ctx, owner)).map((/** @type {any} */ plane) => ({
    plane, isFallen: fallen.has(cellName(plane.x, plane.y)),
  }));
}

function drawing(/** @type {any} */ ctx, /** @type {any} */ { owner, planes, shots, notes, isTarget }) {
  const { svg } = ctx;
  const local = localOf(ctx);
  const newest = ctx.view.table.boards[owner].shots.length - 1;
  const sent = isTarget ? ctx.pending?.attack : null;
  const target = isTarget ? targetOf(ctx) : null;
  return [
    [...shots.values()].map((shot) => drawScorch(svg, shot)),
    planes.map((/** @type {any} */ { plane, isFallen }, /** @type {number} */ n) => (
      drawPlane(svg, plane, { key: n, tone: isFallen ? "fallen" : "" }))),
    [...shots.values()].map((shot, n) => drawShot(svg, shot, n === newest)),
    [...notes].filter(([index]) => !shots.has(index))
      .map(([index, note]) => drawNote(svg, Math.floor(index / SIZE), index % SIZE, note)),
    local.near !== null && local.near.owner === owner && svg("rect", {
      key: "near", class: "planes-near", x: local.near.y * 10, y: local.near.x * 10, width: 10, height: 10,
    }),
    sent ? drawTarget(svg, sent.x, sent.y, true)
      : target !== null && drawTarget(svg, Math.floor(target / SIZE), target % SIZE, false),
  ];
}
