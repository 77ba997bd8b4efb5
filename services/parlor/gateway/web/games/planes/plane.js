// @ts-check
/** A plane seen from above, in a drawing where a cell is ten units wide. */

import { angle } from "./shape.js";

/** Around the middle of the head, with the nose up: one outline from the nose clockwise. */
const OUTLINE = [
  "M0-4.5C2.3-4.5 3.3-1 3.3 2.5L3.4 6.2L22.6 8.9C24.2 9.2 24.6 10.4 24.4 11.8C24.2 13.2 23.4 13.9 22 13.9",
  "L3.2 14.4L2.3 36.2L12.8 38.1C14.2 38.4 14.6 39.4 14.4 40.8C14.2 42.2 13.4 42.9 12 42.9L1.8 43L0 44.6",
  "L-1.8 43L-12 42.9C-13.4 42.9-14.2 42.2-14.4 40.8C-14.6 39.4-14.2 38.4-12.8 38.1L-2.3 36.2L-3.2 14.4",
  "L-22 13.9C-23.4 13.9-24.2 13.2-24.4 11.8C-24.6 10.4-24.2 9.2-22.6 8.9L-3.4 6.2L-3.3 2.5C-3.3-1-2.3-4.5 0-4.5Z",
].join("");

/** The cells below it, so that nobody has to guess which ones count. */
const FOOTPRINT = "M-5-5H5V5H25V15H5V35H15V45H-15V35H-5V15H-25V5H-5Z";

const RIBS = "M-14 8.2V13.6M14 8.2V13.6M0 16V35.5M-8 38V42.6M8 38V42.6";

/**
 * @param {any} svg from ui/dom.js
 * @param {import("./shape.js").Plane} plane
 * @param {{key?: string | number, tone?: string}} [look] tone: words such as `chosen blamed fallen` for the style sheet
 */
export function drawPlane(svg, plane, { key, tone = "" } = {}) {
  const place = `translate(${plane.y * 10 + 5} ${plane.x * 10 + 5}) rotate(${angle(plane.direction)})`;
  return svg("g", { key, class: `planes-plane ${tone}`, transform: place }, silhouette(svg));
}

/** A small plane for counts. @param {any} svg @param {boolean} fallen @param {string | number} key */
export function planeIcon(svg, fallen, key) {
  return svg("svg", { key, class: `planes-icon ${fallen ? "fallen" : ""}`, viewBox: "-26 -6 52 52", "aria-hidden": "true" },
    svg("path", { class: "planes-hull", d: OUTLINE }),
    fallen && svg("path", { class: "planes-strike", d: "M-20 40L20 0M-20 0L20 40" }));
}

function silhouette(/** @type {any} */ svg) {
  return [
    svg("path", { class: "planes-footprint", d: FOOTPRINT }),
    svg("path", { class: "planes-hull", d: OUTLINE }),
    svg("path", { class: "planes-ribs", d: RIBS }),
    svg("ellipse", { class: "planes-head", cx: 0, cy: 0, rx: 2.5, ry: 3.3 }),
    svg("path", { class: "planes-glint", d: "M-1-1.2C-.6-2.1 .5-2.2 1-1.4" }),
  ];
}
