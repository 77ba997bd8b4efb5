// @ts-check
/** A form for the options of a game; used by the lobby, and to read a table's options. */

import { h } from "../ui/dom.js";
import { knows, t } from "../words.js";
import { chosen, isOpen, valueOf } from "./formvalues.js";

/** @typedef {import("./formvalues.js").Option} Option */

/**
 * The form's fields, the usual ones first and the others folded away.
 *
 * @param {{kind: string, options: Option[]}} game
 * @param {any} values
 * @param {(values: any) => void} change
 */
export function optionsForm(game, values, change) {
  const open = game.options.filter((option) => isOpen(option, game.options, values));
  const field = (/** @type {Option} */ option) => control(game.kind, option, values, change);
  const advanced = open.filter((option) => option.advanced);
  return h(
    "div",
    { class: "stack", "data-testid": "options-form" },
    h("div", { class: "options" }, open.filter((option) => !option.advanced).map(field)),
    advanced.length > 0 &&
      h(
        "details",
        { class: "more" },
        h("summary", { "data-testid": "advanced-toggle" }, t("options.more")),
        h("div", { class: "options" }, advanced.map(field)),
      ),
  );
}

/**
 * The options that differ from the defaults, as short sentences.
 *
 * @param {{kind: string, options: Option[]}} game
 * @param {any} config
 * @returns {string[]}
 */
export function optionsText(game, config) {
  return game.options
    .filter((option) => isOpen(option, game.options, config) && valueOf(option, config) !== option.default)
    .map(
      (option) => `${label(game.kind, option)}${t("colon")}${valueText(game.kind, option, valueOf(option, config))}`,
    );
}

function control(
  /** @type {string} */ kind,
  /** @type {Option} */ option,
  /** @type {any} */ values,
  /** @type {(values: any) => void} */ change,
) {
  const set = (/** @type {any} */ value) => change(chosen(option, values, value));
  const value = valueOf(option, values);
  const id = `option-${option.field}`;
  const helpKey = `${kind}.option.${option.field}.help`;
  const help = knows(helpKey) ? h("p", { id: `${id}-help`, class: "small soft" }, t(helpKey)) : null;
  const about = help ? `${id}-help` : null;
  if (option.type === "bool") {
    return h(
      "div",
      { class: "field", key: id },
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          "data-testid": id,
          checked: value,
          "aria-describedby": about,
          onchange: (/** @type {any} */ e) => set(e.target.checked),
        }),
        h("span", null, label(kind, option)),
      ),
      help,
    );
  }
  return h(
    "div",
    { class: "field", key: id },
    h("label", { for: id }, label(kind, option)),
    option.choices
      ? h(
          "select",
          {
            id,
            class: "input",
            "data-testid": id,
            value: String(value),
            "aria-describedby": about,
            onchange: (/** @type {any} */ e) => set(option.type === "int" ? Number(e.target.value) : e.target.value),
          },
          option.choices.map((each) => h("option", { key: each, value: String(each) }, valueText(kind, option, each))),
        )
      : number(id, about, option, value, set),
    help,
  );
}

/** Whole numbers; times are asked for in seconds. */
function number(
  /** @type {string} */ id,
  /** @type {string | null} */ about,
  /** @type {Option} */ option,
  /** @type {number} */ value,
  /** @type {(value: number) => void} */ set,
) {
  const unit = option.type === "ms" ? 1000 : 1;
  const bound = (/** @type {number | undefined} */ limit) => (limit === undefined ? null : limit / unit);
  return h("input", {
    id,
    class: "input",
    type: "number",
    inputmode: unit === 1 ? "numeric" : "decimal",
    "data-testid": id,
    value: value / unit,
    min: bound(option.min),
    max: bound(option.max),
    step: unit === 1 ? 1 : "any",
    "aria-describedby": about,
    onchange: (/** @type {any} */ event) => {
      if (event.target.value !== "") set(Number(event.target.value) * unit);
      // What was out of bounds shows as what it became.
      else event.target.value = String(value / unit);
    },
  });
}

function label(/** @type {string} */ kind, /** @type {Option} */ option) {
  const text = t(`${kind}.option.${option.field}`);
  return option.type === "ms" ? t("options.seconds", { text }) : text;
}

function valueText(/** @type {string} */ kind, /** @type {Option} */ option, /** @type {any} */ value) {
  if (option.type === "bool") return t(value ? "yes" : "no");
  if (option.type === "ms") return t("seconds", { n: value / 1000 });
  const key = `${kind}.option.${option.field}.choice.${value}`;
  return knows(key) ? t(key) : String(value);
}
