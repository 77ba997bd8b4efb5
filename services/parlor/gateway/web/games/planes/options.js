// @ts-check
/** The options of `PlanesConfig` for the lobby's form; bounds as the rule book gives them to players. */

const RULE = "PLANES_DESTROY_RULE_";
const REVEAL = "PLANES_HEAD_REVEAL_";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** `when`: the values of other fields with which the option means something. */
export const options = [
  { field: "destroyRule", type: "enum", choices: [`${RULE}ALL_CELLS`, `${RULE}HEAD_KILL`], default: `${RULE}ALL_CELLS` },
  {
    field: "headReveal", type: "enum", choices: [`${REVEAL}HEAD`, `${REVEAL}PLANE`], default: `${REVEAL}HEAD`,
    when: { destroyRule: `${RULE}HEAD_KILL` },
  },
  { field: "turnLimit", type: "ms", min: SECOND, max: 5 * MINUTE, default: 30 * SECOND },
  { field: "placingLimit", type: "ms", min: 5 * SECOND, max: 10 * MINUTE, default: 2 * MINUTE },
  { field: "gameLimit", type: "ms", min: MINUTE, max: 120 * MINUTE, default: 30 * MINUTE, advanced: true },
  { field: "maxTimeouts", type: "int", min: 2, max: 20, default: 3, advanced: true },
  { field: "pauseBudget", type: "ms", min: 0, max: 10 * MINUTE, default: 2 * MINUTE, advanced: true },
  { field: "readyLimit", type: "ms", min: 5 * SECOND, max: 10 * MINUTE, default: MINUTE, advanced: true },
];

/** Named by `planes.preset.<name>`; what one leaves out has its default. */
export const presets = [
  { name: "allCells", config: {} },
  { name: "headKill", config: { destroyRule: `${RULE}HEAD_KILL` } },
  { name: "headKillOpen", config: { destroyRule: `${RULE}HEAD_KILL`, headReveal: `${REVEAL}PLANE` } },
  { name: "quick", config: { destroyRule: `${RULE}HEAD_KILL`, turnLimit: "15s", placingLimit: "60s", gameLimit: "600s" } },
];
