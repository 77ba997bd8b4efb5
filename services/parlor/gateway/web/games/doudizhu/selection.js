// @ts-check
/** Which of the own cards are chosen, and a drag across them while it lasts. Kept in `ctx.local`. */

import { handOf } from "./seating.js";

/** @typedef {Record<string, any>} Json */

/**
 * What the table keeps from one drawing to the next.
 * @param {Json} ctx
 * @returns {{chosen: Set<number>, drag: null | {from: number, to: number, moved: boolean}, cursor: number | null,
 *   ignoreClick: boolean, judged: any, hints: any, claims: any, confirming: boolean, view: any}} `view`: the newest,
 *   for what has waited for an answer and may hold an older one.
 */
export function stateOf(ctx) {
  ctx.local.doudizhu ??= {
    chosen: new Set(),
    drag: null,
    cursor: null,
    ignoreClick: false,
    judged: null,
    hints: null,
    claims: null,
    confirming: false,
    view: ctx.view,
  };
  return ctx.local.doudizhu;
}

const ownHand = (/** @type {Json} */ ctx) => (ctx.seat === null ? [] : handOf(ctx, ctx.seat));

/** The chosen cards that are still in the hand, in its order. */
export const chosen = (/** @type {Json} */ ctx) => ownHand(ctx).filter((card) => stateOf(ctx).chosen.has(card));

/** Chooses exactly these cards. */
export function choose(/** @type {Json} */ ctx, /** @type {Iterable<number>} */ cards) {
  const state = stateOf(ctx);
  state.chosen = new Set(cards);
  state.claims = null;
  // Who chooses alone waits for no advice any more.
  if (state.hints?.failed) state.hints = null;
}

/** Chooses a card or puts it back. */
export function toggle(/** @type {Json} */ ctx, /** @type {number} */ card) {
  const { chosen: before } = stateOf(ctx);
  choose(ctx, before.has(card) ? [...before].filter((other) => other !== card) : [...before, card]);
  ctx.redraw();
}

/** The cards that the drag covers so far; none before it has left its first card. */
export function dragged(/** @type {Json} */ ctx) {
  const { drag } = stateOf(ctx);
  if (!drag?.moved) return [];
  const hand = ownHand(ctx);
  const ends = [hand.indexOf(drag.from), hand.indexOf(drag.to)];
  return hand.slice(Math.min(...ends), Math.max(...ends) + 1);
}

/** The drag is over: the cards that it covered change, as the first of them does. */
function drop(/** @type {Json} */ ctx) {
  const state = stateOf(ctx);
  const covered = dragged(ctx);
  const puts = state.drag && state.chosen.has(state.drag.from);
  state.drag = null;
  if (covered.length === 0) return;
  const kept = [...state.chosen].filter((card) => !covered.includes(card));
  choose(ctx, puts ? kept : [...kept, ...covered]);
  ctx.redraw();
}

/**
 * Listeners of the hand's element. A tap stays a click, which keyboards and screen readers make as well; only a drag
 * that reached another card is handled here, and the click that some browsers make of its end is not.
 * @param {Json} ctx
 */
export function dragging(ctx) {
  const state = stateOf(ctx);
  return {
    onpointerdown: (/** @type {any} */ event) => {
      const card = cardAt(event);
      state.ignoreClick = false;
      state.drag = card === null || event.button > 0 ? null : { from: card, to: card, moved: false };
    },
    onpointermove: (/** @type {any} */ event) => {
      // The button went up outside, where nobody told the hand.
      if (event.buttons === 0) state.drag = null;
      const { drag } = state;
      const card = drag && cardAt(event);
      if (card === null || card === drag.to) return;
      // Only now, since a captured press makes no click on the card.
      event.currentTarget.setPointerCapture(event.pointerId);
      state.drag = { from: drag.from, to: card, moved: true };
      ctx.redraw();
    },
    onpointerup: () => {
      state.ignoreClick = state.drag?.moved ?? false;
      drop(ctx);
    },
    onpointercancel: () => {
      state.drag = null;
      ctx.redraw();
    },
  };
}

/** The card under a pointer, which need not be the one that the event was sent to. */
function cardAt(/** @type {any} */ event) {
  const page = event.currentTarget.ownerDocument;
  const under = page.elementFromPoint(event.clientX, event.clientY)?.closest("[data-card]");
  return under && event.currentTarget.contains(under) ? Number(under.dataset.card) : null;
}
