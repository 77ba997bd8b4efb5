// @ts-check
/** What is drawn on cards and seats, as SVG: suits, crowns, the two jesters and the hats of the two sides. */

import { svg } from "../../ui/dom.js";

/** Outlines around 0,0, about 20 units high. */
const SUIT_PATHS = {
  hearts: "M0 9.5C-3.2 5.4-10.4 1.6-10.4-4A5.2 5.2 0 0 1 0-5.6 5.2 5.2 0 0 1 10.4-4C10.4 1.6 3.2 5.4 0 9.5Z",
  diamonds: "M0-10.5C2.2-6.4 5-3 8.4 0 5 3 2.2 6.4 0 10.5-2.2 6.4-5 3-8.4 0-5-3-2.2-6.4 0-10.5Z",
  spades: "M0-10.5C3.2-5.6 10.2-1.6 10.2 3.6A4.7 4.7 0 0 1 1.5 5.8C1.7 7.9 2.6 9.4 4.2 10.2H-4.2C-2.6 9.4-1.7 7.9-1.5 5.8A4.7 4.7 0 0 1-10.2 3.6C-10.2-1.6-3.2-5.6 0-10.5Z",
  clubs: "M-4.7-5.4a4.7 4.7 0 1 1 9.4 0a4.7 4.7 0 1 1-9.4 0ZM-10.2 2.2a4.7 4.7 0 1 1 9.4 0a4.7 4.7 0 1 1-9.4 0ZM.8 2.2a4.7 4.7 0 1 1 9.4 0a4.7 4.7 0 1 1-9.4 0ZM-1.4-2H1.4C1.4 5.6 2.6 9 4.4 10.2H-4.4C-2.6 9-1.4 5.6-1.4-2Z",
};

/**
 * A suit, in the colour of the text around it.
 * @param {keyof typeof SUIT_PATHS} suit
 * @param {number} x
 * @param {number} y
 * @param {number} scale 1 is about 20 units high.
 */
export const pip = (suit, x, y, scale) =>
  svg("path", { d: SUIT_PATHS[suit], transform: `translate(${x} ${y}) scale(${scale})`, fill: "currentColor" });

/** What the court wears, above the suit of a card of 100 by 140. */
const CROWNS = {
  K: [
    svgPath("M42 64 37 37 51 49 64 29 77 49 91 37 86 64Z"),
    ...[[37, 35], [64, 27], [91, 35]].map(([x, y]) => svgDot(x, y, 4)),
    svgPath("M42 64H86V71H42Z"),
  ],
  Q: [
    svgPath("M43 64 39 43Q47 55 52 38 58 53 64 33 70 53 76 38 81 55 89 43L85 64Z"),
    ...[[39, 41], [52, 36], [64, 31], [76, 36], [89, 41]].map(([x, y]) => svgDot(x, y, 2.8)),
    svgPath("M43 64H85V70H43Z"),
  ],
  J: [
    svgPath("M42 64C42 45 52 39 66 41 80 43 87 52 86 64Z"),
    svgPath("M76 44C78 30 88 24 95 25 95 37 88 45 78 48Z"),
    svgPath("M40 64H88V71H40Z"),
  ],
};

/** Parts as data, since an element's description belongs to one place of the page. */
function svgPath(/** @type {string} */ d) {
  return { tag: "path", props: { d } };
}
function svgDot(/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ r) {
  return { tag: "circle", props: { cx, cy, r } };
}

/**
 * The head-dress of a king, queen or jack.
 * @param {"K" | "Q" | "J"} rank
 */
export const crown = (rank) =>
  svg("g", { class: "ddz-crown" }, CROWNS[rank].map(({ tag, props }) => svg(tag, props)));

/** A jester on a card of 100 by 140; his colours come from the style sheet. */
export const jester = () =>
  svg(
    "g",
    { class: "ddz-jester" },
    svg("path", { class: "a", d: "M44 84C42 62 34 56 24 60 30 44 48 42 60 58 58 68 58 76 58 84Z" }),
    svg("path", { class: "c", d: "M80 84C82 62 90 56 98 60 94 44 76 42 64 58 66 68 66 76 66 84Z" }),
    svg("path", { class: "b", d: "M50 84C52 64 54 50 62 34 70 50 72 64 74 84Z" }),
    [[25, 63], [62, 32], [97, 63]].map(([cx, cy]) => svg("circle", { class: "bell", cx, cy, r: 5 })),
    svg("path", { class: "skin", d: "M45 82H79C80 100 73 111 62 111 51 111 44 100 45 82Z" }),
    svg("path", { class: "line", d: "M54 100Q62 107 70 100M53 90v3M71 90v3" }),
    svg("path", { class: "b", d: "M42 80H82V87H42Z" }),
    svg("path", { class: "a", d: "M40 126 44 110 53 119 62 110 71 119 80 110 84 126Z" }),
  );

/** The landlord's skullcap with its bead. */
export const skullcap = () =>
  svg(
    "svg",
    { class: "ddz-hat", viewBox: "0 0 40 40", "aria-hidden": "true" },
    svg("path", { class: "cloth", d: "M6 26C6 13 13 8 20 8S34 13 34 26Z" }),
    svg("path", { class: "seam", d: "M20 8C15 13 13 19 13 26M20 8C25 13 27 19 27 26M20 8V26" }),
    svg("path", { class: "brim", d: "M4 25H36V32H4Z" }),
    svg("circle", { class: "bead", cx: 20, cy: 6, r: 3.6 }),
    svg("path", { class: "jade", d: "M17 28.5 20 25.5 23 28.5 20 31.5Z" }),
  );

/** A peasant's straw hat. */
export const strawHat = () =>
  svg(
    "svg",
    { class: "ddz-hat", viewBox: "0 0 40 40", "aria-hidden": "true" },
    svg("path", { class: "straw", d: "M2 27C9 23 15 13 20 8 25 13 31 23 38 27 32 32 8 32 2 27Z" }),
    svg("path", { class: "weave", d: "M20 8C17 16 13 23 9 29M20 8C23 16 27 23 31 29M20 8V31M11 21Q20 25 29 21" }),
  );
