// @ts-check
/** What the reader may do now, as the view's prompt says it, and doing it. */

import { held } from "./places.js";
import { bare, list, say, tileName, tileNames } from "./words.js";

/** @typedef {Record<string, any>} Json */

/**
 * @typedef {{act: string, value: string, action: Json, label: string, full: string, tiles: number[], points?: string, key: string}} Choice
 *   `act`: the branch of JinxianAction; `label` for the eye, `full` for the ear; `key`: the keyboard's
 */

const QUESTION = "JINXIAN_QUESTION_";

/** What this seat is asked, such as `TURN`; null where nothing is. @param {Json} ctx @returns {string | null} */
export const asked = (ctx) => (ctx.mine && ctx.view?.prompt ? bare(QUESTION, ctx.view.prompt.question) : null);

/** Whether a tile may be discarded now. @param {Json} ctx */
export const mayDiscard = (ctx) => ctx.live && !ctx.pending && ["TURN", "DISCARD"].includes(asked(ctx) ?? "");

/**
 * What may be pressed besides the tiles, the best first.
 * @param {Json} ctx
 * @returns {Choice[]}
 */
export function choices(ctx) {
  const question = asked(ctx);
  if (question === null) return [];
  if (question === "CONTINUE") return [choice("continueGame", "", {}, say(ctx, "act.continue"), [], "Enter")];
  const { win, kongs, pong, chows } = ctx.view.prompt.options;
  const isClaim = question === "CLAIM";
  return [
    ...(win === "0" ? [] : [{ ...choice("win", "", {}, winLabel(ctx, isClaim), [], "w"), points: win }]),
    ...kongs.map((/** @type {number} */ kind, /** @type {number} */ at) => kong(ctx, kind, isClaim, at)),
    ...(pong ? [choice("pong", "", {}, say(ctx, "act.pong"), [], "p")] : []),
    ...chows.map((/** @type {Json} */ own, /** @type {number} */ at) => chow(ctx, own.tiles, at)),
    ...(isClaim ? [choice("passClaim", "", {}, say(ctx, "act.pass"), [], "x")] : []),
  ];
}

/** @returns {Choice} */
function choice(
  /** @type {string} */ act, /** @type {string} */ value, /** @type {any} */ content, /** @type {string} */ label, /** @type {number[]} */ tiles, /** @type {string} */ key,
) {
  return { act, value, action: { [act]: content }, label, full: label, tiles, key };
}

function winLabel(/** @type {Json} */ ctx, /** @type {boolean} */ isClaim) {
  if (!isClaim) return say(ctx, "act.selfDraw");
  return say(ctx, ctx.view.table.adding === undefined ? "act.win" : "act.rob");
}

/** @returns {Choice} */
function kong(/** @type {Json} */ ctx, /** @type {number} */ kind, /** @type {boolean} */ isClaim, /** @type {number} */ at) {
  // Four in the hand are a concealed kong, one is added to a pong.
  const isConcealed = ctx.view.hand.filter((/** @type {number} */ tile) => tile === kind).length === 4;
  const label = say(ctx, `act.${isClaim ? "exposedKong" : isConcealed ? "concealedKong" : "addedKong"}`);
  const full = say(ctx, "act.with", { act: label, tiles: tileName(ctx, kind) });
  return { ...choice("kong", `${kind}`, kind, label, isClaim ? [] : [kind], numbered("k", at)), full };
}

/** @returns {Choice} */
function chow(/** @type {Json} */ ctx, /** @type {number[]} */ own, /** @type {number} */ at) {
  const { river } = ctx.view.table;
  const tiles = [...own, river[river.length - 1].tile].sort((one, two) => one - two);
  const label = say(ctx, "act.chow");
  const full = say(ctx, "act.with", { act: label, tiles: tileNames(ctx, tiles) });
  return { ...choice("chow", own.join(","), { tiles: own }, label, tiles, numbered("c", at)), full };
}

/** The first has the letter, the others a number: `c`, `2`, `3`. */
const numbered = (/** @type {string} */ letter, /** @type {number} */ at) => (at === 0 ? letter : String(at + 1));

/** Whether a win that was passed on leaves those open that are higher. @param {Json} view */
export const isHigherOpen = ({ config }) => config.passedWinLock === "JINXIAN_PASSED_WIN_LOCK_UNTIL_DRAW_UNLESS_HIGHER";

/** The things that may be done, as a list in words. @param {Json} ctx @param {Json} options @param {boolean} isClaim */
export function spoken(ctx, { win, kongs, pong, chows }, isClaim) {
  return list(ctx, [
    win !== "0" && say(ctx, "claim.WIN"),
    kongs.length > 0 && say(ctx, "claim.KONG"),
    isClaim && pong && say(ctx, "claim.PONG"),
    isClaim && chows.length > 0 && say(ctx, "claim.CHOW"),
  ].filter((word) => typeof word === "string"));
}

/** The tile of the own hand that is lifted; null for none. @param {Json} ctx */
export function lifted(ctx) {
  const { view, local } = ctx;
  return own(view).find(({ key }) => key === local.lifted) ?? null;
}

/** The own hand in the order in which it is held. @param {Json} view */
export const own = (view) => held(view, { tiles: view.hand, drawn: view.drawn ?? null });

/** Lifts a tile of the own hand, or lays it back. @param {Json} ctx @param {string | null} key */
export function lift(ctx, key) {
  ctx.local.lifted = key;
  ctx.redraw();
}

/**
 * Discards a tile of the own hand, if that is open.
 * @param {Json} ctx
 * @param {{key: string, kind: number} | null} which
 */
export async function discard(ctx, which) {
  if (!which || !mayDiscard(ctx)) return;
  ctx.local.lifted = which.key;
  if (await ctx.act({ discard: which.kind })) ctx.local.lifted = null;
}

/** Lifts the tile beside the lifted one; from none, the last or the first. @param {Json} ctx @param {1 | -1} step */
export function step(ctx, step) {
  const keys = own(ctx.view).map(({ key }) => key);
  if (keys.length === 0) return;
  const at = keys.indexOf(ctx.local.lifted);
  const next = at < 0 ? (step > 0 ? 0 : keys.length - 1) : Math.min(keys.length - 1, Math.max(0, at + step));
  lift(ctx, keys[next]);
}
