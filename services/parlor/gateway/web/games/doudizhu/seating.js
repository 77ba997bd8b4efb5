// @ts-check
/** Who sits where on the screen, what hand is known, and what each seat did last. All of it read from the view. */

/** @typedef {Record<string, any>} Json */

export const SEATS = [0, 1, 2];
const SHOWN_IN_PLAY = ["DOU_DIZHU_ACT_PLAY", "DOU_DIZHU_ACT_PASS"];
const DEAL = "DOU_DIZHU_ACT_DEAL";

/** The seat at the bottom of the screen; spectators sit behind seat 0. */
export const nearSeat = (/** @type {Json} */ ctx) => ctx.seat ?? 0;

/** The next in turn sits to the right. */
export const rightSeat = (/** @type {Json} */ ctx) => (nearSeat(ctx) + 1) % 3;
export const leftSeat = (/** @type {Json} */ ctx) => (nearSeat(ctx) + 2) % 3;

/** The cards of a seat that may be seen here, in display order; empty where they are hidden. */
export const handOf = (/** @type {Json} */ ctx, /** @type {number} */ seat) =>
  (ctx.others?.[seat] ?? ctx.view).hands[seat].cards;

export const isClassic = (/** @type {Json} */ view) => view.config.ruleSet === "DOU_DIZHU_RULE_SET_CLASSIC";
export const isOver = (/** @type {Json} */ view) => view.table.phase === "DOU_DIZHU_PHASE_OVER";

/** Whether the table waits for the seat. */
export const isAsked = (/** @type {Json} */ view, /** @type {number} */ seat) =>
  view.table.deadline?.seats.includes(seat) ?? false;

/** @returns {"landlord" | "peasant" | null} Null: not known yet, or a game without sides. */
export function sideOf(/** @type {Json} */ view, /** @type {number} */ seat) {
  const { landlord } = view.table;
  if (landlord === undefined) return null;
  return seat === landlord ? "landlord" : "peasant";
}

/**
 * What lies before each seat: its newest word or play, none where it is about to act again.
 * @param {Json} view
 * @returns {(Json | undefined)[]} Entries of the history with their `place` in it, by seat.
 */
export function lastActs(view) {
  const { history, phase } = view.table;
  const placed = history.map((entry, place) => ({ ...entry, place }));
  const dealt = placed.findLastIndex((entry) => entry.act === DEAL);
  const inPlay = phase !== "DOU_DIZHU_PHASE_BIDDING";
  const current = placed.slice(dealt + 1).filter((entry) => SHOWN_IN_PLAY.includes(entry.act) === inPlay);
  // In play only one round lies on the table; in the bidding every word stays.
  const seen = inPlay ? current.slice(-3) : current;
  return SEATS.map((seat) =>
    inPlay && isAsked(view, seat) ? undefined : seen.findLast((entry) => entry.seat === seat),
  );
}

/** How long the table's question may take in all, in ms. */
export function limitOf(/** @type {Json} */ view, /** @type {string} */ question) {
  const fields = { DOU_DIZHU_QUESTION_PLAY: "playLimit", DOU_DIZHU_QUESTION_DOUBLE: "doubleLimit" };
  return Number.parseFloat(view.config[fields[question] ?? "bidLimit"]) * 1000;
}
