// @ts-check
/**
 * Who plays in this browser.
 *
 * A guest's token is kept in `localStorage`: a seat belongs to its player, and a phone that closes the page in the
 * middle of a game has lost it without the token. A token that the operator's own site hands over belongs to that
 * site's session and is kept in `sessionStorage`, which ends with the tab.
 */

const TOKEN = "parlor.token";
const NAME = "parlor.name";

/** Reads `key` of a storage that the user may have switched off. */
function read(/** @type {() => Storage} */ storage, /** @type {string} */ key) {
  try {
    return storage().getItem(key) ?? "";
  } catch {
    return "";
  }
}

function write(/** @type {() => Storage} */ storage, /** @type {string} */ key, /** @type {string} */ value) {
  try {
    if (value) storage().setItem(key, value);
    else storage().removeItem(key);
  } catch {
    // Without storage the page plays on, and forgets when it is closed.
  }
}

const lasting = () => localStorage;
const passing = () => sessionStorage;

/** @returns {string} the token of this browser's player; empty where nobody has signed in */
export function knownToken() {
  return read(passing, TOKEN) || read(lasting, TOKEN);
}

/** @returns {string} the name that a guest last went by */
export function knownName() {
  return read(lasting, NAME);
}

/** Remembers a guest. @param {string} token @param {string} name */
export function rememberGuest(token, name) {
  write(lasting, TOKEN, token);
  write(lasting, NAME, name);
}

/** Remembers a token that the operator's site gave. @param {string} token */
export function rememberGiven(token) {
  write(passing, TOKEN, token);
}

/** Forgets a token wherever it is kept, and not the name: a guest's outlives one that was given for this tab. @param {string} token */
export function forgetToken(token) {
  for (const storage of [passing, lasting]) if (read(storage, TOKEN) === token) write(storage, TOKEN, "");
}

/** A setting of the page, kept where possible. @param {string} name */
export function setting(name) {
  return read(lasting, `parlor.${name}`);
}

/** @param {string} name @param {string} value */
export function keepSetting(name, value) {
  write(lasting, `parlor.${name}`, value);
}
