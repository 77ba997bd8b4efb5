// @ts-check
/** Jinxian Mahjong at the table: what is drawn of a game, and said of what happens in it. */

import { announce, isQuiet } from "./announce.js";
import { keys } from "./keys.js";
import { result } from "./result.js";
import { table } from "./table.js";

export default { table, announce, isQuiet, result, keys };
