// @ts-check
/**
 * What the game is about: the bottom cards, the base score and what multiplies it (RULES.md 6.4). For the eye only, as
 * the game goes on: what anybody wins or loses the server says, and a test compares.
 */

import { h } from "../../ui/dom.js";
import { faceDown, faceUp, fan } from "./cards.js";
import { isClassic } from "./seating.js";

/** @typedef {Record<string, any>} Json */

const BOTTOM_CARDS = 3;
const SPRINGS = { DOU_DIZHU_SPRING_SPRING: "spring", DOU_DIZHU_SPRING_ANTI_SPRING: "antiSpring" };

/**
 * Each thing that multiplies the base score, with how much, in the order in which it is counted.
 * @param {Json} view
 * @returns {{name: string, times: number, n?: number}[]} `n`: how many there were.
 */
export function factors(view) {
  const { bid, robs, bombs, shown, ending, landlord } = view.table;
  if (isClassic(view)) return [];
  const spring = SPRINGS[ending?.spring];
  return [
    { name: "bid", times: landlord === undefined ? 0 : bid },
    { name: "robs", times: robs ? 2 ** robs : 0, n: robs },
    { name: "bombs", times: bombs ? 2 ** bombs : 0, n: bombs },
    { name: "shown", times: shown ? 2 : 0 },
    { name: spring ?? "", times: spring ? 2 : 0 },
  ].filter(({ times }) => times > 0);
}

export function stakes(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const base = h("span", { class: "ddz-fact" }, t("doudizhu.base"), " ", h("b", null, view.config.baseScore));
  if (isClassic(view)) return h("div", { class: "ddz-stakes" }, h("div", { class: "ddz-facts" }, base));
  const parts = factors(view);
  const times = parts.reduce((product, factor) => product * factor.times, 1);
  const why = parts.map((factor) => factorText(factor, t)).join(t("doudizhu.comma"));
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

/** Such as "抢地主 2 次 ×4". */
export const factorText = (/** @type {{name: string, times: number, n?: number}} */ { name, times, n }, t) =>
  `${t(`doudizhu.factor.${name}`, { n: n ?? 0 })} ×${times}`;

function bottom(/** @type {Json} */ { view, t }) {
  const { bottom: cards } = view.table;
  const shown =
    cards.length > 0
      ? cards.map((card) => faceUp(card, t))
      : Array.from({ length: BOTTOM_CARDS }, (_, place) => faceDown(place));
  const label = t(cards.length > 0 ? "doudizhu.bottom" : "doudizhu.bottom.hidden");
  return fan(shown, { class: "ddz-bottom", role: "group", "aria-label": label });
}
