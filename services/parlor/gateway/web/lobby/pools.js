// @ts-check
/** The ways to play in which bots wait for a quick match; with other options only people meet. */

import { isSame } from "./formvalues.js";

/** By kind: the configs of the server's own bots, without defaults. @type {Record<string, any[]>} */
export const POOLS = {
  doudizhu: [{}, { ruleSet: "DOU_DIZHU_RULE_SET_CLASSIC" }],
  jinxian: [{}, { fast: true, totalRounds: 4 }],
  planes: [{}, { destroyRule: "PLANES_DESTROY_RULE_HEAD_KILL" }],
};

/** Whether bots may fill a quick match with these options. @param {{kind: string, options: any[]}} game @param {any} values */
export function hasBots(game, values) {
  return POOLS[game.kind]?.some((pool) => isSame(game.options, pool, values)) ?? false;
}
