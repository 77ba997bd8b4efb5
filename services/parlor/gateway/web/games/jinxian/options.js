// @ts-check
/** The fields of `JinxianConfig` as a form, and the sets of them that people play. */

/**
 * @typedef {{field: string, type: "bool" | "int" | "enum" | "ms", default: any, choices?: any[], min?: number, max?: number, advanced?: boolean,
 *   when?: Record<string, any>}} Option `when`: the values of other fields with which the option means something
 */

const ALL_PLAYERS = "JINXIAN_JING_SETTLEMENT_ALL_PLAYERS";

/** @returns {Option} */
const bool = (/** @type {string} */ field, /** @type {boolean} */ standard, advanced = true) =>
  ({ field, type: "bool", default: standard, advanced });

/** @returns {Option} */
const int = (/** @type {string} */ field, /** @type {number[]} */ choices, /** @type {number} */ standard, advanced = true) =>
  ({ field, type: "int", choices, default: standard, advanced });

/** The first choice is the default. @returns {Option} */
const choice = (/** @type {string} */ field, /** @type {string} */ prefix, /** @type {string[]} */ names) => {
  const choices = names.map((name) => `JINXIAN_${prefix}_${name}`);
  return { field, type: "enum", choices, default: choices[0], advanced: true };
};

/** @returns {Option} */
const ms = (
  /** @type {string} */ field, /** @type {number} */ min, /** @type {number} */ max, /** @type {number} */ standard, when = {},
) => ({ field, type: "ms", min, max, default: standard, advanced: true, when });

/** @type {Option[]} */
export const options = [
  int("totalRounds", [4, 8, 16], 8, false),
  bool("fast", false, false),
  bool("autoWin", true, false),
  bool("honourChow", true),
  bool("jingRestore", true),
  bool("qixingRealHonours", true),
  bool("anyTileWaitDiscardWin", true),
  bool("plainJingDiscardWin", true),
  choice("passedWinLock", "PASSED_WIN_LOCK", ["UNTIL_DRAW", "UNTIL_DRAW_UNLESS_HIGHER", "OFF"]),
  choice("dealerOnDraw", "DEALER_ON_DRAW", ["STAY", "PASS"]),
  bool("concealedKongHidden", true),
  choice("jingZones", "JING_ZONES", ["HAND_MELDS", "HAND", "HAND_MELDS_DISCARDS"]),
  int("qiduiNoJingBase", [64, 16], 64),
  int("chongguanBase", [10, 0], 10),
  int("tianDiHuMin", [20, 0], 20),
  choice("bawang", "BAWANG", ["OFF", "X2", "PLUS_10"]),
  choice("robKongPays", "ROB_KONG_PAYS", ["ALL", "AS_DISCARD"]),
  bool("bystandersPay", false),
  bool("kongScore", false),
  bool("chaozhuang", false),
  choice("jingSettlement", "JING_SETTLEMENT", ["WINNER_ONLY", "ALL_PLAYERS"]),
  { ...choice("jingVariant", "JING_VARIANT", ["SINGLE", "SHANG_XIA"]), when: { jingSettlement: ALL_PLAYERS } },
  ms("turnLimit", 3_000, 120_000, 30_000, { fast: false }),
  ms("claimLimit", 1_000, 60_000, 5_000, { fast: false }),
  ms("fastTurnLimit", 3_000, 120_000, 15_000, { fast: true }),
  ms("fastClaimLimit", 1_000, 60_000, 3_000, { fast: true }),
  ms("showPause", 0, 5_000, 3_000),
  ms("settleLimit", 1_000, 60_000, 10_000),
  ms("autoplayDelay", 200, 5_000, 1_000),
  ms("offlineLimit", 5_000, 600_000, 60_000),
  ms("abandonedLimit", 60_000, 3_600_000, 600_000),
  ms("readyLimit", 5_000, 600_000, 300_000),
];

/** Named by `jinxian.preset.<name>`; what one leaves out has its default. */
export const presets = [
  { name: "standard", config: {} },
  { name: "quick", config: { totalRounds: 4, fast: true } },
  { name: "long", config: { totalRounds: 16 } },
  {
    name: "extras",
    config: {
      jingSettlement: ALL_PLAYERS,
      jingVariant: "JINXIAN_JING_VARIANT_SHANG_XIA",
      kongScore: true,
      chaozhuang: true,
    },
  },
];
