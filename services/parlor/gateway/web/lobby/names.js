// @ts-check
/** What games are called. */

import { knows, t } from "../words.js";

/** The name of a game, in its own words where it has some. @param {string} kind */
export function gameName(kind) {
  return t(knows(`${kind}.name`) ? `${kind}.name` : `kind.${kind}.name`);
}
