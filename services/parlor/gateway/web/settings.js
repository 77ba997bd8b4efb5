// @ts-check
/** The page's settings: language, motion, shortcuts, and who one is. */

import { dialog } from "./ui/dialog.js";
import { h } from "./ui/dom.js";
import { keepSetting } from "./identity.js";
import { signOut } from "./signing.js";
import { lang, LANGUAGES, setLang, t } from "./words.js";

/** @param {import("./app.js").App} app */
export function settings(app) {
  const close = () => ((app.sheet = ""), app.redraw());
  const languages = /** @type {import("./words.js").Lang[]} */ (Object.keys(LANGUAGES));
  return dialog(
    { title: t("settings"), close, testid: "settings-dialog" },
    group(
      t("settings.language"),
      languages.map((each) => radio("lang", LANGUAGES[each], lang() === each, () => choose(app, each))),
    ),
    group(t("settings.motion"), [
      radio("motion", t("settings.motion.system"), app.local.motion !== "less", () => motion(app, "")),
      radio("motion", t("settings.motion.less"), app.local.motion === "less", () => motion(app, "less")),
    ]),
    group(t("settings.shortcuts"), [
      radio("shortcuts", t("settings.shortcuts.on"), app.local.shortcuts !== "off", () => shortcuts(app, "")),
      radio("shortcuts", t("settings.shortcuts.off"), app.local.shortcuts === "off", () => shortcuts(app, "off")),
    ]),
    h("p", { class: "small soft" }, t("settings.sound")),
    app.me &&
      h(
        "div",
        { class: "dialog-foot" },
        h(
          "button",
          { class: "btn", type: "button", "data-testid": "signout", onclick: () => (close(), signOut(app)) },
          t("signout"),
        ),
      ),
  );
}

/** Speaks another language, also the next time. @param {import("./app.js").App} app @param {import("./words.js").Lang} language */
export function choose(app, language) {
  keepSetting("lang", language);
  speak(app, language);
}

/** Speaks another language for now: one that nobody chose follows the browser's. @param {import("./app.js").App} app @param {import("./words.js").Lang} language */
export function speak(app, language) {
  setLang(language);
  app.window.document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  app.redraw();
}

function motion(/** @type {import("./app.js").App} */ app, /** @type {string} */ choice) {
  app.local.motion = choice;
  keepSetting("motion", choice);
  app.redraw();
}

function shortcuts(/** @type {import("./app.js").App} */ app, /** @type {string} */ choice) {
  app.local.shortcuts = choice;
  keepSetting("shortcuts", choice);
  app.redraw();
}

function group(/** @type {string} */ name, /** @type {any} */ choices) {
  return h(
    "fieldset",
    { class: "field" },
    h("legend", { class: "label" }, name),
    h("div", { class: "choices" }, choices),
  );
}

function radio(
  /** @type {string} */ name,
  /** @type {string} */ text,
  /** @type {boolean} */ checked,
  /** @type {() => void} */ onchange,
) {
  return h("label", { class: "choice" }, h("input", { type: "radio", name, checked, onchange }), h("span", null, text));
}
