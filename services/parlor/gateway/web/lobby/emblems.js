// @ts-check
/** A drawing for each game. */

import { h, svg } from "../ui/dom.js";

const card = (/** @type {number} */ turn, /** @type {any} */ ...marks) =>
  svg(
    "g",
    { transform: `rotate(${turn} 48 92)` },
    svg("rect", { x: 31, y: 18, width: 34, height: 50, rx: 4, class: "e-paper" }),
    ...marks,
  );

/** @type {Record<string, () => any[]>} */
const DRAWINGS = {
  doudizhu: () => [
    card(-24, svg("path", { d: "M38 25l4 5-4 5-4-5z", class: "e-red" })),
    card(
      0,
      svg("path", {
        d: "M38 24c3 3 5 4.5 5 7a2.5 2.5 0 0 1-4 2l1 3h-4l1-3a2.5 2.5 0 0 1-4-2c0-2.5 2-4 5-7z",
        class: "e-ink",
      }),
    ),
    card(
      24,
      svg("path", { d: "M38 23.5l2 4.2 4.6.5-3.4 3.1 1 4.6-4.2-2.4-4.2 2.4 1-4.6-3.4-3.1 4.6-.5z", class: "e-red" }),
    ),
  ],
  jinxian: () => [
    tile(14, 34, [
      [31, 50],
      [31, 62],
    ]),
    tile(56, 34, [
      [73, 50],
      [73, 62],
    ]),
    tile(35, 22, [
      [45, 38],
      [59, 38],
      [52, 46],
      [45, 54],
      [59, 54],
    ]),
  ],
  planes: () => [
    svg(
      "g",
      { class: "e-grid" },
      [20, 34, 48, 62, 76].flatMap((at) => [svg("path", { d: `M${at} 16v64` }), svg("path", { d: `M16 ${at}h64` })]),
    ),
    svg("path", { d: "M48 20l5 9v9h21v8H53v14h9v7H34v-7h9V46H22v-8h21v-9z", class: "e-plane" }),
    svg("circle", { cx: 69, cy: 69, r: 6, class: "e-shot" }),
  ],
};

function tile(/** @type {number} */ x, /** @type {number} */ y, /** @type {number[][]} */ dots) {
  return svg(
    "g",
    null,
    svg("rect", { x, y: y + 4, width: 34, height: 46, rx: 5, class: "e-back" }),
    svg("rect", { x, y, width: 34, height: 46, rx: 5, class: "e-paper" }),
    dots.map(([cx, cy]) => svg("circle", { cx, cy, r: 3.6, class: cy === 46 ? "e-red" : "e-green" })),
  );
}

/** @param {string} kind */
export function emblem(kind) {
  return h(
    "span",
    { class: "emblem", key: kind },
    svg("svg", { viewBox: "0 0 96 96", "aria-hidden": "true", focusable: "false" }, DRAWINGS[kind]?.()),
  );
}
