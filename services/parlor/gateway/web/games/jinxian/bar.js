// @ts-check
/** The row between table and hand: the own seat, what is known to it alone, and what it may do. */

import { h } from "../../ui/dom.js";
import { clock, question } from "./centre.js";
import { advice, askHint, hintText, isSame } from "./hint.js";
import { asked, choices, discard, isHigherOpen, lifted, mayDiscard } from "./moves.js";
import { near, phaseOf } from "./places.js";
import { plate } from "./plates.js";
import { tile } from "./tile.js";
import { bare, owned, say, tileName } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** @param {Json} ctx */
export function bar(ctx) {
  const seat = near(ctx);
  return h(
    "div",
    { class: "jx-bar" },
    h("section", { class: "jx-near", "aria-label": owned(ctx, "seat", seat) }, plate(ctx, seat), notes(ctx)),
    actions(ctx),
  );
}

/** What only this seat knows: its lock, its answer, the advice it asked for. */
function notes(/** @type {Json} */ ctx) {
  const { view } = ctx;
  if (ctx.seat === null || view.seat === undefined) return null;
  const locked = view.passed !== "0" && phaseOf(view) !== "ROUND_END" && phaseOf(view) !== "GAME_END"
    && say(ctx, isHigherOpen(view) ? "lockedHigher" : "locked", { points: view.passed });
  const answered = view.answer && say(ctx, "answered", { claim: say(ctx, `claim.${bare("JINXIAN_CLAIM_", view.answer.claim)}`) });
  const hint = ctx.mine ? hintText(ctx) : null;
  return h(
    "div",
    { class: "jx-notes" },
    locked && h("span", { key: "lock", class: "jx-note jx-lock", title: locked }, h("span", { "aria-hidden": "true" }, say(ctx, "lockedShort")), h("span", { class: "sr-only" }, locked)),
    answered && h("span", { key: "answer", class: "jx-note" }, answered),
    hint && h("span", { key: "hint", class: "jx-note jx-hint-note", role: "status" }, hint),
  );
}

/** What may be pressed, with the time that is left. While the settlement is open it has all of that. */
function actions(/** @type {Json} */ ctx) {
  if (isSettlementOpen(ctx)) return null;
  const asking = asked(ctx);
  const parts = [
    asking && h("span", { key: "question", class: `jx-question ${asking === "CLAIM" ? "jx-question-claim" : ""}` }, clock(ctx, ctx.view.prompt), h("span", { class: "jx-ask" }, asking === "CONTINUE" ? "" : question(ctx))),
    stopAutoplay(ctx),
    phaseOf(ctx.view) === "ROUND_END" && settlementButton(ctx),
    asking && asking !== "CONTINUE" && !isOnAutoplay(ctx) && hintButton(ctx),
    ...choices(ctx).map((one) => button(ctx, one)),
    (asking === "TURN" || asking === "DISCARD") && discardButton(ctx),
  ].filter(Boolean);
  return parts.length > 0 && h("div", { class: "jx-actions", role: "group", "aria-label": say(ctx, "claims") }, parts);
}

/** One choice as a large button. @param {Json} ctx @param {import("./moves.js").Choice} one */
export function button(ctx, one) {
  const isSent = JSON.stringify(ctx.pending) === JSON.stringify(one.action);
  const isAdvised = isSame(one, advice(ctx)?.action);
  return h(
    "button",
    {
      key: `${one.act}-${one.value}`,
      type: "button",
      class: `btn jx-act jx-act-${one.act} ${isSent ? "jx-sent" : ""} ${isAdvised ? "jx-advised" : ""}`,
      "data-act": one.act,
      "data-value": one.value,
      "aria-label": one.points ? `${one.full}, ${say(ctx, "score", { score: one.points })}` : one.full,
      "aria-keyshortcuts": one.key,
      "aria-busy": isSent,
      disabled: !ctx.live || Boolean(ctx.pending),
      onclick: () => ctx.act(one.action),
    },
    h("span", null, one.label),
    one.points && h("small", { class: "number" }, say(ctx, "act.points", { points: one.points })),
    one.tiles.length > 0 && h("span", { class: "jx-mini", "aria-hidden": "true" }, one.tiles.map((kind, at) => tile(ctx, kind, { key: `${at}` }))),
  );
}

function hintButton(/** @type {Json} */ ctx) {
  const isAsking = advice(ctx)?.state === "asking";
  return h(
    "button",
    { key: "hint", type: "button", class: "btn jx-act jx-act-hint", "data-testid": "hint", "aria-busy": isAsking, disabled: !ctx.live || Boolean(ctx.pending), onclick: () => askHint(ctx) },
    say(ctx, isAsking ? "act.thinking" : "act.hint"),
  );
}

function discardButton(/** @type {Json} */ ctx) {
  const chosen = lifted(ctx);
  return h(
    "button",
    {
      key: "discard",
      type: "button",
      class: "btn jx-act jx-act-discard",
      "data-testid": "discard-go",
      "data-act": "discard",
      "aria-label": chosen ? say(ctx, "act.discardTile", { tile: tileName(ctx, chosen.kind) }) : say(ctx, "act.discard"),
      disabled: !chosen || !mayDiscard(ctx),
      onclick: () => discard(ctx, chosen),
    },
    say(ctx, "act.discard"),
  );
}

const isOnAutoplay = (/** @type {Json} */ ctx) => ctx.mine && ctx.view.table.autoplay.seats[ctx.view.seat];

/** Takes the seat back from the server, which plays it. @param {Json} ctx */
export function stopAutoplay(ctx) {
  if (!isOnAutoplay(ctx)) return null;
  const what = `${say(ctx, "autoplayOn")} ${say(ctx, ctx.view.config.autoWin ? "autoplayWins" : "autoplayNoWins")}`;
  return h(
    "button",
    {
      key: "autoplay",
      type: "button",
      class: "btn btn-primary jx-act",
      title: what,
      "data-testid": "autoplay",
      "data-act": "stopAutoplay",
      "aria-description": what,
      disabled: !ctx.live || Boolean(ctx.pending),
      onclick: () => ctx.act({ stopAutoplay: {} }, 0),
    },
    say(ctx, "act.stopAutoplay"),
  );
}

/** Whether the settlement lies over the table: between two rounds, unless the reader has put it aside. @param {Json} ctx */
export function isSettlementOpen(ctx) {
  const { history, round } = ctx.view.table;
  return phaseOf(ctx.view) === "ROUND_END" && history.length > 0 && ctx.local.settlementHidden !== round;
}

/** Puts the settlement aside to see the table, or takes it back. @param {Json} ctx */
export function settlementButton(ctx) {
  const isOpen = isSettlementOpen(ctx);
  const toggle = () => {
    ctx.local.settlementHidden = isOpen ? ctx.view.table.round : null;
    ctx.redraw();
  };
  return h("button", { key: "settle", type: "button", class: "btn", onclick: toggle }, say(ctx, isOpen ? "settle.hide" : "settle.show"));
}
