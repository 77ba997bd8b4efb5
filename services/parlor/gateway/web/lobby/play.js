// @ts-check
/** The chosen game: how it is played, and the ways to a table. */

import { KINDS } from "../games/index.js";
import { h } from "../ui/dom.js";
import { t } from "../words.js";
import { openRoom, quickMatch } from "./errands.js";
import { configOf, isSame } from "./formvalues.js";
import { gameName } from "./names.js";
import { optionsForm } from "./optionsform.js";
import { isInParty, leads } from "./party.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../games/index.js").Kind} Kind */

/** The game that is chosen. @param {App} app @returns {Kind} */
export function selected(app) {
  return app.local.kind ?? "doudizhu";
}

/** @param {App} app */
export function play(app) {
  const kind = selected(app);
  const game = /** @type {any} */ (KINDS[kind]);
  const forms = (app.local.forms ??= {});
  const values = forms[kind] ?? game.presets?.[0]?.config ?? {};
  const change = (/** @type {any} */ next) => ((forms[kind] = next), app.redraw());
  const room = (app.local.room ??= { private: true, spectators: true });
  const config = () => configOf(game.options, values);
  const isAway = app.connection.phase !== "open";
  const cannot = app.busy || isAway || Boolean(app.seatedIn) || app.isMatching;
  const isLed = isInParty(app) && !leads(app);
  return h(
    "section",
    { class: "panel stack play", "aria-labelledby": "play-title" },
    h("h2", { id: "play-title" }, gameName(kind)),
    presets(game, values, change),
    h(
      "div",
      { class: "play-buttons" },
      way(t("quick.go"), t(quickAbout(app)), "quick-match", true, cannot || isLed, () =>
        quickMatch(app, kind, config()),
      ),
      way(t("bots.go"), t("bots.about"), "play-bots", false, cannot, () =>
        openRoom(app, kind, config(), { private: true, spectators: false }, true),
      ),
      way(t("open.go"), t("open.about"), "open-room", false, cannot, () => openRoom(app, kind, config(), room)),
    ),
    h(
      "details",
      { class: "more", key: `options-${kind}` },
      h("summary", { "data-testid": "options-toggle" }, t("options.title")),
      h(
        "div",
        { class: "stack" },
        optionsForm(game, values, change),
        h("h3", { class: "small" }, t("open.room")),
        h(
          "div",
          { class: "options" },
          tick("option-private", t("open.private"), room.private, (on) => (room.private = on)),
          tick("option-spectators", t("open.spectators"), room.spectators, (on) => (room.spectators = on)),
        ),
      ),
    ),
  );
}

/** What a quick match comes to for this player. @param {App} app */
function quickAbout(app) {
  if (!isInParty(app)) return "quick.about";
  return leads(app) ? "party.youLead" : "party.waits";
}

/** Well-known sets of options, one of which may be the chosen one. */
function presets(/** @type {any} */ game, /** @type {any} */ values, /** @type {(values: any) => void} */ change) {
  if (!game.presets?.length) return null;
  const isKnown = game.presets.some((/** @type {any} */ preset) => isSame(game.options, preset.config, values));
  return h(
    "fieldset",
    { class: "field" },
    h("legend", { class: "sr-only" }, t("presets")),
    h(
      "div",
      { class: "choices" },
      game.presets.map((/** @type {any} */ preset) =>
        h(
          "label",
          { class: "choice", key: `${game.kind}-${preset.name}` },
          h("input", {
            type: "radio",
            name: `preset-${game.kind}`,
            "data-testid": `preset-${preset.name}`,
            checked: isSame(game.options, preset.config, values),
            onchange: () => change(preset.config),
          }),
          h("span", null, t(`${game.kind}.preset.${preset.name}`)),
        ),
      ),
      !isKnown && h("span", { class: "badge" }, t("presets.own")),
    ),
  );
}

/** One way to a table: a button and what it leads to. */
function way(
  /** @type {string} */ text,
  /** @type {string} */ about,
  /** @type {string} */ testid,
  /** @type {boolean} */ isFirst,
  /** @type {boolean} */ disabled,
  /** @type {() => void} */ run,
) {
  return h(
    "div",
    { class: "way" },
    h(
      "button",
      {
        class: isFirst ? "btn btn-primary" : "btn",
        type: "button",
        "data-testid": testid,
        disabled,
        "aria-describedby": `${testid}-about`,
        onclick: run,
      },
      text,
    ),
    h("p", { id: `${testid}-about`, class: "small soft" }, about),
  );
}

function tick(
  /** @type {string} */ testid,
  /** @type {string} */ text,
  /** @type {boolean} */ checked,
  /** @type {(on: boolean) => void} */ set,
) {
  return h(
    "label",
    { class: "check" },
    h("input", {
      type: "checkbox",
      "data-testid": testid,
      checked,
      onchange: (/** @type {any} */ event) => set(event.target.checked),
    }),
    h("span", null, text),
  );
}
