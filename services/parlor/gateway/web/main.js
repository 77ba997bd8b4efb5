// @ts-check
/** Starts the page: who plays and where, from the address and from what this browser remembers. */

import { App } from "./app.js";
import { KINDS } from "./games/index.js";
import { knownToken, rememberGiven, setting } from "./identity.js";
import { format, parse } from "./routes.js";
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

const { route, token } = parse(location.hash);
if (token) rememberGiven(token);
// A token in the address is read once and leaves it at once: it shall not be in the history or be copied with a link.
if (!location.hash.startsWith("#/") && location.hash) history.replaceState(null, "", format(route));
app.route = route;
app.local.code = route.code ?? "";
app.local.motion = setting("motion");
const lang = setting("lang");
speak(app, lang === "zh" || lang === "en" ? lang : preferred(navigator.languages));

window.addEventListener("popstate", () => app.followAddress());
for (const event of ["online", "offline"])
  window.addEventListener(event, () => (app.client.connection.nudge(), redraw()));
document.addEventListener("visibilitychange", () => !document.hidden && app.client.connection.nudge());
bindKeys(document, app);
runClocks(document, app.now);

const known = knownToken();
if (known) app.client.begin(known);
redraw();
