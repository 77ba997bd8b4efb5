// @ts-check
/** What the player's presses send. The server decides; here only the question of the reading is put first. */

import { playPrompt, playable } from "./asking.js";
import { choose, chosen, stateOf } from "./selection.js";

/** @typedef {Record<string, any>} Json */

/** Plays the chosen cards, or asks which reading is meant where there are several. */
export async function play(/** @type {Json} */ ctx) {
  const cards = chosen(ctx);
  const prompt = playPrompt(ctx);
  if (!prompt || ctx.pending || cards.length === 0) return;
  const state = stateOf(ctx);
  const readings = await readingsOf(ctx, cards);
  // Meanwhile the turn may be over or the choice another.
  if (state.view.prompt?.decision !== prompt.decision || String(chosen(ctx)) !== String(cards)) return;
  if (readings.length > 1) {
    state.claims = { decision: prompt.decision, cards, readings };
    ctx.redraw();
    return;
  }
  await send(ctx, cards);
}

/** Plays the cards in the reading that the player has named. */
export async function claim(/** @type {Json} */ ctx, /** @type {Json} */ { shape, value }) {
  const { cards } = stateOf(ctx).claims;
  stateOf(ctx).claims = null;
  await send(ctx, cards, { claim: { shape, value } });
}

async function send(/** @type {Json} */ ctx, /** @type {number[]} */ cards, more = {}) {
  if (await ctx.act({ play: { cards, ...more } })) choose(ctx, []);
  ctx.redraw();
}

/** Nothing where the rules cannot be asked: then the server takes its default reading. */
async function readingsOf(/** @type {Json} */ ctx, /** @type {number[]} */ cards) {
  const known = stateOf(ctx).judged?.answer?.readings;
  if (known && known.length < 2 && stateOf(ctx).judged.key.endsWith(`:${cards}`)) return known;
  return playable(ctx, cards).catch(() => []);
}

export const pass = (/** @type {Json} */ ctx) => ctx.act({ passTurn: {} });

export const setAutoplay = (/** @type {Json} */ ctx, /** @type {boolean} */ on) => ctx.act({ autoplay: on });

/** Answers the other peasant's offer, which has a decision of its own beside the prompt's. */
export const consent = (/** @type {Json} */ ctx, /** @type {boolean} */ agrees) =>
  ctx.act({ consent: agrees }, ctx.view.offer.decision);
