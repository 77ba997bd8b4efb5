// @ts-check
/** Jinxian Mahjong (进贤麻将) as the client plays it: rules/jinxian/RULES.md says how. */

import { before, fold } from "./fold.js";
import { options, presets } from "./options.js";
import { words } from "./words.js";

export default {
  kind: "jinxian",
  words,
  options,
  presets,
  before,
  fold,
};
