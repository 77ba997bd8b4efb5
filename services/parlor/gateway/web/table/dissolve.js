// @ts-check
/** The vote on ending a game. */

import { countdown } from "../ui/countdown.js";
import { h } from "../ui/dom.js";
import { knows, t } from "../words.js";
import { nameOf } from "./context.js";

/**
 * What is said of a vote, in the words of a game whose rules of it are its own.
 *
 * @param {string | null} kind @param {string} key @param {Record<string, string>} [params]
 */
export function said(kind, key, params) {
  const own = `${kind}.${key}`;
  return t(knows(own) ? own : key, params);
}

/** @param {import("../app.js").App} app @param {import("./seating.js").Seating} seating */
export function vote(app, seating) {
  const { view, seat, kind } = seating.room;
  const running = view.dissolve;
  if (!running) return null;
  const mayVote = seat !== null && !running.agreed.includes(seat);
  const agreed = running.agreed.map((/** @type {number} */ each) => nameOf(view, each)).join(t("list.comma"));
  return h(
    "section",
    { class: "panel vote row spread", role: "status", "data-testid": "vote" },
    h(
      "p",
      { class: "grow" },
      said(kind, "vote.text", { name: nameOf(view, running.proposer), agreed }),
      " ",
      countdown(app.now, running.expireTime, { label: t("vote.left") }),
    ),
    mayVote &&
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            class: "btn btn-danger",
            type: "button",
            "data-testid": "dissolve-yes",
            onclick: () => seating.dissolve(true),
          },
          t("vote.yes"),
        ),
        h(
          "button",
          {
            class: "btn btn-primary",
            type: "button",
            "data-testid": "dissolve-no",
            onclick: () => seating.dissolve(false),
          },
          t("vote.no"),
        ),
      ),
  );
}
