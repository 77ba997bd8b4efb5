// @ts-check
/**
 * The games that this client can play, by kind, in the order in which the lobby offers them.
 *
 * What a lobby needs of each, and what keeps a room in step, is there from the beginning; a game's scene, which is
 * most of it, comes once somebody wants to play or watch it.
 */

import doudizhu from "./doudizhu/index.js";
import jinxian from "./jinxian/index.js";
import planes from "./planes/index.js";

export const KINDS = { doudizhu, jinxian, planes };

/** @typedef {keyof typeof KINDS} Kind */
/** @typedef {{table: (ctx: any) => any, announce: (event: any, ctx: any) => string | null, result: (ctx: any) => any,
 *   isQuiet?: (event: any, ctx: any) => boolean, keys: (ctx: any) => {key: string, label: string, run: () => void}[]}} Scene */

/** @type {Record<Kind, () => Promise<{default: Scene}>>} */
const COMING = {
  doudizhu: () => import("./doudizhu/scene.js"),
  jinxian: () => import("./jinxian/scene.js"),
  planes: () => import("./planes/scene.js"),
};

/** @type {Partial<Record<Kind, Scene>>} */
const scenes = {};

/** @type {Partial<Record<Kind, Promise<void>>>} */
const coming = {};

/**
 * What draws a game; undefined until `bring` has it.
 *
 * @param {Kind | null} kind
 * @returns {Scene | undefined}
 */
export function sceneOf(kind) {
  return kind === null ? undefined : scenes[kind];
}

/**
 * Brings a game's scene; settles when it is there, or cannot be had, and never fails. Asking early makes a table
 * come at once.
 *
 * @param {Kind | null} kind
 * @returns {Promise<void>}
 */
export function bring(kind) {
  if (kind === null || scenes[kind]) return Promise.resolve();
  return (coming[kind] ??= load(kind));
}

async function load(/** @type {Kind} */ kind) {
  // All of its modules at once, and not one after the other as they name each other.
  const links = /** @type {any} */ (globalThis.document?.getElementById(`games/${kind}/scene.js`));
  if (links) document.head.append(links.content.cloneNode(true));
  try {
    scenes[kind] = (await COMING[kind]()).default;
  } catch (error) {
    globalThis.reportError?.(error);
    delete coming[kind];
  }
}

/**
 * The kind of a message with one branch per game: a GameConfig, a RoomView, an Event.
 *
 * @param {Record<string, any> | undefined | null} message
 * @returns {Kind | null}
 */
export function kindOf(message) {
  for (const kind of /** @type {Kind[]} */ (Object.keys(KINDS))) {
    if (message?.[kind] !== undefined) return kind;
  }
  return null;
}
