// @ts-check
/** Whether a shuffle was what the server committed to before the deal. */

/** @param {string} text base64 */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

/**
 * Whether `commitment` is the SHA-256 of `seed`, both in base64; null where nothing was promised to this page, or
 * the browser has no cryptography (pages without https have none).
 *
 * @param {string | null | undefined} commitment null: the server gave two different ones
 * @param {string} seed
 * @returns {Promise<boolean | null>}
 */
export async function isKept(commitment, seed) {
  if (commitment === null) return false;
  if (!commitment || !seed || !globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", fromBase64(seed));
  return toBase64(new Uint8Array(digest)) === commitment;
}
