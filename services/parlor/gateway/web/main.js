// @ts-check
/** Starts the page: who plays and where, from the address and from what this browser remembers. */

import { App, BESIDE } from "./app.js";
import { KINDS } from "./games/index.js";
import { knownToken, setting } from "./identity.js";
import { speak } from "./settings.js";
import { page } from "./shell.js";
import { bindKeys } from "./table/keys.js";
import { runClocks } from "./ui/countdown.js";
import { render } from "./ui/dom.js";
import { addWords, preferred } from "./words.js";
import en from "./words/en.js";
import zh from "./words/zh.js";

addWords({ zh, en });
for (const game of Object.values(KINDS)) addWords(game.words);

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
let isDue = false;

/** Draws the page once, however much has changed until the next turn of the event loop. */
function redraw() {
  if (isDue) return;
  isDue = true;
  // Not an animation frame: a hidden page has none, and shall go on speaking.
  setTimeout(() => {
    isDue = false;
    render(page(app), root);
  }, 0);
}

/** Twenty-four random hex digits; `crypto.randomUUID` is not there on pages without https. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const app = new App({
  window,
  url: `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`,
  open: (url, protocols) => new WebSocket(url, protocols),
  world: {
    now: () => Date.now(),
    random: Math.random,
    setTimeout: (fn, ms) => setTimeout(fn, ms),
    clearTimeout: (timer) => clearTimeout(timer),
  },
  newId,
  redraw,
});

app.local.motion = setting("motion");
app.local.shortcuts = setting("shortcuts");
const lang = setting("lang");
speak(app, lang === "zh" || lang === "en" ? lang : preferred(navigator.languages));

window.addEventListener("popstate", () => app.followAddress());
for (const event of ["online", "offline"])
  window.addEventListener(event, () => (app.client.connection.nudge(), redraw()));
document.addEventListener("visibilitychange", () => !document.hidden && app.client.connection.nudge());
window.matchMedia(BESIDE).addEventListener("change", redraw);
bindKeys(document, app);
runClocks(document, app.now);

// Whose token stands in the address plays by that one.
app.followAddress();
const known = knownToken();
if (known && !app.client.token) app.client.begin(known);
