// @ts-check
/** Where seats sit on the screen, and what of their hands may be shown. */

/** @typedef {Record<string, any>} Json */

const AROUND = /** @type {const} */ (["bottom", "right", "top", "left"]);
const PHASE = "JINXIAN_PHASE_";

/** The seat in front: the own one, for spectators the first. @param {Json} ctx @returns {number} */
export const near = (ctx) => ctx.seat ?? ctx.view.seat ?? 0;

/** Play goes to the right. @param {Json} ctx @param {number} seat */
export const placeOf = (ctx, seat) => AROUND[(seat - near(ctx) + 4) % 4];

/** @param {Json} ctx @param {"bottom" | "right" | "top" | "left"} place @returns {number} */
export const seatAt = (ctx, place) => (near(ctx) + AROUND.indexOf(place)) % 4;

/** @param {Json} view @returns {string} such as `PLAYING` */
export const phaseOf = (view) => view.table.phase.slice(PHASE.length);

/**
 * The concealed tiles of a seat as far as they may be seen.
 * @param {Json} ctx
 * @param {number} seat
 * @returns {{tiles: number[] | null, drawn: number | null, count: number}} `tiles` null: hidden; `drawn` is among them
 */
export function handOf(ctx, seat) {
  const { view } = ctx;
  const own = seat === view.seat ? view : ctx.others?.[seat];
  const count = view.table.counts[seat];
  if (own) return { tiles: own.hand, drawn: own.drawn ?? null, count };
  const shown = view.table.shown[seat];
  return { tiles: shown?.tiles ?? null, drawn: null, count };
}

/**
 * The tiles of a hand in the order in which they are held: the jing first, then by kind, and the drawn one last.
 * @param {Json} view
 * @param {{tiles: number[] | null, drawn: number | null}} hand
 * @returns {{key: string, kind: number, part: "jing" | "plain" | "drawn"}[]} `key` stays with a tile while it is held
 */
export function held(view, { tiles, drawn }) {
  const { jing } = view.table;
  const rest = [...(tiles ?? [])];
  if (drawn !== null) rest.splice(rest.lastIndexOf(drawn), 1);
  const isJing = (/** @type {number} */ kind) => Boolean(jing) && (kind === jing.zheng || kind === jing.fu);
  /** @type {Map<number, number>} */
  const copies = new Map();
  const keyed = (/** @type {number} */ kind, /** @type {"jing" | "plain" | "drawn"} */ part) => {
    const copy = copies.get(kind) ?? 0;
    copies.set(kind, copy + 1);
    return { key: `${kind}-${copy}`, kind, part };
  };
  return [
    ...rest.filter(isJing).map((kind) => keyed(kind, "jing")),
    ...rest.filter((kind) => !isJing(kind)).map((kind) => keyed(kind, "plain")),
    ...(drawn === null ? [] : [keyed(drawn, "drawn")]),
  ];
}
