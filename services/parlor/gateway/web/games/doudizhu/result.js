// @ts-check
/** The settlement: how the game ended and what multiplied the base score (RULES.md 6.4). The scores stand beside it. */

import { h } from "../../ui/dom.js";
import { isClassic, SEATS, sideOf } from "./seating.js";
import { endText } from "./speech.js";
import { factorText } from "./stakes.js";

/** @typedef {Record<string, any>} Json */

export function result(/** @type {Json} */ ctx) {
  const { view } = ctx;
  const ending = view?.table.ending;
  if (!ending) return null;
  return h(
    "div",
    { class: "ddz-result" },
    h("p", { class: "ddz-end" }, endText(ending, ctx)),
    ending.reason !== "DOU_DIZHU_END_REASON_DISSOLVED" && !isClassic(view) && breakdown(ctx),
  );
}

/** Base score times each factor is the unit, which the server has counted; seats that doubled count their own twice. */
function breakdown(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const { ending, doubled } = view.table;
  const rows = [
    [t("doudizhu.base"), view.config.baseScore],
    ...view.factors.map((/** @type {Json} */ factor) => [factorText(factor, t), `×${factor.times}`]),
  ];
  const doublers = SEATS.filter((seat) => doubled?.seats[seat]).map((seat) => [
    t("doudizhu.factor.doubled", { name: ctx.name(seat), side: t(`doudizhu.chip.${sideOf(view, seat)}`) }),
    "×2",
  ]);
  const row = (/** @type {any[]} */ [name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value));
  return h(
    "dl",
    { class: "ddz-breakdown" },
    rows.map(row),
    h("div", { class: "sum", key: "unit" }, h("dt", null, t("doudizhu.unit")), h("dd", null, grouped(ending.unit))),
    doublers.map(row),
    view.config.stakeCap > 0 &&
      h("div", { key: "cap" }, h("dt", null, t("doudizhu.cap")), h("dd", null, grouped(view.config.stakeCap))),
  );
}

/** What a peasant pays or gets is a 64-bit number and comes as text. */
const grouped = (/** @type {string | number} */ number) => BigInt(number).toLocaleString("en-US");
