// @ts-check
/**
 * Where things are drawn: cells by name, and the eleven cells that a plane covers on the paper.
 * What a fleet may be is never decided here; the rules service says that (`check.js`).
 */

/** @typedef {{x: number, y: number, direction: string}} Plane row and column of the head, and the nose */

export const SIZE = 10;

/** Clockwise, as a turn of the plane goes. */
export const DIRECTIONS = [
  "PLANES_DIRECTION_UP", "PLANES_DIRECTION_RIGHT", "PLANES_DIRECTION_DOWN", "PLANES_DIRECTION_LEFT",
];

const COLUMNS = "ABCDEFGHIJ";

/** How far back from the head and how far across: the head, the wings, the body, the tail. */
const NOSE_UP = [[0, 0], [1, -2], [1, -1], [1, 0], [1, 1], [1, 2], [2, 0], [3, 0], [4, -1], [4, 0], [4, 1]];
const MIDDLE = [2, 0];

/** @param {number} x row @param {number} y column @returns {string} such as `B7`: column, then row */
export const cellName = (x, y) => `${COLUMNS[y]}${x + 1}`;

/** @param {number} y */
export const columnName = (y) => COLUMNS[y];

/** @param {number} x @param {number} y @returns {number} 0..99 */
export const cellIndex = (x, y) => x * SIZE + y;

/** @param {string} direction @returns {number} degrees clockwise from nose up */
export const angle = (direction) => Math.max(0, DIRECTIONS.indexOf(direction)) * 90;

/** @param {Plane} plane @returns {{x: number, y: number}[]} the head first; some may be off the paper */
export function cellsOf(plane) {
  return NOSE_UP.map(([back, across]) => {
    const [down, right] = along(plane.direction, back, across);
    return { x: plane.x + down, y: plane.y + right };
  });
}

/** @param {Plane} plane @returns {{top: number, left: number, height: number, width: number}} in cells */
export function boxOf(plane) {
  const cells = cellsOf(plane);
  const rows = cells.map(({ x }) => x);
  const columns = cells.map(({ y }) => y);
  const top = Math.min(...rows);
  const left = Math.min(...columns);
  return { top, left, height: Math.max(...rows) - top + 1, width: Math.max(...columns) - left + 1 };
}

/** The plane pushed back onto the paper, as a hand would. @param {Plane} plane @returns {Plane} */
export function onPaper(plane) {
  const { top, left, height, width } = boxOf(plane);
  return { ...plane, x: plane.x + push(top, height), y: plane.y + push(left, width) };
}

/** The plane turned clockwise about its middle, which stays where it is. @param {Plane} plane @returns {Plane} */
export function turned(plane) {
  const direction = DIRECTIONS[(DIRECTIONS.indexOf(plane.direction) + 1) % DIRECTIONS.length];
  const from = along(plane.direction, MIDDLE[0], MIDDLE[1]);
  const to = along(direction, MIDDLE[0], MIDDLE[1]);
  return onPaper({ x: plane.x + from[0] - to[0], y: plane.y + from[1] - to[1], direction });
}

/** @param {number} start @param {number} length */
function push(start, length) {
  return Math.max(0, -start) - Math.max(0, start + length - SIZE);
}

/** @param {string} direction @param {number} back @param {number} across @returns {[number, number]} rows, columns */
function along(direction, back, across) {
  switch (direction) {
    case "PLANES_DIRECTION_DOWN": return [-back, across];
    case "PLANES_DIRECTION_LEFT": return [across, back];
    case "PLANES_DIRECTION_RIGHT": return [across, -back];
    default: return [back, across];
  }
}
