// @ts-check
/** The plates of the seats: who it is, on which side, how many cards are left, and the clock where the table waits. */

import { h } from "../../ui/dom.js";
import { faceDown, faceUp, fan } from "./cards.js";
import { skullcap, strawHat } from "./emblems.js";
import { handOf, isAsked, isOver, limitOf, nearSeat, sideOf } from "./seating.js";

/** @typedef {Record<string, any>} Json */

/** So few cards that the others should take care (报单, 报双). */
const FEW = 2;

/**
 * A seat's plate.
 * @param {Json} ctx
 * @param {number} seat
 * @param {"left" | "right" | "near"} place
 */
export function plate(ctx, seat, place) {
  const { view, t } = ctx;
  const { table } = view;
  const side = sideOf(view, seat);
  const asked = isAsked(view, seat) && !isOver(view);
  const count = table.counts[seat];
  return h(
    "section",
    {
      class: `ddz-plate ${place} ${asked ? "asked" : ""} ${table.online.seats[seat] ? "" : "offline"}`,
      "aria-label": label(ctx, seat, side, count),
    },
    h(
      "div",
      { class: `ddz-avatar ${side ?? ""}` },
      hat(side) ?? [...ctx.name(seat)][0],
      // Whoever is asked here has a clock in the bar.
      asked && !(place === "near" && ctx.mine && view.prompt) && clock(ctx, seat),
    ),
    h(
      "div",
      { class: "ddz-who" },
      h("div", { class: "ddz-name" }, ctx.name(seat)),
      h("div", { class: "ddz-chips" }, chips(ctx, seat, side)),
    ),
    place !== "near" && remaining(count, isOver(view)),
    place !== "near" && openHand(ctx, seat),
  );
}

const hat = (/** @type {string | null} */ side) =>
  side === "landlord" ? skullcap() : side === "peasant" ? strawHat() : null;

function chips(/** @type {Json} */ ctx, /** @type {number} */ seat, /** @type {string | null} */ side) {
  const { view, t } = ctx;
  const { table } = view;
  const own = seat === view.seat && view.doubleStake;
  const all = {
    [side ?? ""]: side !== null,
    shown: table.shown && side === "landlord",
    doubled: table.doubled ? table.doubled.seats[seat] : own,
    left: table.left.seats[seat],
    offline: !table.online.seats[seat] && !table.left.seats[seat],
    // Who else would play for a seat that was left?
    autoplay: table.autoplay.seats[seat] && !table.left.seats[seat],
  };
  return Object.entries(all)
    .filter(([, holds]) => holds)
    .map(([name]) => h("span", { class: `ddz-chip ${name}`, key: name }, t(`doudizhu.chip.${name}`)));
}

function remaining(/** @type {number} */ count, /** @type {boolean} */ over) {
  const few = count <= FEW && count > 0 && !over;
  return h("div", { class: `ddz-count ${few ? "few" : ""}` }, faceDown(0), h("b", { key: count }, count));
}

function clock(/** @type {Json} */ ctx, /** @type {number} */ seat) {
  const { question, expireTime } = ctx.view.table.deadline;
  const label = ctx.t("doudizhu.clock.of", { name: ctx.name(seat) });
  return h(
    "div",
    { class: "ddz-clock", key: "clock" },
    ctx.countdown(expireTime, { label, total: limitOf(ctx.view, question) }),
  );
}

/** The hand of another seat where it may be seen: laid open, in a replay, or at the end. */
function openHand(/** @type {Json} */ ctx, /** @type {number} */ seat) {
  const cards = handOf(ctx, seat);
  if (cards.length === 0 || seat === nearSeat(ctx)) return null;
  const name = ctx.t("doudizhu.hand.of", { name: ctx.name(seat), n: cards.length });
  return fan(cards.map((card) => faceUp(card, ctx.t)), { class: "ddz-open", role: "group", "aria-label": name });
}

function label(/** @type {Json} */ ctx, /** @type {number} */ seat, /** @type {string | null} */ side, count) {
  const { t } = ctx;
  const parts = [ctx.name(seat), side && t(`doudizhu.chip.${side}`), t("doudizhu.cards", { n: count })];
  return parts.filter(Boolean).join(t("doudizhu.comma"));
}
