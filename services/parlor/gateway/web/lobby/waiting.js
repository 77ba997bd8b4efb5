// @ts-check
/** Waiting for opponents. */

import { elapsed, elapsedText } from "../ui/countdown.js";
import { h } from "../ui/dom.js";
import { t } from "../words.js";
import { cancelMatch } from "./errands.js";
import { gameName } from "./names.js";

/** @param {import("../app.js").App} app */
export function waiting(app) {
  const { ticket } = app.client;
  const isMatched = ticket.state === "TICKET_STATE_MATCHED";
  const kind = app.local.matching?.kind;
  return h(
    "section",
    { class: "panel waiting", "aria-labelledby": "waiting-title", "data-testid": "waiting" },
    h("div", { class: "spinner", "aria-hidden": "true" }),
    h(
      "div",
      { class: "grow" },
      h("h2", { id: "waiting-title" }, kind ? t("match.title", { game: gameName(kind) }) : t("match.any")),
      h(
        "p",
        { class: "soft" },
        isMatched
          ? t("match.matched")
          : [
              ticket.ahead ? t("match.ahead", { n: ticket.ahead }) : t("match.next"),
              " · ",
              t("match.since"),
              " ",
              elapsed(app.now, ticket.createTime),
              usualWait(ticket),
            ],
      ),
    ),
    h(
      "button",
      {
        class: "btn",
        type: "button",
        "data-testid": "quick-cancel",
        disabled: isMatched || app.busy,
        onclick: () => cancelMatch(app),
      },
      t("match.cancel"),
    ),
  );
}

/** How long those before have waited in all; empty where nobody was matched lately. @param {any} ticket */
export function usualWait({ estimatedWait }) {
  return estimatedWait ? ` · ${t("match.usual", { time: elapsedText(parseFloat(estimatedWait) * 1000) })}` : "";
}
