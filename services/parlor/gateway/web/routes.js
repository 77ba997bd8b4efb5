// @ts-check
/**
 * Where in the page one is, as the address's fragment, which no server ever sees.
 *
 * `#/join/<code>`, `#/join/<room>/<token of its link>`, `#/watch/<room>`, `#/replay/<room>/<game>`, `#/table`, nothing for the lobby; and from other
 * sites `#room=<code>` or `#code=<code>`, with `token=<JWT>` beside it or alone.
 */

/** @typedef {{page: "lobby" | "table" | "join" | "watch" | "replay", code?: string, roomId?: string,
 *   linkToken?: string, gameNo?: number}} Route */

/**
 * @param {string} hash
 * @returns {{route: Route, token: string}} `token` is empty where none was handed over
 */
export function parse(hash) {
  const fragment = hash.replace(/^#/, "");
  if (!fragment.startsWith("/")) {
    const fields = new URLSearchParams(fragment);
    const code = fields.get("room") ?? fields.get("code") ?? "";
    const route = /** @type {Route} */ (isCode(code) ? { page: "join", code } : { page: "lobby" });
    return { route, token: fields.get("token") ?? "" };
  }
  const [, page, first = "", second = ""] = fragment.split("/");
  return { route: routeOf(page, decoded(first), second), token: "" };
}

/** The fragment of a route. @param {Route} route */
export function format(route) {
  switch (route.page) {
    case "join":
      return route.linkToken
        ? `#/join/${encodeURIComponent(route.roomId ?? "")}/${route.linkToken}`
        : `#/join/${route.code}`;
    case "watch":
      return `#/watch/${encodeURIComponent(route.roomId ?? "")}`;
    case "replay":
      return `#/replay/${encodeURIComponent(route.roomId ?? "")}/${route.gameNo}`;
    case "table":
      return "#/table";
    default:
      return "#/";
  }
}

/** Whether it is the code of a room: six digits. @param {string} text */
export function isCode(text) {
  return /^\d{6}$/.test(text);
}

/** The code in what was typed or pasted, as far as it goes: "１２３ 456" is 123456. @param {string} text */
export function codeIn(text) {
  return text.normalize("NFKC").replace(/\D/g, "").slice(0, 6);
}

/** @returns {Route} */
function routeOf(/** @type {string} */ page, /** @type {string} */ first, /** @type {string} */ second) {
  if (page === "join" && isCode(first)) return { page, code: first };
  if (page === "join" && first && /^[\w-]{1,64}$/.test(second)) return { page, roomId: first, linkToken: second };
  if (page === "watch" && first) return { page, roomId: first };
  if (page === "replay" && first && /^\d{1,6}$/.test(second)) return { page, roomId: first, gameNo: Number(second) };
  if (page === "table") return { page };
  return { page: "lobby" };
}

function decoded(/** @type {string} */ text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
