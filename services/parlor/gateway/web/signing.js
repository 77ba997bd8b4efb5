// @ts-check
/** Signing in as a guest, and out again. */

import { logIn } from "./http.js";
import { rememberGuest } from "./identity.js";
import { reasonText } from "./reasons.js";
import { Refused } from "./requests.js";
import { t } from "./words.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app @param {string} name */
export async function signIn(app, name) {
  app.local.signInError = "";
  app.busy = true;
  app.redraw();
  try {
    const { token } = await logIn(name.trim());
    rememberGuest(token, name.trim());
    app.client.begin(token);
    app.focusMain();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.local.signInError = reasonText(error);
  } finally {
    app.busy = false;
    app.redraw();
  }
}

/** @param {App} app */
export async function signOut(app) {
  if (app.seatedIn && !(await app.confirm(t("signout.title"), t("signout.text"), t("signout.yes"), true))) return;
  app.forget();
  app.show({ page: "lobby" });
}
