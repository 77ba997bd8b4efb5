// @ts-check
/** The games that this client can play, by kind, in the order in which the lobby offers them. */

import doudizhu from "./doudizhu/index.js";
import jinxian from "./jinxian/index.js";
import planes from "./planes/index.js";

export const KINDS = { doudizhu, jinxian, planes };

/**
 * The kind of a message with one branch per game: a GameConfig, a RoomView, an Event.
 *
 * @param {Record<string, any> | undefined | null} message
 * @returns {keyof typeof KINDS | null}
 */
export function kindOf(message) {
  for (const kind of /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS))) {
    if (message?.[kind] !== undefined) return kind;
  }
  return null;
}
