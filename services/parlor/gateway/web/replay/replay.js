// @ts-check
/** The page of a replay: the table with all hands open, and what moves through the game. */

import { gameName } from "../lobby/names.js";
import { checked, scores } from "../table/result.js";
import { drawn } from "../table/table.js";
import { guarded } from "../faults.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words.js";

/** @typedef {import("./viewing.js").Viewing} Viewing */

/** @param {import("../app.js").App} app */
export function replayPage(app) {
  const viewing = app.replaying;
  const player = viewing?.player;
  const close = h(
    "button",
    { class: "btn btn-quiet tool", type: "button", "data-testid": "replay-close", onclick: () => app.closeReplay() },
    icon("back"),
    h("span", { class: "tool-label" }, t("replay.close")),
  );
  if (!viewing || !player) {
    return h(
      "main",
      { id: "main", class: "room", "data-testid": "replay" },
      h("div", { class: "bar" }, close, h("h1", { class: "bar-title" }, t("replay.controls"))),
      viewing?.error
        ? h(
            "section",
            { class: "panel stack replay-failed" },
            h("p", { role: "alert", "data-testid": "replay-error" }, viewing.error),
            h(
              "button",
              { class: "btn", type: "button", "data-testid": "replay-again", onclick: () => viewing.load() },
              t("replay.again"),
            ),
          )
        : h("p", { class: "waiting-room", role: "status" }, t("replay.loading")),
    );
  }
  const { start } = player;
  const atEnd = player.step === player.length;
  return h(
    "main",
    { id: "main", class: "room", "data-testid": "replay", "data-step": player.step, "data-steps": player.length },
    h(
      "div",
      { class: "bar" },
      close,
      h(
        "h1",
        { class: "bar-title" },
        t("replay.title", { game: player.kind ? gameName(player.kind) : t("kind.unknown"), n: start.gameNo }),
      ),
      h("div", { class: "grow" }),
      from(viewing),
    ),
    h(
      "div",
      { class: "room-main" },
      controls(viewing),
      h(
        "section",
        {
          class: "stage stage-replay",
          "aria-label": t("table.label"),
          "data-testid": "table",
          "data-kind": player.kind,
          "data-seat": player.seat,
          "data-decision": "",
          "data-phase": player.viewsAt()[player.seat]?.table?.phase ?? "",
        },
        drawn(player, viewing.context),
      ),
      atEnd &&
        h(
          "section",
          { class: "panel stack result", "aria-label": t("result.scores") },
          scores(player.result, player.room(), player.seat),
          h(
            "div",
            { class: "result-more" },
            guarded(() => player.scene?.result(viewing.context), null),
          ),
          checked(viewing.kept),
        ),
    ),
  );
}

/** From whose seat the table is looked at. */
function from(/** @type {Viewing} */ viewing) {
  const player = /** @type {import("./player.js").Player} */ (viewing.player);
  const { name } = viewing.context;
  return h(
    "label",
    { class: "row from" },
    h("span", { class: "from-label" }, t("replay.from")),
    h(
      "select",
      {
        class: "input",
        "data-testid": "replay-from",
        "aria-label": t("replay.from"),
        value: String(player.seat),
        onchange: (/** @type {any} */ event) => viewing.lookFrom(Number(event.target.value)),
      },
      player.start.seats.map((/** @type {any} */ _, /** @type {number} */ seat) =>
        h("option", { key: seat, value: String(seat) }, name(seat)),
      ),
    ),
  );
}

function controls(/** @type {Viewing} */ viewing) {
  const player = /** @type {import("./player.js").Player} */ (viewing.player);
  const { step, length } = player;
  const button = (
    /** @type {string} */ testid,
    /** @type {string} */ label,
    /** @type {import("../ui/icons.js").IconName} */ mark,
    /** @type {boolean} */ disabled,
    /** @type {() => void} */ run,
  ) =>
    h(
      "button",
      {
        class: "btn",
        type: "button",
        "data-testid": testid,
        "aria-label": label,
        title: label,
        disabled,
        onclick: run,
      },
      icon(mark),
    );
  return h(
    "section",
    { class: "panel replay-controls", "aria-label": t("replay.controls") },
    h(
      "div",
      { class: "row" },
      button("replay-prev", t("replay.prev"), "prev", step === 0, () => viewing.go(step - 1)),
      viewing.isRunning
        ? button("replay-play", t("replay.pause"), "pause", false, () => viewing.pause())
        : button("replay-play", t("replay.play"), "play", false, () => viewing.run()),
      button("replay-next", t("replay.next"), "next", step === length, () => viewing.go(step + 1)),
    ),
    h("input", {
      type: "range",
      class: "grow",
      "data-testid": "replay-slider",
      min: 0,
      max: length,
      value: step,
      "aria-label": t("replay.slider"),
      "aria-valuetext": t("replay.step", { n: step, of: length }),
      oninput: (/** @type {any} */ event) => viewing.go(Number(event.target.value)),
    }),
    h("span", { class: "number small" }, t("replay.step", { n: step, of: length })),
    h(
      "p",
      { class: "replay-caption" },
      viewing.sentences().join(" · ") || t(player.step ? "replay.still" : "replay.start"),
    ),
  );
}
