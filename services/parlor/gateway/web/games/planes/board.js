// @ts-check
/**
 * A sheet of squared paper: the drawing below, and a grid of cells above it that can be read, reached and pressed.
 *
 * The grid has one place in the tab order; arrows, Home, End, Page Up and Page Down move on it from there.
 */

import { SIZE, cellIndex, cellName, columnName } from "./shape.js";

/** @type {Record<string, (x: number, y: number) => number[]>} */
const STEPS = {
  ArrowUp: (x, y) => [x - 1, y],
  ArrowDown: (x, y) => [x + 1, y],
  ArrowLeft: (x, y) => [x, y - 1],
  ArrowRight: (x, y) => [x, y + 1],
  Home: (x) => [x, 0],
  End: (x) => [x, SIZE - 1],
  PageUp: (_, y) => [0, y],
  PageDown: (_, y) => [SIZE - 1, y],
};

const LINES = Array.from({ length: SIZE + 1 }, (_, n) => `M0 ${n * 10}H100M${n * 10} 0V100`).join("");
const NUMBERS = Array.from({ length: SIZE }, (_, n) => n);

/**
 * @param {any} ctx
 * @param {{drawing: any, over: any, props?: any}} content what lies on the paper: SVG nodes, and the elements above them
 */
export function sheet({ h, svg }, { drawing, over, props = {} }) {
  return h("div", { class: "planes-paper" },
    h("div", { class: "planes-columns", "aria-hidden": "true" }, NUMBERS.map((n) => h("span", { key: n }, columnName(n)))),
    h("div", { class: "planes-rows", "aria-hidden": "true" }, NUMBERS.map((n) => h("span", { key: n }, n + 1))),
    h("div", { ...props, class: `planes-field ${props.class ?? ""}` },
      svg("svg", { class: "planes-drawing", viewBox: "0 0 100 100", "aria-hidden": "true" },
        svg("path", { class: "planes-lines", d: LINES }), drawing),
      over));
}

/**
 * The cells as a grid.
 * @param {any} ctx
 * @param {{
 *   label: string,
 *   cursor: number,
 *   move: (index: number) => void,
 *   describe: (x: number, y: number) => string,
 *   cell?: (x: number, y: number) => Record<string, any>,
 *   press?: (x: number, y: number, event: any) => void,
 *   listeners?: Record<string, any>,
 * }} grid describe: what stands on a cell, besides its name; press: absent where cells are only read
 */
export function grid({ h }, { label, cursor, move, describe, cell, press, listeners = {} }) {
  const tag = press ? "button" : "div";
  return h("div", {
    class: "planes-grid", role: "grid", "aria-label": label, "aria-readonly": press ? null : "true",
    onkeydown: (/** @type {any} */ event) => step(event, move),
    onfocusin: (/** @type {any} */ event) => at(event, (x, y) => cellIndex(x, y) !== cursor && move(cellIndex(x, y))),
    onclick: press && ((/** @type {any} */ event) => at(event, (x, y) => press(x, y, event))),
    ...listeners,
  }, NUMBERS.map((x) => h("div", { key: x, role: "row" }, NUMBERS.map((y) => {
    const name = cellName(x, y);
    const state = describe(x, y);
    return h(tag, {
      key: y, role: "gridcell", type: press ? "button" : null,
      "data-testid": `cell-${x}-${y}`, "data-cell": cellIndex(x, y),
      "aria-label": state ? `${name} ${state}` : name,
      tabindex: cellIndex(x, y) === cursor ? 0 : -1,
      ...cell?.(x, y),
    });
  }))));
}

/**
 * Calls with the row and column of the cell that an event is about; where it is about none, does nothing.
 * @param {any} event @param {(x: number, y: number) => void} then
 */
export function at(event, then) {
  const index = event.target.closest("[data-cell]")?.dataset.cell;
  if (index !== undefined) then(Math.floor(index / SIZE), index % SIZE);
}

function step(/** @type {any} */ event, /** @type {any} */ move) {
  const next = STEPS[event.key];
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  at(event, (x, y) => {
    event.preventDefault();
    const [row, column] = next(x, y).map((/** @type {number} */ n) => Math.min(SIZE - 1, Math.max(0, n)));
    const index = cellIndex(row, column);
    move(index);
    event.currentTarget.querySelector(`[data-cell="${index}"]`)?.focus();
  });
}
