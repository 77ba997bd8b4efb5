// @ts-check
/** Other options for the next game, which a host may choose at a table that was not matched. */

import { configOf, isSame } from "../lobby/formvalues.js";
import { optionsForm } from "../lobby/optionsform.js";
import { h } from "../ui/dom.js";
import { t } from "../words.js";

/** @typedef {import("../lobby/formvalues.js").Option} Option */

/** @param {import("../app.js").App} app @param {import("./seating.js").Seating} seating */
export function otherOptions(app, seating) {
  const { rules, view, kind, seat } = seating.room;
  // A matched table has no code: who was matched plays what was asked for.
  if (!rules || !kind || seat === null || view.host !== seat || !view.code) return null;
  const played = view.config[kind];
  const values = seating.draft ?? played;
  const change = (/** @type {any} */ next) => ((seating.draft = next), app.redraw());
  const go = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await seating.setOptions({ ...unlisted(rules.options, played), ...configOf(rules.options, values) })) change(null);
  };
  return h(
    "details",
    { class: "more", key: `options-${kind}` },
    h("summary", { "data-testid": "table-options" }, t("gather.change")),
    h(
      "form",
      { class: "stack", onsubmit: go },
      optionsForm(rules, values, change),
      h(
        "p",
        { class: "row" },
        h(
          "button",
          { class: "btn", "data-testid": "options-apply", disabled: isSame(rules.options, values, played) },
          t("gather.apply"),
        ),
        h("span", { class: "small soft" }, t("gather.changed")),
      ),
    ),
  );
}

/** What is played with that no form asks for; it stays as it is. */
function unlisted(/** @type {Option[]} */ options, /** @type {any} */ config) {
  const listed = new Set(options.map(({ field }) => field));
  return Object.fromEntries(Object.entries(config).filter(([field]) => !listed.has(field)));
}
