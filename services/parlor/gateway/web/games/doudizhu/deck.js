// @ts-check
/**
 * The pack: what an index means and in which order a hand is held (RULES.md 1).
 *
 * 0..51 are `suit * 13 + column` with hearts, diamonds, spades, clubs and the columns A 2 3 … 10 J Q K; 52 is the
 * small joker, 53 the big one. Values: 3..K are 2..12, A is 13, 2 is 14, the jokers are 15 and 16.
 */

export const SMALL_JOKER = 52;
export const BIG_JOKER = 53;

export const SUITS = /** @type {const} */ (["hearts", "diamonds", "spades", "clubs"]);
const COLUMNS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** @param {number} card */
export const isJoker = (card) => card >= SMALL_JOKER;

/** @param {number} card The index of no joker. */
export const suitOf = (card) => SUITS[Math.floor(card / 13)];

/** @param {number} card The index of no joker. */
export const rankOf = (card) => COLUMNS[card % 13];

/** @param {number} card */
export function valueOf(card) {
  if (isJoker(card)) return card - SMALL_JOKER + 15;
  const column = card % 13;
  return column < 2 ? column + 13 : column;
}

/**
 * The rank that a value stands for, as printed on cards; the jokers have none.
 * @param {number} value 2..14
 */
export const rankOfValue = (value) => COLUMNS[value < 13 ? value : value - 13];

/**
 * The cards as a hand is held: the highest value first, equal values by ascending index.
 * @param {number[]} cards
 */
export const inDisplayOrder = (cards) => [...cards].sort((a, b) => valueOf(b) - valueOf(a) || a - b);

/**
 * What a card is called, such as "红桃A" or "ace of hearts".
 * @param {number} card
 * @param {(key: string, params?: object) => string} t
 */
export function cardName(card, t) {
  if (isJoker(card)) return shortName(card, t);
  const suit = t(`doudizhu.suit.${suitOf(card)}`);
  return t("doudizhu.card", { suit, rank: t(`doudizhu.rank.${rankOf(card)}`) });
}

/**
 * A card's rank alone, since suits never matter in play: "K", "小王".
 * @param {number} card
 * @param {(key: string, params?: object) => string} t
 */
export const shortName = (card, t) =>
  isJoker(card) ? t(card === BIG_JOKER ? "doudizhu.bigJoker" : "doudizhu.smallJoker") : rankOf(card);
