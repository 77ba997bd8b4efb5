// @ts-check
/** A finished round on paper: what won, how its score is made up, and who pays whom. */

import { h } from "../../ui/dom.js";
import { meld } from "./melds.js";
import { tile } from "./tile.js";
import { bare, list, say, signed, who, whom, whose } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** How a round ended, in a sentence without a full stop. @param {Json} ctx @param {Json} record */
export function headline(ctx, record) {
  if (record.result !== "JINXIAN_ROUND_RESULT_WIN") return say(ctx, "settle.draw");
  const loser = record.loser === undefined ? "" : whose(ctx, record.loser);
  return say(ctx, `settle.${bare("JINXIAN_WIN_BY_", record.by)}`, { name: who(ctx, record.winner), loser });
}

/** A reading of a hand, such as `Seven pairs, without jing`. @param {Json} ctx @param {Json} score */
export const reading = (ctx, score) =>
  say(ctx, score.hasJing ? "score.withJing" : "score.noJing", { pattern: say(ctx, `pattern.${bare("JINXIAN_PATTERN_", score.pattern)}`) });

/** The first words about a win: the pattern and what made it special. @param {Json} ctx @param {Json} record */
export function title(ctx, record) {
  const special = bare("JINXIAN_SPECIAL_", record.special);
  return list(ctx, [special === "UNSPECIFIED" ? null : say(ctx, `special.${special}`), reading(ctx, record.win.scores[0])].filter((word) => word !== null));
}

/** The account of a win, line by line. @param {Json} ctx @param {Json} record */
export function account(ctx, record) {
  const { win } = record;
  const [score, ...others] = win.scores;
  const bonuses = [!score.hasJing && say(ctx, "score.noJingBonus"), score.isJingdiao && say(ctx, "score.jingdiaoBonus")].filter(Boolean);
  const formula = { base: score.base, bonus: score.bonus, multiplier: win.multiplier, jing: win.jingScore, total: win.total };
  return h(
    "div",
    { class: "jx-account" },
    h(
      "dl",
      { class: "jx-lines number" },
      line("base", `${reading(ctx, score)} · ${say(ctx, "score.base")}`, score.base),
      score.bonus > 0 && line("bonus", say(ctx, "score.bonus", { names: list(ctx, bonuses) }), `+${score.bonus}`),
      win.factors.map((/** @type {Json} */ factor) => line(factor.name, say(ctx, `factor.${bare("JINXIAN_FACTOR_NAME_", factor.name)}`), `×${factor.value}`)),
      win.jingScore !== "0" && line("jing", say(ctx, "score.jing", { points: win.jingPoints }), `+${win.jingScore}`),
      line("total", say(ctx, "score.total"), win.total, "jx-total"),
      win.payTotal !== win.total && line("minimum", say(ctx, "score.minimum"), win.payTotal, "jx-total"),
    ),
    h("p", { class: "jx-formula number soft small" }, say(ctx, "score.formula", formula)),
    others.length > 0 && h("p", { class: "soft small" }, say(ctx, "score.also", { readings: list(ctx, others.map((/** @type {Json} */ other) => reading(ctx, other))) })),
  );
}

const line = (/** @type {string} */ key, /** @type {string} */ what, /** @type {string | number} */ amount, more = "") =>
  h("div", { key, class: `jx-line ${more}` }, h("dt", null, what), h("dd", null, amount));

/** Who pays whom how much for the win. @param {Json} ctx @param {Json} record */
export function payments(ctx, record) {
  if (record.transfers.length === 0) return null;
  return h(
    "section",
    { class: "jx-payments" },
    h("h3", null, say(ctx, "score.payments")),
    h(
      "dl",
      { class: "jx-lines number" },
      record.transfers.map((/** @type {Json} */ { payer, payee, amount }) =>
        line(`${payer}`, say(ctx, "pay", { payer: who(ctx, payer), payee: whom(ctx, payee) }), amount)),
    ),
  );
}

/** What kongs, jing and the first discards paid; nothing where no option says so. @param {Json} ctx @param {Json} record */
export function extras(ctx, record) {
  if (record.extras.every((/** @type {string} */ amount) => amount === "0")) return null;
  return h(
    "section",
    { class: "jx-payments" },
    h("h3", null, say(ctx, "score.extras")),
    h("dl", { class: "jx-lines number" }, record.extras.map((/** @type {string} */ amount, /** @type {number} */ seat) => line(`${seat}`, who(ctx, seat), signed(amount)))),
  );
}

/** The winner's tiles at the end of the round that the table shows. @param {Json} ctx @param {Json} record */
export function winningHand(ctx, record) {
  const { table } = ctx.view;
  const { winner, win } = record;
  const tiles = [...(table.shown[winner]?.tiles ?? [])];
  if (record.by === "JINXIAN_WIN_BY_SELF_DRAW") tiles.splice(tiles.lastIndexOf(win.tile), 1);
  return h(
    "div",
    { class: "jx-winning", role: "group", "aria-label": say(ctx, "settle.hand", { name: ctx.name(winner) }) },
    table.melds[winner].melds.length > 0 && h("div", { class: "jx-laid" }, table.melds[winner].melds.map((/** @type {Json} */ one, /** @type {number} */ at) => meld(ctx, winner, one, `${at}`))),
    h("span", { class: "jx-strip" }, tiles.map((kind, at) => tile(ctx, kind, { key: `${at}` }))),
    h("span", { class: "jx-strip jx-strip-last", role: "group", "aria-label": say(ctx, "settle.tile") }, tile(ctx, win.tile, { class: "jx-won" })),
  );
}

/** The whole account of a round: the win, the payments and the extras. @param {Json} ctx @param {Json} record */
export function breakdown(ctx, record) {
  if (!record.win) return [extras(ctx, record)];
  return [account(ctx, record), payments(ctx, record), extras(ctx, record)];
}
