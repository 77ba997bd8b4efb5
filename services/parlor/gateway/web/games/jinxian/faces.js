// @ts-check
/**
 * The faces of the 34 tiles as pictures, one data URL a kind: SVG, so crisp at any size.
 *
 * Kinds are `suit * 9 + rank - 1` with characters, dots and bamboo, then 27..30 east, south, west, north and 31..33
 * the red, green and white dragon.
 */

import { outline } from "./glyphs.js";

const INK = "#1b2742";
const RED = "#b5231b";
const GREEN = "#17703f";
const BLUE = "#1d4f9f";
const PALE = "#fbf7ea";

const RANKS = "一二三四五六七八九";
const WINDS = "東南西北";

/** Centres, radius and colours of the dots, by rank; the first rank is a picture of its own. */
const DOTS = [
  { r: 14.5, at: [[30, 21, GREEN], [30, 59, BLUE]] },
  { r: 11.5, at: [[14.5, 15.5, BLUE], [30, 40, RED], [45.5, 64.5, GREEN]] },
  { r: 12, at: [[16.5, 20, BLUE], [43.5, 20, GREEN], [16.5, 60, GREEN], [43.5, 60, BLUE]] },
  { r: 10.5, at: [[14.5, 16, BLUE], [45.5, 16, GREEN], [30, 40, RED], [14.5, 64, GREEN], [45.5, 64, BLUE]] },
  { r: 10.5, at: [[17, 14.5, GREEN], [43, 14.5, GREEN], [17, 41, RED], [43, 41, RED], [17, 65, RED], [43, 65, RED]] },
  {
    r: 9.2,
    at: [[11.5, 11.5, GREEN], [30, 18.5, GREEN], [48.5, 25.5, GREEN], [18, 46.5, RED], [42, 46.5, RED], [18, 67.5, RED], [42, 67.5, RED]],
  },
  { r: 8.8, at: [11.5, 30.5, 49.5, 68.5].flatMap((y) => [[18, y, BLUE], [42, y, BLUE]]) },
  { r: 8.8, at: [[15, GREEN], [40, RED], [65, BLUE]].flatMap(([y, colour]) => [11.5, 30, 48.5].map((x) => [x, y, colour])) },
];

/** Middle, half length, colour and lean of the sticks, by rank from the second on. */
const STICKS = [
  [[30, 22, 14, GREEN], [30, 58, 14, GREEN]],
  [[30, 22, 14, GREEN], [17, 58, 14, GREEN], [43, 58, 14, GREEN]],
  [17, 43].flatMap((x) => [[x, 22, 14, GREEN], [x, 58, 14, GREEN]]),
  [...[12, 48].flatMap((x) => [[x, 22, 14, GREEN], [x, 58, 14, GREEN]]), [30, 40, 15, RED]],
  [12, 30, 48].flatMap((x) => [[x, 22, 14, GREEN], [x, 58, 14, GREEN]]),
  [[30, 14.5, 9, RED], ...[12, 30, 48].flatMap((x) => [[x, 40, 10, GREEN], [x, 66, 10, GREEN]])],
  [
    [10, 22, 14, GREEN], [50, 22, 14, GREEN], [22.5, 23, 13, GREEN, 36], [37.5, 23, 13, GREEN, -36],
    [10, 58, 14, GREEN], [50, 58, 14, GREEN], [22.5, 57, 13, GREEN, -36], [37.5, 57, 13, GREEN, 36],
  ],
  [[11.5, GREEN], [30, RED], [48.5, GREEN]].flatMap(([x, colour]) => [14.5, 40, 65.5].map((y) => [x, y, 10, colour])),
];

/** Drawn when first asked for. @type {string[]} */
const drawn = [];

/** @param {number} kind @returns {string} the picture of its face, a data URL */
export const face = (kind) => (drawn[kind] ??= picture(drawing(kind)));

const picture = (/** @type {string} */ content) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 80">${content}</svg>`)}`;

function drawing(/** @type {number} */ kind) {
  const suit = Math.floor(kind / 9);
  const rank = (kind % 9) + 1;
  if (suit === 0) return written(RANKS[rank - 1], INK, 13, 3, 34) + written("万", RED, 11, 40, 38);
  if (suit === 1) return rank === 1 ? wheel() : dots(rank);
  if (suit === 2) return rank === 1 ? bird() : sticks(rank);
  if (kind < 31) return written(WINDS[kind - 27], INK, 5, 15, 50);
  if (kind === 31) return written("中", RED, 5, 15, 50);
  return kind === 32 ? written("發", GREEN, 6, 15, 48) : board();
}

const written = (
  /** @type {string} */ name, /** @type {string} */ colour, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size,
) => `<path transform="translate(${x} ${y})scale(${size / 100})" fill="${colour}" d="${outline(name)}"/>`;

function dots(/** @type {number} */ rank) {
  const { r, at } = DOTS[rank - 2];
  return at.map(([x, y, colour]) =>
    `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour}"/><circle cx="${x}" cy="${y}" r="${r * 0.66}" fill="none" stroke="${PALE}" stroke-width="${r * 0.16}"/>` +
    `<circle cx="${x}" cy="${y}" r="${r * 0.26}" fill="${PALE}"/>`).join("");
}

/** The one of dots: a wheel with eight petals. */
function wheel() {
  const petals = Array.from({ length: 8 }, (_, turn) =>
    `<ellipse cx="30" cy="28.5" rx="3.4" ry="6.4" fill="${PALE}" transform="rotate(${turn * 45} 30 40)"/>`).join("");
  return `<circle cx="30" cy="40" r="25" fill="${GREEN}"/><circle cx="30" cy="40" r="21.5" fill="none" stroke="${PALE}" stroke-width="1.6"/>` +
    `${petals}<circle cx="30" cy="40" r="7.5" fill="${RED}"/><circle cx="30" cy="40" r="3" fill="${PALE}"/>`;
}

const sticks = (/** @type {number} */ rank) => STICKS[rank - 2].map((one) => stick(/** @type {any} */ (one))).join("");

/** A stick of bamboo: two joints with a waist between them. */
function stick(/** @type {[number, number, number, string, number?]} */ [x, y, half, colour, lean]) {
  const joint = (/** @type {number} */ top, /** @type {number} */ bottom) =>
    `M-4.5 ${top}Q-2.8 ${(top + bottom) / 2}-4.5 ${bottom}Q0 ${bottom + 1.8} 4.5 ${bottom}Q2.8 ${(top + bottom) / 2} 4.5 ${top}Q0 ${top - 1.8}-4.5 ${top}Z`;
  return `<g transform="translate(${x} ${y})${lean ? `rotate(${lean})` : ""}"><path fill="${colour}" d="${joint(-half, -0.8)}${joint(0.8, half)}"/>` +
    `<path stroke="${PALE}" stroke-width="1.1" stroke-linecap="round" d="M0 ${3 - half}V-3M0 3V${half - 3}"/></g>`;
}

/** The one of bamboo: a bird on a stick. */
function bird() {
  return `<path fill="${GREEN}" d="M8 76Q8 70 14 71L50 66Q55 66 54 71L16 77Q9 79 8 76Z"/>` +
    `<g fill="none" stroke-linecap="round" stroke-width="3.4"><path stroke="${BLUE}" d="M33 50Q44 52 53 60"/>` +
    `<path stroke="${RED}" d="M34 46Q47 44 56 49"/><path stroke="${GREEN}" d="M33 42Q46 36 55 37"/></g>` +
    `<path fill="${GREEN}" d="M16 22Q14 36 19 48Q26 60 37 54Q46 48 38 36Q30 24 26 17Z"/>` +
    `<path fill="${BLUE}" d="M24 33Q38 34 42 46Q32 52 26 46Q22 40 24 33Z"/>` +
    `<path fill="none" stroke="${PALE}" stroke-width="1.3" stroke-linecap="round" d="M28 38Q34 40 37 45M26 42Q30 45 33 48"/>` +
    `<circle cx="21" cy="16" r="9" fill="${RED}"/><path fill="#c98a12" d="M13 14L3 18L13 20Z"/>` +
    `<path fill="none" stroke="${RED}" stroke-width="2.4" stroke-linecap="round" d="M22 8Q22 3 27 2M25 9Q28 5 32 6"/>` +
    `<circle cx="18.5" cy="14.5" r="2.6" fill="${PALE}"/><circle cx="18" cy="14.5" r="1.3" fill="${INK}"/>` +
    `<path stroke="#c98a12" stroke-width="2.2" stroke-linecap="round" d="M27 56V69M34 56V68"/>`;
}

/** The white dragon: an empty board. */
function board() {
  return `<rect x="9" y="11" width="42" height="58" rx="3" fill="none" stroke="${BLUE}" stroke-width="4"/>` +
    `<rect x="15" y="17" width="30" height="46" rx="1.5" fill="none" stroke="${BLUE}" stroke-width="1.6"/>` +
    `<path fill="none" stroke="${BLUE}" stroke-width="1.6" d="M9 22H20V11M51 22H40V11M9 58H20V69M51 58H40V69"/>`;
}
