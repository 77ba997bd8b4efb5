// @ts-check
/** The settlement over the table between two rounds: the round's account, the scores, and who is ready to go on. */

import { h } from "../../ui/dom.js";
import { button, isSettlementOpen, settlementButton, stopAutoplay } from "./bar.js";
import { clock } from "./centre.js";
import { choices } from "./moves.js";
import { breakdown, headline, title, winningHand } from "./scoring.js";
import { say, signed, who } from "./words.js";

/** @typedef {Record<string, any>} Json */

const SEATS = [0, 1, 2, 3];

/** @param {Json} ctx */
export function settlement(ctx) {
  if (!isSettlementOpen(ctx)) return null;
  const { history, deadline } = ctx.view.table;
  const record = history[history.length - 1];
  return h(
    "section",
    { key: "settlement", class: "panel jx-settlement", "aria-labelledby": "jx-settlement-title" },
    h(
      "header",
      { class: "jx-settlement-head" },
      h("div", null, h("p", { class: "soft small" }, say(ctx, "settle.title", { round: record.number })), h("h2", { id: "jx-settlement-title" }, headline(ctx, record))),
      record.win
        ? h("p", { class: "jx-verdict" }, h("span", null, title(ctx, record)), h("strong", { class: "number" }, say(ctx, "score", { score: record.win.payTotal })))
        : h("p", { class: "soft" }, say(ctx, "settle.drawHelp")),
    ),
    h("div", { class: "jx-settlement-body", role: "group", "aria-labelledby": "jx-settlement-title", tabindex: 0 }, record.win && winningHand(ctx, record), h("div", { class: "jx-columns" }, breakdown(ctx, record)), scores(ctx, record)),
    h(
      "footer",
      { class: "jx-settlement-foot" },
      deadline && clock(ctx, deadline),
      stopAutoplay(ctx),
      settlementButton(ctx),
      choices(ctx).map((one) => button(ctx, one)),
    ),
  );
}

/** Every seat's change and total, and whether it waits for the next round. */
function scores(/** @type {Json} */ ctx, /** @type {Json} */ record) {
  const { tallies, deadline } = ctx.view.table;
  const waits = (/** @type {number} */ seat) => deadline?.seats.includes(seat);
  const heading = (/** @type {string} */ key) => h("th", { scope: "col" }, say(ctx, `column.${key}`));
  return h(
    "table",
    { class: "jx-scores number" },
    h("thead", null, h("tr", null, heading("player"), heading("round"), heading("score"), heading("state"))),
    h("tbody", null, SEATS.map((seat) =>
      h(
        "tr",
        { key: `${seat}`, class: record.winner === seat ? "jx-winner" : "" },
        h("th", { scope: "row" }, record.dealer === seat && h("span", { class: "jx-dealer", "aria-hidden": "true" }, say(ctx, "dealer")), h("bdi", { class: "jx-who" }, who(ctx, seat))),
        h("td", { class: change(record.deltas[seat]) }, signed(record.deltas[seat])),
        h("td", null, signed(tallies[seat].score)),
        h("td", { class: waits(seat) ? "soft" : "jx-gain" }, say(ctx, waits(seat) ? "settle.waits" : "ready")),
      ))),
  );
}

/** The class of an amount. @param {string} amount */
export const change = (amount) => (Number(amount) > 0 ? "jx-gain" : Number(amount) < 0 ? "jx-loss" : "");
