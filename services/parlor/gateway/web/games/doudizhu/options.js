// @ts-check
/** The options of a game (RULES.md 9), from which the lobby builds its form, and two sets of them that are played most. */

const MINUTES_5 = 300_000;
const standard = { ruleSet: "DOU_DIZHU_RULE_SET_STANDARD" };
const classic = { ruleSet: "DOU_DIZHU_RULE_SET_CLASSIC" };

/**
 * A choice among the values of an enum, the first one by default.
 * @param {string} field
 * @param {string} prefix
 * @param {string[]} values
 * @param {object} [more]
 */
function choice(field, prefix, values, more = {}) {
  const choices = values.map((value) => `DOU_DIZHU_${prefix}_${value}`);
  return { field, type: "enum", choices, default: choices[0], ...more };
}

const limit = (/** @type {string} */ field, /** @type {number} */ byDefault, min = 1_000, max = MINUTES_5) => ({
  field,
  type: "ms",
  min,
  max,
  default: byDefault,
  advanced: true,
});

/** `when`: the values of other fields with which the option means something. */
export const options = [
  choice("ruleSet", "RULE_SET", ["STANDARD", "CLASSIC"]),
  choice("bidding", "BIDDING", ["SCORE", "CALL"], { when: standard }),
  { field: "doubling", type: "bool", default: false, when: standard },
  { field: "showCards", type: "bool", default: false, when: standard },
  choice("wings", "WINGS", ["OPEN", "STRICT"], { when: standard, advanced: true }),
  choice("runTop", "RUN_TOP", ["JOKER", "TWO", "ACE"], { when: classic }),
  { field: "baseScore", type: "int", min: 1, max: 10_000, default: 1 },
  { field: "surrender", type: "bool", default: true },
  { field: "stakeCap", type: "int", min: 0, max: 1_000_000_000, default: 0, when: standard, advanced: true },
  { field: "maxPassedDeals", type: "int", min: 1, max: 9, default: 3, when: standard, advanced: true },
  { field: "autoplayAfter", type: "int", min: 1, max: 100, default: 2, advanced: true },
  limit("playLimit", 30_000),
  limit("bidLimit", 15_000),
  { ...limit("doubleLimit", 10_000), when: standard },
  { ...limit("consentLimit", 15_000), when: standard },
  limit("autoplayDelay", 1_000, 200, 5_000),
  limit("readyLimit", 60_000, 5_000, 600_000),
];

/** Named by `doudizhu.preset.<name>`; what a set leaves out has its default. */
export const presets = [
  { name: "standard", config: standard },
  {
    name: "lively",
    config: { ...standard, bidding: "DOU_DIZHU_BIDDING_CALL", doubling: true, showCards: true },
  },
  { name: "classic", config: classic },
];
