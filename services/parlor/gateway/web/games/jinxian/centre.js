// @ts-check
/** The middle of the table: the round, the jing, the wall, and what the table waits for. */

import { h, svg } from "../../ui/dom.js";
import { phaseOf, placeOf } from "./places.js";
import { isActive } from "./plates.js";
import { tile } from "./tile.js";
import { say, tileName } from "./words.js";

/** @typedef {Record<string, any>} Json */

/** @param {Json} ctx */
export function centre(ctx) {
  const { view } = ctx;
  const { table } = view;
  return h(
    "section",
    { class: "jx-centre", "aria-label": say(ctx, "centre") },
    [0, 1, 2, 3].map((seat) =>
      h("i", { key: `edge-${seat}`, class: `jx-edge jx-at-${placeOf(ctx, seat)} ${isActive(view, seat) ? "jx-active" : ""}`, "aria-hidden": "true" })),
    table.round > 0 && h(
      "div",
      { class: "jx-facts" },
      h("span", { class: "jx-round" }, say(ctx, "round", { round: table.round, rounds: view.config.totalRounds })),
      h(
        "span",
        { class: "jx-wall number" },
        h("span", { "aria-hidden": "true" }, say(ctx, "wall", { count: table.drawable })),
        h("span", { class: "sr-only" }, say(ctx, "wallLong", { count: table.drawable, remaining: table.remaining })),
      ),
    ),
    jing(ctx),
    h("div", { class: "jx-waits" }, h("span", { class: "jx-state" }, state(ctx)), publicClock(ctx)),
  );
}

/** The two kinds that are wild, the lower pair where there is one, and the dice that found them. */
function jing(/** @type {Json} */ ctx) {
  const { jing: upper, lowerJing: lower, jingDice, dice } = ctx.view.table;
  if (!upper) return null;
  return h(
    "div",
    { class: "jx-jings", role: "group", "aria-label": say(ctx, "jing") },
    h("div", { class: "jx-pair" }, tile(ctx, upper.zheng), tile(ctx, upper.fu)),
    lower && h(
      "div",
      { class: "jx-pair jx-lower", role: "group", "aria-label": say(ctx, "lower") },
      h("span", { class: "jx-lower-word", "aria-hidden": "true" }, say(ctx, "lowerShort")),
      tile(ctx, lower.zheng), tile(ctx, lower.fu),
    ),
    h(
      "div",
      { class: "jx-dices" },
      pair(say(ctx, "dice", dice), dice),
      pair(`${say(ctx, "jingDice", jingDice)}; ${say(ctx, "turned", { tile: tileName(ctx, upper.zheng) })}`, jingDice, "jx-jing-dice"),
    ),
  );
}

function pair(/** @type {string} */ label, /** @type {Json} */ { first, second }, more = "") {
  return h("span", { class: `jx-dice ${more}`, role: "img", "aria-label": label, title: label }, die(first), die(second));
}

/** Where the pips of a die lie, by its number. */
const PIPS = [[], [4], [2, 6], [2, 4, 6], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

function die(/** @type {number} */ number) {
  const red = number === 1 || number === 4;
  return svg(
    "svg",
    { class: "jx-die", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 22, height: 22, rx: 5, fill: "#fdf9ee", stroke: "#b9ab88" }),
    PIPS[number].map((at) => svg("circle", { cx: 6 + 6 * (at % 3), cy: 6 + 6 * Math.floor(at / 3), r: number === 1 ? 3.4 : 2.3, fill: red ? "#b5231b" : "#1b2742" })),
  );
}

/** What the table waits for, in a few words. */
function state(/** @type {Json} */ ctx) {
  const { table } = ctx.view;
  switch (phaseOf(ctx.view)) {
    case "PLAYING":
      return table.active === ctx.seat && !ctx.others ? say(ctx, "yourTurn") : say(ctx, "waitTurn", { name: ctx.name(table.active) });
    case "RESPONDING":
      return say(ctx, "waitClaim");
    case "ROUND_END":
      return say(ctx, "waitNext");
    case "GAME_END":
      return say(ctx, "over");
    case "WAITING":
      return say(ctx, "waiting");
    default:
      return say(ctx, "dealing");
  }
}

/** The table's limit where the reader is asked nothing; else it stands beside what is asked. */
function publicClock(/** @type {Json} */ ctx) {
  const { deadline } = ctx.view.table;
  if (!deadline || (ctx.mine && ctx.view.prompt) || deadline.question === "JINXIAN_QUESTION_CONTINUE") return null;
  return clock(ctx, deadline);
}

/** A clock for a question of the table, full at the start of its limit. @param {Json} ctx @param {Json} asked a deadline or prompt */
export function clock(ctx, { expireTime }) {
  if (ctx.others) return null;
  const total = Date.parse(expireTime) - Date.parse(ctx.view.startTime);
  return ctx.countdown(expireTime, { label: say(ctx, "timeLeft"), total });
}

/** What the reader is asked, in a few words. @param {Json} ctx */
export function question(ctx) {
  const { table, prompt } = ctx.view;
  if (prompt.question === "JINXIAN_QUESTION_CLAIM") {
    const tileSaid = tileName(ctx, table.adding ?? table.river[table.river.length - 1].tile);
    return say(ctx, table.adding === undefined ? "yourClaim" : "yourRob", { tile: tileSaid });
  }
  if (prompt.question === "JINXIAN_QUESTION_DISCARD") return say(ctx, "yourDiscard");
  return say(ctx, "yourTurn");
}
