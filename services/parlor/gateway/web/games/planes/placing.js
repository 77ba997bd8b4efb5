// @ts-check
/** Laying out the fleet: by dragging and turning, by keys, or by asking for a layout; then placing it for good. */

import { sheet } from "./board.js";
import { layOut, verdict } from "./check.js";
import { localOf } from "./local.js";
import { drawPlane } from "./plane.js";
import { boxOf, cellsOf, onPaper, SIZE, turned } from "./shape.js";
import { planeText } from "./sides.js";

/** @type {Record<string, number[]>} rows and columns */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {any} ctx @param {string} label */
export function placingBoard(ctx, label) {
  const local = localOf(ctx);
  if (!local.fleet) layOut(ctx);
  const { blamed } = verdict(ctx);
  const fleet = local.fleet ?? [];
  // The chosen plane lies on top, where it overlaps.
  const order = fleet.map((_, n) => n).sort((one, other) => Number(one === local.chosen) - Number(other === local.chosen));
  const tone = (/** @type {number} */ n) => [
    n === local.chosen && "chosen", blamed.includes(n) && "blamed", local.drag && n === local.chosen && "held",
  ].filter(Boolean).join(" ");
  return sheet(ctx, {
    drawing: order.map((n) => drawPlane(ctx.svg, fleet[n], { key: n, tone: tone(n) })),
    over: ctx.h("div", { class: `planes-handles ${local.byPointer ? "by-pointer" : ""}`, role: "group", "aria-label": label },
      fleet.map((plane, n) => handle(ctx, plane, n, blamed.includes(n)))),
    props: { class: "planes-laying", ...dragging(ctx) },
  });
}

/** Whether the fleet on the board may be sent now. @param {any} ctx */
export function mayPlace(ctx) {
  const { state } = verdict(ctx);
  return ctx.live && !ctx.pending && (state === "fits" || state === "unknown");
}

/** @param {any} ctx */
export function place(ctx) {
  if (mayPlace(ctx)) ctx.act({ place: { planes: localOf(ctx).fleet } });
}

/** Turns the chosen plane. @param {any} ctx */
export function turn(ctx) {
  change(ctx, turned);
}

/** @param {any} ctx @param {number} n */
export function choose(ctx, n) {
  localOf(ctx).chosen = n;
  ctx.redraw();
}

/** The chosen plane in words; empty while there is none. @param {any} ctx @returns {string} */
export function chosenText(ctx) {
  const local = localOf(ctx);
  return local.fleet ? planeText(ctx, local.fleet[local.chosen], local.chosen) : "";
}

/** What the rules say of the layout, in words. @param {any} ctx @returns {{tone: string, text: string}} */
export function verdictText(ctx) {
  const { state, reason, blamed } = verdict(ctx);
  if (state !== "refused") return { tone: state, text: ctx.t(`planes.check.${state}`) };
  const planes = blamed.map((n) => n + 1).join(ctx.t("planes.and"));
  const key = `planes.check.${reason}`;
  return { tone: state, text: ctx.t(key, { planes }) };
}

function change(/** @type {any} */ ctx, /** @type {any} */ by) {
  const local = localOf(ctx);
  if (!local.fleet || ctx.pending) return;
  local.fleet = local.fleet.map((plane, n) => (n === local.chosen ? by(plane) : plane));
  ctx.redraw();
}

/** A plane for the keyboard and for screen readers; the pointer goes through it to the paper. */
function handle(/** @type {any} */ ctx, /** @type {any} */ plane, /** @type {number} */ n, /** @type {any} */ isBlamed) {
  const local = localOf(ctx);
  const { top, left, height, width } = boxOf(plane);
  const label = planeText(ctx, plane, n);
  return ctx.h("button", {
    key: n, type: "button", class: "planes-handle", "data-plane": n,
    "aria-label": isBlamed ? `${label}, ${ctx.t("planes.handle.blamed")}` : label,
    "aria-pressed": n === local.chosen,
    style: { "--top": top, "--left": left, "--height": height, "--width": width },
    onfocus: () => {
      local.byPointer = local.drag !== null;
      if (local.chosen !== n || !local.drag) choose(ctx, n);
    },
    onclick: () => (local.chosen === n ? turn(ctx) : choose(ctx, n)),
    onkeydown: (/** @type {any} */ event) => key(ctx, event),
  });
}

function key(/** @type {any} */ ctx, /** @type {any} */ event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const step = STEPS[event.key];
  if (step) change(ctx, (/** @type {any} */ plane) => onPaper({ ...plane, x: plane.x + step[0], y: plane.y + step[1] }));
  else if (event.key.toLowerCase() === "r") turn(ctx);
  else if (event.key === "Enter") place(ctx);
  else return;
  event.preventDefault();
  // The page's own shortcuts would do it a second time.
  event.stopPropagation();
}

function dragging(/** @type {any} */ ctx) {
  const local = localOf(ctx);
  return {
    onpointerdown: (/** @type {any} */ event) => {
      if (event.button !== 0 || ctx.pending) return;
      const cell = under(event);
      const n = planeAt(local, cell);
      const from = local.fleet?.[n];
      if (!from) return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      local.drag = { from, ...cell, moved: false, wasChosen: local.chosen === n };
      local.chosen = n;
      event.currentTarget.querySelector(`[data-plane="${n}"]`)?.focus({ preventScroll: true });
      ctx.redraw();
    },
    onpointermove: (/** @type {any} */ event) => {
      const { drag, fleet } = local;
      if (!drag || !fleet) return;
      const { x, y } = under(event);
      const to = onPaper({ ...drag.from, x: drag.from.x + x - drag.x, y: drag.from.y + y - drag.y });
      const now = fleet[local.chosen];
      if (x !== drag.x || y !== drag.y) drag.moved = true;
      if (to.x !== now.x || to.y !== now.y) change(ctx, () => to);
    },
    onpointerup: () => letGo(ctx, true),
    onpointercancel: () => letGo(ctx, false),
  };
}

/** A press that moved nothing, on the plane that was chosen already, turns it. */
function letGo(/** @type {any} */ ctx, /** @type {boolean} */ mayTurn) {
  const local = localOf(ctx);
  const drag = local.drag;
  if (!drag) return;
  local.drag = null;
  if (mayTurn && !drag.moved && drag.wasChosen) turn(ctx);
  else ctx.redraw();
}

/** The chosen plane where planes overlap, for it lies on top. */
function planeAt(/** @type {any} */ local, /** @type {any} */ { x, y }) {
  const covers = (/** @type {any} */ plane) => cellsOf(plane).some((cell) => cell.x === x && cell.y === y);
  const fleet = local.fleet ?? [];
  return fleet[local.chosen] && covers(fleet[local.chosen]) ? local.chosen : fleet.findIndex(covers);
}

function under(/** @type {any} */ event) {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  return {
    x: Math.floor(((event.clientY - top) / height) * SIZE),
    y: Math.floor(((event.clientX - left) / width) * SIZE),
  };
}
