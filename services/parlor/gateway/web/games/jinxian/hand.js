// @ts-check
/** The hand in front: sorted, the jing apart, the drawn tile apart; a tile is lifted first and then discarded. */

import { h } from "../../ui/dom.js";
import { advice } from "./hint.js";
import { discard, lift, mayDiscard, own, step } from "./moves.js";
import { handOf, held, near } from "./places.js";
import { back, tile, tileLabel } from "./tile.js";
import { say } from "./words.js";

/** @typedef {Record<string, any>} Json */
/** @typedef {{key: string, kind: number, part: string}} Held */

/** So far a tile is dragged up before letting go discards it, in parts of its height. */
const THROW = 0.55;
/** A finger is never quite still. */
const SLOP_PX = 8;

/** @param {Json} ctx */
export function hand(ctx) {
  const seat = near(ctx);
  const shown = handOf(ctx, seat);
  const count = shown.tiles?.length ?? shown.count;
  const props = { class: "jx-hand", role: "group", style: { "--per": perRow(count) }, "data-rows": count > 8 ? 2 : 1 };
  if (!shown.tiles) {
    const label = say(ctx, "handOf", { name: ctx.name(seat) });
    return h("div", { ...props, class: "jx-hand jx-closed", "aria-label": label }, Array.from({ length: count }, (_, at) => back({ key: `${at}` })));
  }
  if (!ctx.mine || seat !== ctx.view.seat) {
    const label = say(ctx, "handOf", { name: ctx.name(seat) });
    return h("div", { ...props, "aria-label": label }, held(ctx.view, shown).map(({ key, kind, part }) => tile(ctx, kind, { key, class: `jx-part-${part}` })));
  }
  const tiles = own(ctx.view);
  const first = tiles.find(({ key }) => key === ctx.local.lifted) ?? tiles[tiles.length - 1];
  return h(
    "div",
    {
      ...props,
      class: `jx-hand jx-own ${mayDiscard(ctx) ? "jx-open-hand" : ""}`,
      "aria-label": say(ctx, "hand"),
      "aria-description": say(ctx, "handHelp"),
      onkeydown: (/** @type {KeyboardEvent} */ event) => steer(ctx, event),
    },
    tiles.map((one) => ownTile(ctx, one, one === first)),
  );
}

/** How many tiles stand side by side where the screen is narrow: one row up to eight, else two. */
const perRow = (/** @type {number} */ count) => (count <= 8 ? 8 : count <= 11 ? 6 : 7);

function ownTile(/** @type {Json} */ ctx, /** @type {Held} */ one, /** @type {boolean} */ isStop) {
  const { key, kind, part } = one;
  const isLifted = ctx.local.lifted === key;
  const isSent = isLifted && ctx.pending?.discard === kind;
  const isAdvised = advice(ctx)?.action?.discard === kind && mayDiscard(ctx);
  const label = tileLabel(ctx, kind);
  const kinds = [`jx-part-${part}`, isLifted && "jx-lifted", isSent && "jx-sent", isAdvised && "jx-advised"];
  return tile(ctx, kind, {
    key,
    class: kinds.filter(Boolean).join(" "),
    label: part === "drawn" ? say(ctx, "tile.drawn", { tile: label }) : label,
    "data-testid": "tile",
    "data-key": key,
    "aria-pressed": isLifted,
    // One stop for the Tab key; arrows move inside.
    tabindex: isStop ? 0 : -1,
    onclick: (/** @type {MouseEvent} */ event) => press(ctx, one, event),
    onpointerdown: (/** @type {PointerEvent} */ event) => grasp(ctx, event),
    onpointermove: (/** @type {PointerEvent} */ event) => drag(ctx, event),
    onpointerup: (/** @type {PointerEvent} */ event) => release(ctx, event, one),
    onpointercancel: (/** @type {PointerEvent} */ event) => lay(ctx, event),
  });
}

/** The first press lifts, the second discards, or lays the tile back where nothing may be discarded. */
function press(/** @type {Json} */ ctx, /** @type {Held} */ one, /** @type {MouseEvent} */ event) {
  // The click that ends a drag is none; those of the keyboard have no detail.
  if (ctx.local.dragged && event.detail > 0) {
    ctx.local.dragged = false;
    return;
  }
  if (ctx.pending) return;
  if (ctx.local.lifted !== one.key) return lift(ctx, one.key);
  if (mayDiscard(ctx)) discard(ctx, one);
  else lift(ctx, null);
}

function grasp(/** @type {Json} */ ctx, /** @type {PointerEvent} */ event) {
  ctx.local.dragged = false;
  if (!mayDiscard(ctx) || !event.isPrimary || event.button !== 0) return;
  ctx.local.drag = { id: event.pointerId, x: event.clientX, y: event.clientY };
}

/** The tile follows the finger, past the virtual DOM, which has no part in it. */
function drag(/** @type {Json} */ ctx, /** @type {PointerEvent} */ event) {
  const from = ctx.local.drag;
  if (!from || from.id !== event.pointerId) return;
  const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
  const el = /** @type {HTMLElement} */ (event.currentTarget);
  if (!ctx.local.dragged) {
    if (Math.hypot(dx, dy) < SLOP_PX) return;
    ctx.local.dragged = true;
    el.setPointerCapture(event.pointerId);
  }
  el.style.translate = `${dx}px ${Math.min(0, dy)}px`;
}

function release(/** @type {Json} */ ctx, /** @type {PointerEvent} */ event, /** @type {Held} */ one) {
  const from = ctx.local.drag;
  const el = /** @type {HTMLElement} */ (event.currentTarget);
  const isThrown = from && ctx.local.dragged && from.y - event.clientY > THROW * el.offsetHeight;
  lay(ctx, event);
  if (isThrown) discard(ctx, one);
}

function lay(/** @type {Json} */ ctx, /** @type {PointerEvent} */ event) {
  ctx.local.drag = null;
  /** @type {HTMLElement} */ (event.currentTarget).style.translate = "";
}

/** Arrows choose a tile and keep the focus on it; up discards it. Enter and space press the button that has the focus. */
function steer(/** @type {Json} */ ctx, /** @type {KeyboardEvent} */ event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const tiles = own(ctx.view);
  const box = /** @type {HTMLElement} */ (event.currentTarget);
  const move = (/** @type {() => void} */ choose) => {
    choose();
    /** @type {HTMLElement | null} */ (box.querySelector(`[data-key="${ctx.local.lifted}"]`))?.focus();
  };
  /** @type {Record<string, () => void>} */
  const on = {
    ArrowLeft: () => move(() => step(ctx, -1)),
    ArrowRight: () => move(() => step(ctx, 1)),
    Home: () => move(() => lift(ctx, tiles[0].key)),
    End: () => move(() => lift(ctx, tiles[tiles.length - 1].key)),
    ArrowUp: () => discard(ctx, tiles.find(({ key }) => key === ctx.local.lifted) ?? null),
    ArrowDown: () => lift(ctx, null),
  };
  if (on[event.key]) {
    event.preventDefault();
    on[event.key]();
  }
  // What is pressed here is meant for the tile, not for the table's own keys.
  if (on[event.key] || event.key === "Enter" || event.key === " ") event.stopPropagation();
}
