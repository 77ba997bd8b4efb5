// @ts-check
/** Shortcuts that are open now; what the focused board does with arrows and Enter is its own. */

import { fire, hint, mayShoot, targetOf } from "./battle.js";
import { layOut } from "./check.js";
import { localOf } from "./local.js";
import { turnNote } from "./notes.js";
import { mayPlace, place, turn } from "./placing.js";
import { SIZE } from "./shape.js";
import { isAsked, isPlayer, ownSeat, shotsAt } from "./sides.js";
import { swapBoards } from "./table.js";

/** @param {any} ctx @returns {{key: string, label: string, run: () => void}[]} */
export function keys(ctx) {
  if (!ctx.view) return [];
  const shortcut = (/** @type {any} */ key, /** @type {string} */ word, /** @type {any} */ run) => ({ key, label: ctx.t(word), run });
  if (isAsked(ctx, "PLACE")) {
    return [
      shortcut("r", "planes.turn", () => turn(ctx)),
      shortcut("n", "planes.random", () => layOut(ctx)),
      ...(mayPlace(ctx) ? [shortcut("p", "planes.place", () => place(ctx))] : []),
    ];
  }
  const swap = shortcut("x", "planes.swap", () => swapBoards(ctx));
  if (!isPlayer(ctx) || ctx.others || ctx.view.table.ending) return [swap];
  return [
    ...(mayShoot(ctx) && targetOf(ctx) !== null ? [shortcut("f", "planes.fire", () => fire(ctx))] : []),
    ...(mayShoot(ctx) ? [shortcut("h", "planes.hint", () => hint(ctx))] : []),
    shortcut("m", "planes.notes.turn", () => noteAtCursor(ctx)),
    swap,
  ];
}

function noteAtCursor(/** @type {any} */ ctx) {
  const other = 1 - ownSeat(ctx);
  const cell = localOf(ctx).cursors[other];
  if (!shotsAt(ctx, other).has(cell)) turnNote(ctx, Math.floor(cell / SIZE), cell % SIZE);
}
