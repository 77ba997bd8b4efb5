// @ts-check
/** Giving up (RULES.md 6.3.2): asked once more before it is sent, and the offer of one peasant to the other. */

import { h } from "../../ui/dom.js";
import { button } from "./buttons.js";
import { consent } from "./moves.js";
import { stateOf } from "./selection.js";

/** @typedef {Record<string, any>} Json */

/** The other peasant's wish to give up, beside whatever the table asks. */
export function offer(/** @type {Json} */ ctx) {
  const { view, t, mine } = ctx;
  if (!view.offer) return null;
  const { seat, mate, expireTime } = view.offer;
  const limit = Number.parseFloat(view.config.consentLimit) * 1000;
  const clock = ctx.countdown(expireTime, { label: t("doudizhu.clock.consent"), total: limit });
  if (mate !== view.seat) {
    return h("div", { class: "ddz-offer", key: "offer" }, h("span", null, t("doudizhu.offer.sent", { mate: ctx.name(mate) })), clock);
  }
  return h(
    "div",
    { class: "ddz-offer", key: "offer", role: "group", "aria-label": t("doudizhu.offer.asks", { name: ctx.name(seat) }) },
    h("span", null, t("doudizhu.offer.asks", { name: ctx.name(seat) })),
    clock,
    mine && [
      button(ctx, "doudizhu.consent.false", () => consent(ctx, false), { act: "consent", value: "false" }),
      button(ctx, "doudizhu.consent.true", () => consent(ctx, true), {
        act: "consent",
        value: "true",
        style: "btn-danger",
      }),
    ],
  );
}

/** Giving up cannot be taken back, so it is asked once more. */
export function surrendering(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const close = () => {
    stateOf(ctx).confirming = false;
    ctx.redraw();
  };
  return h(
    "div",
    { class: "ddz-answers", key: "surrender", role: "group", "aria-label": t("doudizhu.surrender") },
    h("p", { class: "ddz-judged" }, t(view.surrenderNeedsConsent ? "doudizhu.surrender.ask" : "doudizhu.surrender.sure")),
    button(ctx, "doudizhu.back", close, { focus: true }),
    button(
      ctx,
      "doudizhu.surrender",
      () => {
        close();
        ctx.act({ surrender: {} });
      },
      { act: "surrender", style: "btn-danger" },
    ),
  );
}
