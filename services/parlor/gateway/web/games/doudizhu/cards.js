// @ts-check
/** Cards as they are drawn: faces, backs and fans. Sizes come from the style sheet (`--w`), shapes scale with them. */

import { h, svg } from "../../ui/dom.js";
import { BIG_JOKER, cardName, isJoker, rankOf, suitOf } from "./deck.js";
import { crown, jester, pip } from "./emblems.js";

const COURT = /** @type {readonly string[]} */ (["J", "Q", "K"]);

/** The drawing on a card's face; what the card is called stands on the element around it. */
export function face(/** @type {number} */ card) {
  return svg("svg", { viewBox: "0 0 100 140", "aria-hidden": "true" }, isJoker(card) ? joker() : plain(card));
}

/** The class of a card, which gives it its colours. */
export function tone(/** @type {number} */ card) {
  if (isJoker(card)) return card === BIG_JOKER ? "ddz-card big-joker" : "ddz-card small-joker";
  return `ddz-card ${suitOf(card)}`;
}

/**
 * A card that lies face up and cannot be pressed.
 * @param {number} card
 * @param {(key: string, params?: object) => string} t
 */
export const faceUp = (card, t) =>
  h("span", { class: tone(card), key: card, role: "img", "aria-label": cardName(card, t) }, face(card));

/** A card's back; it says nothing, the count beside it does. */
export const faceDown = (/** @type {number} */ place) =>
  h("span", { class: "ddz-card ddz-back", key: `back${place}`, "aria-hidden": "true" });

/**
 * Cards that overlap as far as the room asks for.
 * @param {any[]} cards Their elements, from the left.
 * @param {Record<string, any>} [props]
 */
export function fan(cards, { class: name = "", style = {}, ...props } = {}) {
  const size = cards.length > 8 ? "many" : "few";
  const sizes = { "--n": cards.length, "--half": Math.ceil(cards.length / 2), ...style };
  return h("div", { class: `ddz-fan ${size} ${name}`, style: sizes, ...props }, cards);
}

function plain(/** @type {number} */ card) {
  const rank = rankOf(card);
  const suit = suitOf(card);
  return [
    rank === "10"
      ? svg("text", { class: "rank", x: 20, y: 34, textLength: 31, lengthAdjust: "spacingAndGlyphs" }, rank)
      : svg("text", { class: "rank", x: 20, y: 34 }, rank),
    pip(suit, 20, 54, 1.25),
    COURT.includes(rank)
      ? [crown(/** @type {"K"} */ (rank)), pip(suit, 64, 99, 2.3)]
      : pip(suit, 64, rank === "A" ? 90 : 96, rank === "A" ? 3.1 : 2.6),
  ];
}

/** The letters stand below each other, where a fan leaves the edge of a card to be seen. */
const joker = () => [
  [..."JOKER"].map((letter, place) => svg("text", { class: "letter", x: 14, y: 24 + 16 * place }, letter)),
  jester(),
];
