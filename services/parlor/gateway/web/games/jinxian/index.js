// @ts-check
/** Jinxian Mahjong (进贤麻将) as the client plays it: rules/jinxian/RULES.md says how. */

import { announce } from "./announce.js";
import { before, fold } from "./fold.js";
import { keys } from "./keys.js";
import { options, presets } from "./options.js";
import { result } from "./result.js";
import { table } from "./table.js";
import { words } from "./words.js";

export default {
  kind: "jinxian",
  words,
  options,
  presets,
  seats: () => 4,
  before,
  fold,
  table,
  announce,
  result,
  keys,
};
