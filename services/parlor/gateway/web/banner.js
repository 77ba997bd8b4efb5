// @ts-check
/** How the connection is, where that is not as usual, and what all players have to know. */

import { h } from "./ui/dom.js";
import { icon } from "./ui/icons.js";
import { reasonText } from "./reasons.js";
import { lang, t } from "./words.js";

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
  if (app.client.maintenance) return strip("warn", maintenanceText(app.client.maintenance, app.now(), navigator.languages), null, "pause");
  const betweenGames = app.seating?.room.view.status !== "ROOM_STATUS_PLAYING";
  if (app.client.isOld && betweenGames)
    return strip(
      "plain",
      t("banner.newer"),
      button(t("reload"), () => location.reload()),
    );
  return null;
}

/**
 * What a player has to know of a maintenance.
 *
 * @param {{startTime: string, endTime?: string}} maintenance
 * @param {number} now the server's time in ms
 * @param {readonly string[]} preferred the browser's languages: a language does not say how its reader writes times
 */
export function maintenanceText({ startTime, endTime }, now, preferred = []) {
  const locales = [...preferred.filter((each) => each.startsWith(lang())), lang()];
  const end = endTime ? t("maintenance.until", { time: instantText(endTime, now, locales) }) : "";
  if (Date.parse(startTime) <= now) return t("maintenance.on", { end });
  return t("maintenance.planned", { time: instantText(startTime, now, locales), end });
}

/** A time of today, or with its day, where the page is. */
function instantText(/** @type {string} */ instant, /** @type {number} */ now, /** @type {string[]} */ locales) {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date(now).toDateString();
  const date = isToday ? undefined : "medium";
  return new Intl.DateTimeFormat(locales, { dateStyle: date, timeStyle: "short" }).format(at);
}

function strip(
  /** @type {string} */ tone,
  /** @type {string} */ text,
  /** @type {any} */ action,
  /** @type {any} */ glyph = "offline",
) {
  return h(
    "div",
    { class: `banner banner-${tone}`, role: "status", "data-testid": "banner" },
    icon(glyph),
    h("p", { class: "grow" }, text),
    action,
  );
}

function button(/** @type {string} */ text, /** @type {() => void} */ run, testid = "banner-go") {
  return h("button", { class: "btn btn-small", type: "button", "data-testid": testid, onclick: run }, text);
}
