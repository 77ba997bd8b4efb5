// @ts-check
/** Live clocks to an instant. One timer moves all that are in the page. */

import { h } from "./dom.js";

const TICK_MS = 250;
const URGENT_S = 5;

/** What a clock shows with so many ms left: seconds, or minutes and seconds from 100 s on. @param {number} ms */
export function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 100) return String(seconds);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What time has passed since an instant, as minutes and seconds. @param {number} ms */
export function elapsedText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A clock that runs down to `instant`.
 *
 * @param {() => number} now the server's time in ms
 * @param {string | undefined} instant RFC 3339; without one nothing is drawn
 * @param {{label?: string, total?: number}} [about] `label` says to a screen reader what the time is for; `total`, in
 *   ms, makes the clock show how much of it is left
 */
export function countdown(now, instant, { label, total } = {}) {
  if (!instant) return null;
  const until = Date.parse(instant);
  return h(
    "span",
    {
      class: "countdown number",
      role: "timer",
      "aria-label": label,
      "data-testid": "countdown",
      "data-until": until,
      "data-total": total,
      style: { "--left": share(until - now(), total) },
    },
    clockText(until - now()),
  );
}

/**
 * A clock that counts up from `instant`.
 *
 * @param {() => number} now
 * @param {string | undefined} instant
 */
export function elapsed(now, instant) {
  if (!instant) return null;
  const since = Date.parse(instant);
  return h("span", { class: "number", "data-since": since }, elapsedText(now() - since));
}

/**
 * Keeps all clocks of the page running.
 *
 * @param {Document} page
 * @param {() => number} now
 */
export function runClocks(page, now) {
  setInterval(() => {
    for (const el of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("[data-until]"))) {
      const left = Number(el.dataset.until) - now();
      show(el, clockText(left));
      if (el.dataset.total) el.style.setProperty("--left", String(share(left, Number(el.dataset.total))));
      el.toggleAttribute("data-urgent", left <= URGENT_S * 1000);
    }
    for (const el of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("[data-since]"))) {
      show(el, elapsedText(now() - Number(el.dataset.since)));
    }
  }, TICK_MS);
}

/** Writes into the text node that is there: the page's drawings know it. */
function show(/** @type {HTMLElement} */ el, /** @type {string} */ text) {
  const node = /** @type {Text | null} */ (el.firstChild);
  if (node && node.data !== text) node.data = text;
}

function share(/** @type {number} */ left, /** @type {number | undefined} */ total) {
  return total ? Math.min(1, Math.max(0, left / total)).toFixed(3) : 1;
}
