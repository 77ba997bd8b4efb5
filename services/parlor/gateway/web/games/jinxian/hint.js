// @ts-check
/** Asking the rules service what a good player would do: once per decision, and shown by choosing it. */

import { choices, own } from "./moves.js";
import { say, tileName } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** The advice for what is asked now; null before it was asked for. @param {Json} ctx @returns {{state: "asking" | "failed" | "given", action?: Json} | null} */
export function advice(ctx) {
  const { hint } = ctx.local;
  return hint && hint.decision === ctx.view.prompt?.decision ? hint : null;
}

/** Asks, unless it has been asked already, and chooses what is advised. @param {Json} ctx */
export async function askHint(ctx) {
  const { view, local } = ctx;
  const known = advice(ctx);
  if (known?.state === "asking") return;
  if (known?.state === "given") return choose(ctx, known.action ?? {});
  const hint = (local.hint = /** @type {Json} */ ({ decision: view.prompt.decision, state: "asking" }));
  ctx.redraw();
  try {
    const answer = await ctx.ask("Advise", { view });
    Object.assign(hint, { state: answer.action ? "given" : "failed", action: answer.action });
    if (answer.action && local.hint === hint) choose(ctx, answer.action);
  } catch {
    hint.state = "failed";
  }
  ctx.redraw();
}

/** Lifts the tile, or puts the focus on the button. */
function choose(/** @type {Json} */ ctx, /** @type {Json} */ action) {
  if (action.discard !== undefined) {
    const tiles = own(ctx.view).filter(({ kind }) => kind === action.discard);
    ctx.local.lifted = tiles[tiles.length - 1]?.key ?? null;
    return ctx.redraw();
  }
  const chosen = choices(ctx).find((one) => isSame(one, action));
  if (!chosen) return;
  /** @type {HTMLElement | null} */
  const button = document.querySelector(`.jx-actions [data-act="${chosen.act}"][data-value="${chosen.value}"]`);
  button?.focus();
}

/** Whether the advice is this choice. @param {import("./moves.js").Choice} one @param {Json | undefined} action */
export function isSame({ act, value }, action) {
  if (!action || !(act in action)) return false;
  if (act === "kong") return value === String(action.kong);
  return act !== "chow" || value.split(",").sort().join() === action.chow.tiles.map(String).sort().join();
}

/** The advice in words; null where there is none. @param {Json} ctx */
export function hintText(ctx) {
  const known = advice(ctx);
  if (!known || known.state === "asking") return null;
  if (known.state === "failed") return say(ctx, "hintFailed");
  const action = known.action ?? {};
  if (action.discard !== undefined) return say(ctx, "hint.act", { act: say(ctx, "act.discardTile", { tile: tileName(ctx, action.discard) }) });
  const chosen = choices(ctx).find((one) => isSame(one, action));
  return chosen ? say(ctx, "hint.act", { act: chosen.full }) : null;
}
