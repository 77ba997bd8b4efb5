// @ts-check
/** What is asked over HTTP: a guest's token, the rules, a replay. A refusal is the same as in a session. */

import { Refused } from "./requests.js";

const LONGEST_MS = 10_000;

/**
 * A guest's token. Rejects with `Refused`.
 *
 * @param {string} name
 * @returns {Promise<{token: string, player: string}>}
 */
export function logIn(name) {
  return call("/login", { method: "POST", body: JSON.stringify({ name, bot: false }) });
}

/**
 * A question to the rules of a game. Rejects with `Refused`.
 *
 * @param {string} token
 * @param {string} kind
 * @param {string} method
 * @param {any} body
 * @returns {Promise<any>}
 */
export function askRules(token, kind, method, body) {
  return call(`/rules/${kind}/${method}`, { method: "POST", body: JSON.stringify(body), headers: bearer(token) });
}

/**
 * The replay of a finished game. Rejects with `Refused`.
 *
 * @param {string} token
 * @param {string} roomId
 * @param {number} gameNo
 * @returns {Promise<any>}
 */
export function loadReplay(token, roomId, gameNo) {
  return call(`/replay/${encodeURIComponent(roomId)}/${gameNo}`, { headers: bearer(token) });
}

const bearer = (/** @type {string} */ token) => ({ Authorization: `Bearer ${token}` });

/** @returns {Promise<any>} */
async function call(/** @type {string} */ path, /** @type {RequestInit} */ init) {
  const headers = { "Content-Type": "application/json", ...init.headers };
  try {
    const response = await fetch(path, {
      ...init,
      headers,
      cache: "no-store",
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const body = await response.json();
    if (response.ok) return body;
    throw new Refused(body);
  } catch (error) {
    if (error instanceof Refused) throw error;
    // Nobody answered, or a proxy did in words of its own.
    throw new Refused({ reason: "UNREACHABLE", message: String(error) });
  }
}
