// @ts-check
/** What the Jinxian table says, in both languages, and how it names tiles and seats. */

import { en } from "./words-en.js";
import { zh } from "./words-zh.js";

/** @typedef {Record<string, any>} Json */

/** @returns {Record<string, string>} */
const prefixed = (/** @type {Record<string, string>} */ sentences) =>
  Object.fromEntries(Object.entries(sentences).map(([key, sentence]) => [`jinxian.${key}`, sentence]));

export const words = { zh: prefixed(zh), en: prefixed(en) };

/** @param {Json} ctx @param {string} key without the game's prefix @param {Json} [params] @returns {string} */
export const say = (ctx, key, params) => ctx.t(`jinxian.${key}`, params);

/** @param {Json} ctx @param {number} kind @returns {string} such as `三万`, `three of characters` */
export function tileName(ctx, kind) {
  if (kind >= 27) return say(ctx, `honour.${kind}`);
  return say(ctx, `suit.${Math.floor(kind / 9)}`, { rank: say(ctx, `rank.${(kind % 9) + 1}`) });
}

/** @param {Json} ctx @param {number[]} kinds */
export const tileNames = (ctx, kinds) => list(ctx, kinds.map((kind) => tileName(ctx, kind)));

/** @param {Json} ctx @param {string[]} items */
export const list = (ctx, items) => items.join(say(ctx, "and"));

/** The player as the reader is told of: by name, or as `you`. @param {Json} ctx @param {number} seat @returns {string} */
export const who = (ctx, seat) => (seat === ctx.seat && !ctx.others ? say(ctx, "you") : ctx.name(seat));

/** The same inside a sentence. @param {Json} ctx @param {number} seat @returns {string} */
export const whom = (ctx, seat) => (seat === ctx.seat && !ctx.others ? say(ctx, "youThere") : ctx.name(seat));

/** The same as an owner. @param {Json} ctx @param {number} seat @returns {string} */
export const whose = (ctx, seat) => (seat === ctx.seat && !ctx.others ? say(ctx, "your") : say(ctx, "possessive", { name: ctx.name(seat) }));

/** What belongs to a seat. @param {Json} ctx @param {"seat" | "river" | "melds"} what @param {number} seat */
export const owned = (ctx, what, seat) =>
  seat === ctx.seat && !ctx.others ? say(ctx, `${what}Own`) : say(ctx, `${what}Of`, { name: ctx.name(seat) });

/** The last part of an enum's full name. @param {string} prefix such as `JINXIAN_CLAIM_` @param {string} name */
export const bare = (prefix, name) => String(name).slice(prefix.length);

/** An int64 with its sign. @param {string | number} amount */
export const signed = (amount) => (Number(amount) > 0 ? `+${amount}` : String(amount).replace("-", "−"));
