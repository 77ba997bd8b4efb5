// @ts-check
/**
 * The options that a player chose, between the form and the game's config. Pure.
 *
 * A form holds only what differs from the defaults, by field, in the form that the config's JSON has: numbers, names
 * of enum values, true and false, durations such as "15s".
 */

/** @typedef {{field: string, type: string, min?: number, max?: number, choices?: any[], default: any,
 *   advanced?: boolean, when?: any}} Option */

/** A duration's JSON, such as "1.5s", in ms. @param {string} text */
export function msOf(text) {
  return Math.round(Number(String(text).replace(/s$/, "")) * 1000);
}

/** @param {number} ms */
export function durationOf(ms) {
  return `${ms / 1000}s`;
}

/** The value of an option as chosen, or its default; times in ms. @param {Option} option @param {any} values */
export function valueOf(option, values) {
  const value = values[option.field];
  if (value === undefined) return option.default;
  return option.type === "ms" ? msOf(value) : value;
}

/**
 * The values after one was chosen; what is out of its bounds is brought inside, what is no number changes nothing.
 *
 * @param {Option} option
 * @param {any} values
 * @param {any} value times in ms
 */
export function chosen(option, values, value) {
  const { [option.field]: _, ...rest } = values;
  const fitting = option.type === "int" || option.type === "ms" ? bounded(option, Number(value)) : value;
  if (Number.isNaN(fitting)) return values;
  if (fitting === option.default) return rest;
  return { ...rest, [option.field]: option.type === "ms" ? durationOf(fitting) : fitting };
}

/** Whether an option means something beside the others. @param {Option} option @param {Option[]} options @param {any} values */
export function isOpen(option, options, values) {
  if (!option.when) return true;
  const conditions = "is" in option.when ? { [option.when.field]: option.when.is } : option.when;
  return Object.entries(conditions).every(([field, wanted]) => {
    const other = options.find((each) => each.field === field);
    return !other || valueOf(other, values) === wanted;
  });
}

/** The game's config: the chosen values that mean something. @param {Option[]} options @param {any} values */
export function configOf(options, values) {
  const open = options.filter((option) => isOpen(option, options, values));
  return Object.fromEntries(
    open
      .filter((option) => valueOf(option, values) !== option.default)
      .map((option) => [option.field, values[option.field]]),
  );
}

/** Whether two choices come to the same game. @param {Option[]} options @param {any} a @param {any} b */
export function isSame(options, a, b) {
  const [first, second] = [configOf(options, a), configOf(options, b)];
  return options.every(({ field }) => first[field] === second[field]);
}

function bounded(/** @type {Option} */ option, /** @type {number} */ value) {
  if (option.choices) return option.choices.includes(value) ? value : NaN;
  return Math.min(option.max ?? Infinity, Math.max(option.min ?? -Infinity, Math.round(value)));
}
