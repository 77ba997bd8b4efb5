// @ts-check
/** Plane Battle (打飞机) in the browser: what the room's shell and the lobby need to know of it. */

import { before, fold } from "./fold.js";
import { options, presets } from "./options.js";
import { words } from "./words.js";

export default {
  kind: "planes",
  words,
  options,
  presets,
  before,
  fold,
};
