// @ts-check
/**
 * Private notes on the other's board: what a player suspects on a cell. They stay in this page and are told to nobody.
 *
 * A note goes round: a plane, a head, nothing there, no note. By right click, by a long press, by M on the cell, or by a
 * press while the pencil is taken up.
 */

import { at } from "./board.js";
import { localOf } from "./local.js";
import { cellIndex } from "./shape.js";

const ROUND = ["plane", "head", "empty"];
const LONG_MS = 450;

/** @param {any} ctx @param {number} x @param {number} y */
export function turnNote(ctx, x, y) {
  const { notes } = localOf(ctx);
  const index = cellIndex(x, y);
  const next = ROUND[ROUND.indexOf(notes.get(index) ?? "") + 1];
  if (next) notes.set(index, next);
  else notes.delete(index);
  ctx.redraw();
}

/**
 * Listeners of a grid whose cells can be noted on. A long press may or may not bring a context menu, which depends on
 * the system: whichever comes first takes the note, and the click that may follow is no press of the cell.
 * @param {any} ctx
 * @param {(x: number, y: number) => boolean} isOpen whether a note on the cell makes sense
 */
export function noteListeners(ctx, isOpen) {
  const local = localOf(ctx);
  const note = (/** @type {any} */ event) => at(event, (x, y) => isOpen(x, y) && turnNote(ctx, x, y));
  const letGo = () => clearTimeout(local.press?.timer);
  return {
    onpointerdown: (/** @type {any} */ event) => {
      letGo();
      local.press = { timer: null, done: false };
      if (event.pointerType === "mouse") return;
      const press = local.press;
      press.timer = setTimeout(() => {
        press.done = true;
        note(event);
      }, LONG_MS);
    },
    onpointerup: letGo,
    onpointercancel: letGo,
    onpointerleave: letGo,
    oncontextmenu: (/** @type {any} */ event) => {
      event.preventDefault();
      letGo();
      if (!local.press?.done) note(event);
      if (local.press) local.press.done = true;
    },
  };
}

/** Whether the click that arrives ends a press that has taken a note already. @param {any} ctx */
export function wasNoted(ctx) {
  const local = localOf(ctx);
  const noted = local.press?.done === true;
  local.press = null;
  return noted;
}
