// @ts-check
/** How others come to a table: a code, a link, and a picture of the link. */

import { dialog } from "../ui/dialog.js";
import { h, svg } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { qrCode } from "../ui/qr.js";
import { format } from "../routes.js";
import { t } from "../words.js";

const QUIET = 4;

/** @param {import("../app.js").App} app @param {import("./seating.js").Seating} seating */
export function invitation(app, seating) {
  const { room } = seating;
  const { linkToken, options, seats } = room.view;
  // A bot gives its seat to whoever comes.
  const hasSeat = seats.some((/** @type {any} */ seat) => !seat.player || seat.bot);
  const code = hasSeat && room.view.code;
  const short = code && address(app, { page: "join", code });
  // The link's token needs no guessing and no tries at codes.
  const join = code && linkToken ? address(app, { page: "join", roomId: room.roomId, linkToken }) : short;
  const watch = options.spectators && address(app, { page: "watch", roomId: room.roomId });
  return h(
    "div",
    { class: "invitation" },
    join && (qr(join) ?? qr(short)),
    h(
      "div",
      { class: "stack" },
      join &&
        h(
          "p",
          { class: "invite-code" },
          h("span", { class: "small soft" }, t("invite.code")),
          h(
            "span",
            { class: "row" },
            h("strong", { class: "number" }, code),
            h(
              "button",
              {
                class: "btn btn-quiet btn-small",
                type: "button",
                "data-testid": "copy-code",
                "aria-label": t("invite.copyCode"),
                title: t("invite.copyCode"),
                onclick: () => copy(app, code),
              },
              icon("copy"),
            ),
          ),
        ),
      h(
        "div",
        { class: "row" },
        join &&
          h(
            "button",
            { class: "btn", type: "button", "data-testid": "copy-invite", onclick: () => copy(app, join) },
            icon("copy"),
            t("invite.copy"),
          ),
        watch &&
          h(
            "button",
            { class: "btn btn-quiet", type: "button", "data-testid": "copy-watch", onclick: () => copy(app, watch) },
            icon("eye"),
            t("invite.watch"),
          ),
      ),
      h("p", { class: "small soft" }, t(!join ? "invite.text.full" : watch ? "invite.text.watch" : "invite.text")),
    ),
  );
}

/** The same, over the page. @param {import("../app.js").App} app */
export function inviteSheet(app) {
  const { seating } = app;
  if (!seating) return null;
  return dialog(
    { title: t("invite.title"), close: () => ((app.sheet = ""), app.redraw()), testid: "invite-dialog" },
    invitation(app, seating),
  );
}

function address(/** @type {import("../app.js").App} */ app, /** @type {import("../routes.js").Route} */ route) {
  return `${app.window.location.origin}/${format(route)}`;
}

/** The address as a picture, where it is short enough for one. */
function qr(/** @type {string} */ text) {
  let modules;
  try {
    modules = qrCode(text);
  } catch {
    return null;
  }
  const size = modules.length + 2 * QUIET;
  const dark = modules.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")),
  );
  return svg(
    "svg",
    {
      class: "qr",
      viewBox: `0 0 ${size} ${size}`,
      role: "img",
      "aria-label": t("invite.qr"),
      "shape-rendering": "crispEdges",
    },
    svg("rect", { width: size, height: size, fill: "#fff" }),
    svg("path", { d: dark.join(""), fill: "#000" }),
  );
}

/** Copies; where the page may not (no https), shows the text to be copied by hand. */
export async function copy(/** @type {import("../app.js").App} */ app, /** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
    app.speaker.show(t("copied"), "good");
  } catch {
    app.local.toCopy = text;
    app.sheet = "copy";
    app.redraw();
  }
}

/** What is to be copied by hand, chosen already. @param {import("../app.js").App} app */
export function copySheet(app) {
  return dialog(
    { title: t("copy.title"), close: () => ((app.sheet = ""), app.redraw()), testid: "copy-dialog" },
    h("label", { for: "to-copy" }, t("copy.text")),
    h("input", {
      id: "to-copy",
      class: "input",
      "data-testid": "to-copy",
      readonly: true,
      autofocus: true,
      value: app.local.toCopy,
      onfocus: (/** @type {any} */ event) => event.target.select(),
    }),
  );
}
