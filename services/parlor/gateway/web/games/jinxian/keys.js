// @ts-check
/** The keys that are open now, wherever the focus is. */

import { askHint } from "./hint.js";
import { asked, choices, discard, lifted, mayDiscard, step } from "./moves.js";
import { say, tileName } from "./words.js";

/** @typedef {Record<string, any>} Json */
/** @typedef {{key: string, label: string, run: () => void}} Shortcut */

/** @param {Json} ctx @returns {Shortcut[]} */
export function keys(ctx) {
  const asking = asked(ctx);
  if (asking === null || !ctx.live || ctx.pending) return [];
  const chosen = choices(ctx).map((one) => ({ key: one.key, label: one.full, run: () => void ctx.act(one.action) }));
  const hint = asking === "CONTINUE" ? [] : [{ key: "h", label: say(ctx, "act.hint"), run: () => void askHint(ctx) }];
  return [...chosen, ...hint, ...tiles(ctx)];
}

/** Choosing a tile and discarding it. @returns {Shortcut[]} */
function tiles(/** @type {Json} */ ctx) {
  if (!mayDiscard(ctx)) return [];
  const tile = lifted(ctx);
  return [
    { key: "ArrowLeft", label: say(ctx, "key.left"), run: () => step(ctx, -1) },
    { key: "ArrowRight", label: say(ctx, "key.right"), run: () => step(ctx, 1) },
    ...(tile ? [{ key: "Enter", label: say(ctx, "act.discardTile", { tile: tileName(ctx, tile.kind) }), run: () => void discard(ctx, tile) }] : []),
  ];
}
