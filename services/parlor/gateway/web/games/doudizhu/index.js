// @ts-check
/** Dou Dizhu (斗地主) as the client plays it: rules/doudizhu/RULES.md says how. */

import { before, fold } from "./fold.js";
import { options, presets } from "./options.js";
import { en } from "./words-en.js";
import { zh } from "./words-zh.js";

export default {
  kind: "doudizhu",
  words: { zh, en },
  options,
  presets,
  before,
  fold,
};
