// @ts-check
/**
 * What the game is about: the bottom cards, the base score and what multiplies it by now, as the view says.
 */

import { h } from "../../ui/dom.js";
import { faceDown, faceUp, fan } from "./cards.js";
import { isClassic } from "./seating.js";

/** @typedef {Record<string, any>} Json */

const BOTTOM_CARDS = 3;
const NAME = "DOU_DIZHU_FACTOR_NAME_";

export function stakes(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const base = h("span", { class: "ddz-fact" }, t("doudizhu.base"), " ", h("b", null, view.config.baseScore));
  if (isClassic(view)) return h("div", { class: "ddz-stakes" }, h("div", { class: "ddz-facts" }, base));
  const times = view.multiplier;
  const why = view.factors.map((factor) => `${factorText(factor, t)} ×${factor.times}`).join(t("doudizhu.comma"));
  const told = why && { role: "group", title: why, "aria-label": t("doudizhu.times.label", { n: times, why }) };
  return h(
    "div",
    { class: "ddz-stakes" },
    bottom(ctx),
    h(
      "div",
      { class: "ddz-facts" },
      base,
      h(
        "span",
        { class: "ddz-fact", ...(told || {}) },
        t("doudizhu.times"),
        " ",
        h("b", { key: times, class: "ddz-times" }, `×${times}`),
      ),
    ),
  );
}

/** Such as "抢地主 2 次". */
export const factorText = (/** @type {Json} */ { name, count }, /** @type {(key: string, values: Json) => string} */ t) =>
  t(`doudizhu.factor.${name.slice(NAME.length)}`, { n: count });

function bottom(/** @type {Json} */ { view, t }) {
  const { bottom: cards } = view.table;
  const shown =
    cards.length > 0
      ? cards.map((card) => faceUp(card, t))
      : Array.from({ length: BOTTOM_CARDS }, (_, place) => faceDown(place));
  const label = t(cards.length > 0 ? "doudizhu.bottom" : "doudizhu.bottom.hidden");
  return fan(shown, { class: "ddz-bottom", role: "group", "aria-label": label });
}
