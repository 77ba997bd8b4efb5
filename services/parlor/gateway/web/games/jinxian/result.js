// @ts-check
/** What a game came to: the ranking, and every round with its account. */

import { h } from "../../ui/dom.js";
import { breakdown, headline, title } from "./scoring.js";
import { change } from "./settlement.js";
import { bare, say, signed, who } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** @param {Json} ctx */
export function result(ctx) {
  const { ending, history } = ctx.view?.table ?? {};
  if (!ending) return null;
  const reason = bare("JINXIAN_END_REASON_", ending.reason);
  return h(
    "div",
    { class: "jx-result" },
    h("p", { class: "soft" }, say(ctx, `result.${reason}`, { rounds: ctx.view.config.totalRounds })),
    ranking(ctx, ending),
    history.length === 0
      ? h("p", { class: "soft" }, say(ctx, "result.none"))
      : h("section", { class: "jx-rounds" }, h("h2", null, say(ctx, "result.rounds")), history.map((/** @type {Json} */ record) => round(ctx, record))),
  );
}

function ranking(/** @type {Json} */ ctx, /** @type {Json} */ { ranks, scores }) {
  const { tallies } = ctx.view.table;
  const order = [0, 1, 2, 3].sort((one, other) => ranks[one] - ranks[other] || one - other);
  const heading = (/** @type {string} */ key) => h("th", { scope: "col" }, say(ctx, key));
  return h(
    "table",
    { class: "jx-scores jx-ranking number" },
    h("caption", { class: "sr-only" }, say(ctx, "result.ranking")),
    h("thead", null, h("tr", null, ["result.ranking", "column.player", "column.score", "result.wins", "result.selfDraws", "result.losses"].map(heading))),
    h("tbody", null, order.map((seat) => {
      const { wins, selfDraws, losses } = tallies[seat];
      return h(
        "tr",
        { key: `${seat}`, class: ranks[seat] === 1 ? "jx-winner" : "" },
        h("td", { "aria-label": say(ctx, "result.rank", { rank: ranks[seat] }) }, h("span", { class: `jx-rank jx-rank-${ranks[seat]}` }, ranks[seat])),
        h("th", { scope: "row" }, h("bdi", { class: "jx-who" }, who(ctx, seat))),
        h("td", { class: change(scores[seat]) }, signed(scores[seat])),
        [wins, selfDraws, losses].map((count) => h("td", null, count)),
      );
    })),
  );
}

/** A round in one line, which opens to its account. */
function round(/** @type {Json} */ ctx, /** @type {Json} */ record) {
  const what = record.win ? `${headline(ctx, record)} · ${title(ctx, record)}` : headline(ctx, record);
  return h(
    "details",
    { key: `${record.number}`, class: "jx-round-line" },
    h(
      "summary",
      null,
      h("span", { class: "grow" }, say(ctx, "result.roundLine", { round: record.number, what })),
      h("span", { class: "jx-deltas number" }, record.deltas.map((/** @type {string} */ delta, /** @type {number} */ seat) => h("span", { key: `${seat}`, class: change(delta), title: ctx.name(seat) }, signed(delta)))),
    ),
    h("div", { class: "jx-columns" }, breakdown(ctx, record)),
  );
}
