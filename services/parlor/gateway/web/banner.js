// @ts-check
/** How the connection is, where that is not as usual. */

import { h } from "./ui/dom.js";
import { icon } from "./ui/icons.js";
import { reasonText } from "./reasons.js";
import { t } from "./words.js";

/** @param {import("./app.js").App} app */
export function banner(app) {
  const { phase, goodbye, outdated } = app.connection;
  if (outdated)
    return strip(
      "bad",
      t("banner.outdated"),
      button(t("reload"), () => location.reload()),
    );
  if (phase === "over" && goodbye?.reason === "GOODBYE_REASON_REPLACED") {
    return strip(
      "warn",
      t("banner.replaced"),
      button(t("banner.takeOver"), () => app.client.connection.start(), "take-over"),
    );
  }
  if (phase === "over" && goodbye) {
    const why = goodbye.refusal ? reasonText(goodbye.refusal) : "";
    return strip(
      "bad",
      t("banner.over", { why }),
      button(t("banner.again"), () => app.client.connection.start()),
    );
  }
  if (phase === "away" || (phase === "connecting" && app.connection.retryAt)) {
    const waiting = app.client.requests.unanswered.length;
    const text = navigator.onLine ? t("banner.away") : t("banner.offline");
    return strip(
      "warn",
      waiting ? `${text} ${t("banner.pending", { n: waiting })}` : text,
      button(t("banner.now"), () => app.client.connection.nudge()),
    );
  }
  const betweenGames = app.seating?.room.view.status !== "ROOM_STATUS_PLAYING";
  if (app.client.isOld && betweenGames)
    return strip(
      "plain",
      t("banner.newer"),
      button(t("reload"), () => location.reload()),
    );
  return null;
}

function strip(/** @type {string} */ tone, /** @type {string} */ text, /** @type {any} */ action) {
  return h(
    "div",
    { class: `banner banner-${tone}`, role: "status", "data-testid": "banner" },
    icon("offline"),
    h("p", { class: "grow" }, text),
    action,
  );
}

function button(/** @type {string} */ text, /** @type {() => void} */ run, testid = "banner-go") {
  return h("button", { class: "btn btn-small", type: "button", "data-testid": testid, onclick: run }, text);
}
