// @ts-check
/** Below the boards: all that the player may press, first what the table asks for. */

import { fire, hint, isUnhinted, mayShoot, targetOf, toggleAtOnce, toggleNoting } from "./battle.js";
import { layOut } from "./check.js";
import { localOf, shootsAtOnce } from "./local.js";
import { noteIcon } from "./marks.js";
import { chosenText, mayPlace, place, turn, verdictText } from "./placing.js";
import { cellName, SIZE } from "./shape.js";
import { isAsked, isPlayer } from "./sides.js";

/** @param {any} ctx */
export function actions(ctx) {
  if (!isPlayer(ctx) || ctx.others || ctx.view.table.ending) return null;
  return ctx.h("div", { class: "planes-actions" },
    isAsked(ctx, "PLACE") ? placing(ctx) : ctx.view.table.phase === "PLANES_PHASE_BATTLING" && battling(ctx),
    ctx.view.maySurrender && surrender(ctx));
}

function placing(/** @type {any} */ ctx) {
  const { h, t } = ctx;
  const local = localOf(ctx);
  const { tone, text } = verdictText(ctx);
  return [
    h("p", { key: "verdict", class: `planes-verdict ${tone}`, role: "status" },
      // Arrows change the focused plane's label, which nobody would hear by itself.
      h("span", { class: "sr-only" }, `${chosenText(ctx)}. `), text),
    button(ctx, "planes.turn", { "data-testid": "place-turn", disabled: !local.fleet, onclick: () => turn(ctx) }, turnIcon(ctx.svg)),
    button(ctx, "planes.random", {
      "data-testid": "place-auto", disabled: local.laying || Boolean(ctx.pending), onclick: () => layOut(ctx),
    }),
    h("button", {
      key: "place", type: "button", class: "btn btn-primary planes-main", "data-act": "place",
      disabled: !mayPlace(ctx), onclick: () => place(ctx),
    }, t("planes.place")),
    local.unadvised && h("p", { key: "unadvised", class: "planes-help", role: "alert" }, t("planes.random.failed")),
    h("p", { key: "help", class: "planes-help" }, t("planes.place.help")),
  ];
}

function battling(/** @type {any} */ ctx) {
  const { h, svg, t } = ctx;
  const local = localOf(ctx);
  const target = targetOf(ctx);
  return [
    h("button", {
      key: "fire", type: "button", class: "btn btn-primary planes-main", "data-act": "attack", "data-testid": "attack-go",
      disabled: target === null || !mayShoot(ctx), onclick: () => fire(ctx),
    }, target === null ? t("planes.fire") : t("planes.fire.at", { cell: cellName(Math.floor(target / SIZE), target % SIZE) })),
    button(ctx, "planes.hint", { "data-testid": "hint", disabled: !mayShoot(ctx) || local.hinting, onclick: () => hint(ctx) }),
    button(ctx, "planes.notes", { "aria-pressed": local.noting, onclick: () => toggleNoting(ctx) }, noteIcon(svg, "plane")),
    button(ctx, "planes.atOnce", { "aria-pressed": shootsAtOnce(ctx), onclick: () => toggleAtOnce(ctx) }),
    isUnhinted(ctx) && h("p", { key: "unhinted", class: "planes-help", role: "status" }, t("planes.hint.failed")),
    local.noting && h("p", { key: "help", class: "planes-help planes-legend" },
      ["plane", "head", "empty"].map((note) => h("span", { key: note }, noteIcon(svg, note), t(`planes.note.${note}`))),
      h("span", null, t("planes.notes.help"))),
  ];
}

/** Giving up takes a second press, on a button that was not there before. */
function surrender(/** @type {any} */ ctx) {
  const { t } = ctx;
  const local = localOf(ctx);
  const ask = (/** @type {boolean} */ asks) => () => {
    local.surrendering = asks;
    ctx.redraw();
  };
  if (!local.surrendering) {
    return button(ctx, "planes.surrender", {
      "data-testid": "surrender", class: "btn btn-small btn-quiet", disabled: !ctx.live, onclick: ask(true),
    });
  }
  return ctx.h("span", { key: "sure", class: "planes-sure", role: "group", "aria-label": t("planes.surrender.sure") },
    ctx.h("span", null, t("planes.surrender.sure")),
    button(ctx, "planes.surrender.yes", {
      "data-act": "surrender", class: "btn btn-small btn-danger",
      disabled: !ctx.live || Boolean(ctx.pending), onclick: () => ctx.act({ surrender: {} }),
    }),
    button(ctx, "planes.surrender.no", { onclick: ask(false) }));
}

function button(/** @type {any} */ { h, t }, /** @type {string} */ word, /** @type {any} */ props, /** @type {any} */ icon = null) {
  return h("button", { key: word, type: "button", class: "btn btn-small", ...props }, icon, t(word));
}

function turnIcon(/** @type {any} */ svg) {
  return svg("svg", { class: "planes-mark planes-turn-icon", viewBox: "0 0 10 10", "aria-hidden": "true" },
    svg("path", { d: "M8.2 5A3.2 3.2 0 1 1 6.9 2.4" }), svg("path", { class: "planes-tip", d: "M5.2 .9L8.6 2.6L5.5 4.2Z" }));
}
