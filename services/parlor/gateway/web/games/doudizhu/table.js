// @ts-check
/** The table as a whole: seats around the felt, what lies on it, the own hand in front. */

import { h } from "../../ui/dom.js";
import { suggest } from "./asking.js";
import { bar } from "./bar.js";
import { hand } from "./hand.js";
import { pass, play } from "./moves.js";
import { piles } from "./pile.js";
import { plate } from "./plates.js";
import { isOver, leftSeat, nearSeat, rightSeat } from "./seating.js";
import { choose, chosen, stateOf } from "./selection.js";
import { stakes } from "./stakes.js";
import { autoplayVeil, tools } from "./tools.js";

/** @typedef {Record<string, any>} Json */

export function table(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  if (!view) return h("div", { class: "ddz empty" });
  stateOf(ctx).view = view;
  const [left, right, near] = [leftSeat(ctx), rightSeat(ctx), nearSeat(ctx)];
  const kinds = ["ddz", isOver(view) && "over", ctx.others && "replay"];
  return h(
    "div",
    { class: kinds.filter(Boolean).join(" "), role: "group", "aria-label": t("doudizhu.name") },
    h(
      "div",
      { class: "ddz-felt" },
      plate(ctx, left, "left"),
      stakes(ctx),
      plate(ctx, right, "right"),
      piles(ctx, { [left]: "left", [right]: "right", [near]: "near" }),
      bar(ctx),
      h("div", { class: "ddz-near" }, plate(ctx, near, "near"), tools(ctx)),
      h("div", { class: "ddz-front" }, hand(ctx), autoplayVeil(ctx)),
    ),
  );
}

/** Keys that are open now; those of the hand itself work while it has the focus. */
export function keys(/** @type {Json} */ ctx) {
  const prompt = ctx.live ? ctx.view?.prompt : null;
  if (!prompt || ctx.pending) return [];
  const { t } = ctx;
  const hint = { key: "h", label: t("doudizhu.hint"), run: () => suggest(ctx) };
  if (prompt.question !== "DOU_DIZHU_QUESTION_PLAY") return [hint];
  const clear = () => {
    choose(ctx, []);
    ctx.redraw();
  };
  return [
    hint,
    { key: "Enter", label: t("doudizhu.play"), run: () => play(ctx) },
    ...(prompt.mayPass ? [{ key: "p", label: t("doudizhu.pass"), run: () => pass(ctx) }] : []),
    ...(chosen(ctx).length > 0 ? [{ key: "Escape", label: t("doudizhu.clear"), run: clear }] : []),
  ];
}
