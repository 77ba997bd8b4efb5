// @ts-check
/** What is drawn on a board's cells: shots, the chosen target, private notes. Shapes differ, not colours alone. */

/** @type {Record<string, Tone>} */
const TONES = {
  PLANES_SHOT_RESULT_MISS: "miss",
  PLANES_SHOT_RESULT_HIT: "hit",
  PLANES_SHOT_RESULT_DESTROY: "down",
};

/** @typedef {"miss" | "hit" | "down"} Tone */

/** @param {string} result PlanesShotResult @returns {Tone} */
export const toneOf = (result) => TONES[result];

/**
 * @param {any} svg
 * @param {{x: number, y: number, result: string}} shot
 * @param {boolean} last whether it is the newest of its board
 */
export function drawShot(svg, { x, y, result }, last) {
  const tone = toneOf(result);
  return svg("g", { key: `shot${x}-${y}`, class: `planes-shot ${tone} ${last ? "last" : ""}`, transform: at(x, y) },
    SHAPES[tone](svg),
    last && svg("rect", { class: "planes-newest", x: 0.7, y: 0.7, width: 8.6, height: 8.6, rx: 1 }));
}

/**
 * The colour of a cell that was shot at; it lies below the planes.
 * @param {any} svg @param {{x: number, y: number, result: string}} shot
 */
export function drawScorch(svg, { x, y, result }) {
  return svg("rect", { key: `scorch${x}-${y}`, class: `planes-scorch ${toneOf(result)}`, x: y * 10, y: x * 10, width: 10, height: 10 });
}

/** @param {any} svg @param {Tone} tone the mark alone, for lists */
export function markIcon(svg, tone) {
  return svg("svg", { class: `planes-mark planes-shot ${tone}`, viewBox: "0 0 10 10", "aria-hidden": "true" }, SHAPES[tone](svg));
}

/** @param {any} svg @param {number} x @param {number} y @param {boolean} sent whether the shot is on its way */
export function drawTarget(svg, x, y, sent) {
  return svg("g", { key: "target", class: `planes-target ${sent ? "sent" : ""}`, transform: at(x, y) },
    svg("circle", { cx: 5, cy: 5, r: 3.4 }),
    svg("path", { d: "M5-.2V3.2M5 6.8V10.2M-.2 5H3.2M6.8 5H10.2" }));
}

/** @param {any} svg @param {number} x @param {number} y @param {string} note see notes.js */
export function drawNote(svg, x, y, note) {
  return svg("g", { key: `note${x}-${y}`, class: `planes-note ${note}`, transform: at(x, y) }, NOTES[note](svg));
}

/** @param {any} svg @param {string} note */
export function noteIcon(svg, note) {
  return svg("svg", { class: `planes-mark planes-note ${note}`, viewBox: "0 0 10 10", "aria-hidden": "true" }, NOTES[note](svg));
}

const CROSS = "M2.6 2.6L7.4 7.4M7.4 2.6L2.6 7.4";

const at = (/** @type {number} */ x, /** @type {number} */ y) => `translate(${y * 10} ${x * 10})`;

/** @type {Record<Tone, (svg: any) => any>} */
const SHAPES = {
  miss: (svg) => svg("circle", { class: "planes-splash", cx: 5, cy: 5, r: 1.7 }),
  hit: (svg) => [svg("path", { class: "planes-halo", d: CROSS }), svg("path", { class: "planes-cross", d: CROSS })],
  down: (svg) => [
    svg("path", {
      class: "planes-burst",
      d: "M5 .4L6.2 2.5L8.3 1.7L7.5 3.8L9.6 5L7.5 6.2L8.3 8.3L6.2 7.5L5 9.6L3.8 7.5L1.7 8.3L2.5 6.2L.4 5L2.5 3.8L1.7 1.7L3.8 2.5Z",
    }),
    svg("path", { class: "planes-burst-cross", d: "M3.7 3.7L6.3 6.3M6.3 3.7L3.7 6.3" }),
  ],
};

/** @type {Record<string, (svg: any) => any>} */
const NOTES = {
  plane: (svg) => svg("path", { d: "M5 2.6L7.6 7.2H2.4Z" }),
  head: (svg) => [svg("circle", { cx: 5, cy: 5, r: 2.7 }), svg("circle", { class: "planes-note-dot", cx: 5, cy: 5, r: 1 })],
  empty: (svg) => svg("path", { d: "M3 5H7" }),
};
