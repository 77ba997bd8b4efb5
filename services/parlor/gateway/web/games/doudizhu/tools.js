// @ts-check
/** What a seat may do beside the table's question: autoplay, an open hand, giving up. */

import { h } from "../../ui/dom.js";
import { setAutoplay } from "./moves.js";
import { isOver } from "./seating.js";
import { stateOf } from "./selection.js";

/** @typedef {Record<string, any>} Json */

export function tools(/** @type {Json} */ ctx) {
  const { view, mine, t } = ctx;
  if (!mine || isOver(view) || view.table.deal === 0) return h("div", { class: "ddz-tools" });
  const onAutoplay = view.table.autoplay.seats[view.seat];
  const disabled = isHeld(ctx);
  return h(
    "div",
    { class: "ddz-tools" },
    view.mayShow &&
      h(
        "button",
        { ...small, key: "show", disabled, "data-act": "show", onclick: () => ctx.act({ show: {} }) },
        t("doudizhu.show"),
      ),
    view.maySurrender &&
      h(
        "button",
        {
          ...small,
          key: "surrender",
          disabled,
          "data-testid": "surrender",
          onclick: () => {
            stateOf(ctx).confirming = true;
            ctx.redraw();
          },
        },
        t("doudizhu.surrender"),
      ),
    h(
      "button",
      {
        ...small,
        key: "autoplay",
        disabled,
        "data-testid": "autoplay",
        "data-act": "autoplay",
        "aria-pressed": onAutoplay,
        onclick: () => setAutoplay(ctx, !onAutoplay),
      },
      t("doudizhu.autoplay"),
    ),
  );
}

/** Whether nothing can be pressed just now. */
const isHeld = (/** @type {Json} */ { live, pending }) => !live || Boolean(pending);

const small = { type: "button", class: "btn btn-small ddz-tool" };

/** A veil over the hand of a seat that the server plays, to take the seat back by one press. */
export function autoplayVeil(/** @type {Json} */ ctx) {
  const { view, mine, t } = ctx;
  if (!mine || isOver(view) || !view.table.autoplay.seats[view.seat]) return null;
  return h(
    "div",
    { class: "ddz-veil", key: "veil" },
    h("span", null, t("doudizhu.autoplay.on")),
    h(
      "button",
      { type: "button", class: "btn btn-primary", disabled: isHeld(ctx), onclick: () => setAutoplay(ctx, false) },
      t("doudizhu.autoplay.off"),
    ),
  );
}
