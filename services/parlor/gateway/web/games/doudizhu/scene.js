// @ts-check
/** Dou Dizhu at the table: what is drawn of a game, and said of what happens in it. */

import { result } from "./result.js";
import { announce } from "./speech.js";
import { keys, table } from "./table.js";

export default { table, announce, result, keys };
