// @ts-check
/**
 * What the table asks the rules service: whether a selection may be played, in which readings, and what is advised.
 *
 * The answers are kept in `ctx.local` under the question they belong to, so that one that comes late is not shown to
 * another. A question about a selection that fails is forgotten: the server judges the play anyway. That a suggestion
 * failed is said, for the player waits for it.
 */

import { inDisplayOrder, valueOf } from "./deck.js";
import { handOf } from "./seating.js";
import { chosen, choose, stateOf } from "./selection.js";

/** @typedef {Record<string, any>} Json */

/** A drag passes over many selections; only where it rests is asked about. */
const REST_MS = 180;

/** The prompt to play that the view holds, else null. */
export function playPrompt(/** @type {Json} */ ctx) {
  const prompt = ctx.live ? ctx.view?.prompt : null;
  return prompt?.question === "DOU_DIZHU_QUESTION_PLAY" ? prompt : null;
}

/**
 * What the rules say about the selection, as far as it is known; asks where it is not.
 * @param {Json} ctx
 * @returns {Json | null} `ClassifyResponse`
 */
export function judgement(ctx) {
  const state = stateOf(ctx);
  const prompt = playPrompt(ctx);
  const cards = chosen(ctx);
  if (!prompt || cards.length === 0 || cards.length > 20) return null;
  const key = `${prompt.decision}:${cards}`;
  if (state.judged?.key === key) return state.judged.answer;
  state.judged = { key, answer: null };
  setTimeout(async () => {
    if (state.judged?.key !== key) return;
    const answer = await classify(ctx, cards, prompt).catch(() => null);
    if (state.judged?.key !== key) return;
    state.judged = answer && { key, answer };
    if (!answer) return;
    ctx.redraw();
  }, REST_MS);
  return null;
}

/**
 * The readings in which the cards may be played now; more than one is a choice for the player.
 * @param {Json} ctx
 * @param {number[]} cards
 * @returns {Promise<Json[]>}
 */
export async function playable(ctx, cards) {
  const prompt = playPrompt(ctx);
  const { readings } = await classify(ctx, cards, prompt);
  if (readings.length < 2) return readings;
  const claimed = await Promise.all(readings.map(({ shape, value }) => classify(ctx, cards, prompt, { shape, value })));
  return readings.filter((_, place) => claimed[place].reading);
}

const classify = (/** @type {Json} */ { ask, view }, /** @type {number[]} */ cards, prompt, claim) =>
  ask("Classify", {
    config: view.config,
    cards,
    ...(claim ? { claim } : {}),
    ...(prompt?.toBeat ? { toBeat: prompt.toBeat } : {}),
  });

/**
 * Takes up the next suggestion: what a good player would do first, then the other plays in turn.
 * @param {Json} ctx
 */
export async function suggest(ctx) {
  const state = stateOf(ctx);
  const { prompt } = ctx.view;
  if (!prompt || state.hints?.busy) return;
  if (state.hints?.decision !== prompt.decision || state.hints.failed) {
    const hints = { decision: prompt.decision, steps: [], at: -1, busy: true, failed: false, advice: null };
    state.hints = hints;
    ctx.redraw();
    const found = await suggestions(ctx, prompt).catch(() => null);
    if (state.hints !== hints) return;
    state.hints = { ...hints, ...found, busy: false, failed: !found };
  }
  const { hints } = state;
  if (!hints.failed && state.view.prompt?.decision === hints.decision) {
    hints.at = (hints.at + 1) % hints.steps.length;
    choose(ctx, hints.steps[hints.at] ?? []);
  }
  ctx.redraw();
}

/**
 * The advice that was asked for and that one press of a button follows: a bid, a pass. Null: none stands.
 * @param {Json} ctx
 * @returns {Json | null} an action
 */
export function advised(ctx) {
  const { hints } = stateOf(ctx);
  const stands = hints && hints.at >= 0 && hints.decision === ctx.view.prompt?.decision;
  return stands && hints.steps[hints.at] === null ? hints.advice : null;
}

/** Whether advice for what is asked now was asked for in vain. @param {Json} ctx @returns {boolean} */
export function isUnadvised(ctx) {
  const { hints } = stateOf(ctx);
  return Boolean(hints?.failed) && hints.decision === ctx.view.prompt?.decision;
}

/** Cards to choose, one set after the other; null stands for advice that is no play. */
async function suggestions(/** @type {Json} */ ctx, /** @type {Json} */ prompt) {
  const [{ action }, plays] = await Promise.all([ctx.ask("Advise", { view: ctx.view }), otherPlays(ctx, prompt)]);
  const first = action?.play?.cards ?? null;
  return { advice: action, steps: [first, ...plays.filter((cards) => !first || !isSame(cards, first))] };
}

async function otherPlays(/** @type {Json} */ ctx, /** @type {Json} */ prompt) {
  if (prompt.question !== "DOU_DIZHU_QUESTION_PLAY") return [];
  const hand = handOf(ctx, ctx.seat);
  const toBeat = prompt.toBeat ? { toBeat: prompt.toBeat } : {};
  const { plays } = await ctx.ask("ListPlays", { config: ctx.view.config, hand, ...toBeat });
  return (prompt.toBeat ? plays : lowestOfEach(plays)).map((play) => play.cards);
}

/** Suits never matter, so that plays of the same ranks are the same suggestion. */
const isSame = (/** @type {number[]} */ one, /** @type {number[]} */ other) => values(one) === values(other);

const values = (/** @type {number[]} */ cards) => String(inDisplayOrder(cards).map(valueOf));

/** A leader has hundreds of plays: the first that is listed of each shape and length stands for its like. */
function lowestOfEach(/** @type {Json[]} */ plays) {
  const seen = new Set();
  return plays.filter(({ reading: { shape, length } }) => {
    const kind = `${shape}:${length}`;
    return seen.has(kind) ? false : seen.add(kind);
  });
}
