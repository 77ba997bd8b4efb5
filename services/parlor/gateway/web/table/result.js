// @ts-check
/** What a game came to. */

import { guarded } from "../faults.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { knows, t } from "../words.js";
import { nameOf } from "./context.js";

/** @param {import("../app.js").App} app @param {import("./seating.js").Seating} seating */
export function resultPanel(app, seating) {
  const { room } = seating;
  const { result } = room.view;
  if (!result) return null;
  return h(
    "section",
    {
      class: "panel stack result",
      key: `result-${result.gameNo}`,
      "aria-labelledby": "result-title",
      "data-testid": "result",
      "data-reason": result.reason,
      ref: (/** @type {any} */ el) => el?.scrollIntoView?.({ block: "start" }),
    },
    h("h2", { id: "result-title", class: `result-title ${tone(result, room.seat)}` }, headline(result, room)),
    scores(result, room.view, room.seat),
    h(
      "div",
      { class: "result-more" },
      guarded(() => room.game && room.scene?.result(seating.context), null),
    ),
    h(
      "div",
      { class: "row spread" },
      checked(seating.kept.get(result.gameNo)),
      h(
        "button",
        {
          class: "btn btn-small",
          type: "button",
          "data-testid": "open-replay",
          onclick: () => app.show({ page: "replay", roomId: room.roomId, gameNo: result.gameNo }),
        },
        icon("play"),
        t("replay.open"),
      ),
    ),
  );
}

function headline(/** @type {any} */ result, /** @type {import("../room.js").Room} */ room) {
  if (result.reason === "DISSOLVED") return t("result.dissolved");
  if (!result.winners.length) return t("result.drawn");
  if (room.seat !== null && result.winners.includes(room.seat)) return t("result.youWon");
  const names = result.winners.map((/** @type {number} */ seat) => nameOf(room.view, seat)).join(t("list.comma"));
  return t(room.seat === null ? "result.won" : "result.youLost", { names });
}

function tone(/** @type {any} */ result, /** @type {number | null} */ seat) {
  if (seat === null || !result.winners.length) return "";
  return result.winners.includes(seat) ? "is-good" : "is-bad";
}

/** Scores by seat, best first. @param {any} result @param {any} view @param {number | null} seat */
export function scores(result, view, seat) {
  const rows = result.scores.map((/** @type {string} */ score, /** @type {number} */ index) => ({
    index,
    score: Number(score),
  }));
  rows.sort((/** @type {any} */ a, /** @type {any} */ b) => b.score - a.score || a.index - b.index);
  return h(
    "table",
    { class: "scores", "data-testid": "result-scores" },
    h("caption", { class: "sr-only" }, t("result.scores")),
    h(
      "thead",
      { class: "sr-only" },
      h("tr", null, h("th", { scope: "col" }, t("result.player")), h("th", { scope: "col" }, t("result.score"))),
    ),
    h(
      "tbody",
      null,
      rows.map((/** @type {any} */ row) =>
        h(
          "tr",
          { key: row.index, class: row.index === seat ? "is-mine" : null },
          h("th", { scope: "row" }, result.winners.includes(row.index) ? icon("crown") : null, nameOf(view, row.index)),
          h("td", { class: `number ${row.score < 0 ? "is-bad" : row.score > 0 ? "is-good" : ""}` }, signed(row.score)),
        ),
      ),
    ),
  );
}

/** @param {number} score */
export function signed(score) {
  return score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0";
}

/** Whether the shuffle was what had been promised. @param {boolean | null | undefined} kept */
export function checked(kept) {
  const key = kept === true ? "verify.good" : kept === false ? "verify.bad" : "verify.unknown";
  const badge = kept === true ? "badge badge-good" : kept === false ? "badge badge-bad" : "badge";
  return h(
    "details",
    { class: "verify" },
    h(
      "summary",
      { "data-testid": "result-verify", "data-ok": String(kept ?? "") },
      h("span", { class: badge }, kept === true ? icon("check") : null, t(key)),
    ),
    h("p", { class: "small soft" }, t(knows(`${key}.text`) ? `${key}.text` : "verify.text")),
  );
}
