// @ts-check
/** The own hand: a fan of toggle buttons that tap, drag and keys choose from. */

import { h } from "../../ui/dom.js";
import { face, faceDown, faceUp, fan, tone } from "./cards.js";
import { cardName } from "./deck.js";
import { play } from "./moves.js";
import { handOf, nearSeat, sideOf } from "./seating.js";
import { chosen, dragged, dragging, stateOf, toggle } from "./selection.js";

/** @typedef {Record<string, any>} Json */

/** The hand at the bottom of the screen: one's own, or as much as may be seen of somebody else's. */
export function hand(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const seat = nearSeat(ctx);
  const cards = handOf(ctx, seat);
  const count = view.table.counts[seat];
  if (ctx.mine && cards.length > 0) return ownHand(ctx, cards);
  const label = t("doudizhu.hand.of", { name: ctx.name(seat), n: count });
  const shown = cards.length > 0 ? cards.map((card) => faceUp(card, t)) : backs(count);
  return fan(shown, { class: "ddz-hand", role: "group", "aria-label": label });
}

const backs = (/** @type {number} */ count) => Array.from({ length: count }, (_, place) => faceDown(place));

function ownHand(/** @type {Json} */ ctx, /** @type {number[]} */ cards) {
  const state = stateOf(ctx);
  const selected = new Set(chosen(ctx));
  const covered = new Set(dragged(ctx));
  const sent = new Set(ctx.pending?.play?.cards);
  const fresh = new Set(isBeforePlay(ctx) ? ctx.view.table.bottom : []);
  const cursor = cards.includes(state.cursor ?? -1) ? state.cursor : cards[0];
  const buttons = cards.map((card) =>
    h(
      "button",
      {
        key: card,
        type: "button",
        // As wide as what is to be seen of the card, which lies over it.
        class: [
          "ddz-slot",
          selected.has(card) && "chosen",
          covered.has(card) && "covered",
          sent.has(card) && "sent",
          fresh.has(card) && "fresh",
        ]
          .filter(Boolean)
          .join(" "),
        "data-testid": "card",
        "data-card": card,
        "aria-pressed": selected.has(card),
        "aria-label": cardName(card, ctx.t),
        // One stop for the Tab key; arrows move inside.
        tabindex: card === cursor ? 0 : -1,
        onfocus: () => {
          state.cursor = card;
        },
        onclick: (/** @type {any} */ event) => {
          // The end of a drag; keys and screen readers press without a pointer.
          if (state.ignoreClick && event.detail > 0) return;
          state.cursor = card;
          toggle(ctx, card);
        },
      },
      h("span", { class: tone(card) }, face(card)),
    ),
  );
  return fan(buttons, {
    class: "ddz-hand own",
    role: "toolbar",
    "aria-label": ctx.t("doudizhu.hand.own", { n: cards.length }),
    onkeydown: (/** @type {any} */ event) => onKey(ctx, event),
    ...dragging(ctx),
  });
}

/** Whether the landlord may still want to see which cards came from the bottom. */
function isBeforePlay(/** @type {Json} */ { view }) {
  return sideOf(view, view.seat) === "landlord" && view.table.plays.every((plays) => plays === 0);
}

const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** Arrows move, up and down choose and put back, Enter plays; Space presses the card as on every button. */
function onKey(/** @type {Json} */ ctx, /** @type {any} */ event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const buttons = [...event.currentTarget.querySelectorAll("[data-card]")];
  const place = buttons.indexOf(event.target);
  if (place < 0) return;
  const card = Number(event.target.dataset.card);
  const isChosen = stateOf(ctx).chosen.has(card);
  if (event.key in MOVES) {
    const to = Math.max(0, Math.min(buttons.length - 1, place + MOVES[event.key]));
    buttons[to].focus();
    ctx.redraw();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    if (isChosen === (event.key === "ArrowDown")) toggle(ctx, card);
  } else if (event.key === "Enter") {
    play(ctx);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}
