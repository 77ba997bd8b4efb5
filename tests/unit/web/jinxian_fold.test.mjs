// How the Jinxian view follows its events, against the engine: JINXIAN_FRAMES is what `jinxian_frames.py` prints.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { before, fold } from "../../../services/parlor/gateway/web/games/jinxian/fold.js";

const games = JSON.parse(readFileSync(process.env.JINXIAN_FRAMES, "utf8"));

/** A view that breaks where the fold tries to change it in place. */
function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

for (const { name, config, audiences } of games) {
  for (const { seat, before: blank, steps } of audiences) {
    const audience = seat === null ? "a spectator" : `seat ${seat}`;

    test(`${name}: ${audience} begins with what the engine says is known before the deal`, () => {
      assert.deepStrictEqual(before(config, seat), blank);
    });

    test(`${name}: the events of ${audience} lead to the engine's view after every step`, () => {
      let view = before(config, seat);
      steps.forEach((step, number) => {
        for (const event of step.events) view = fold(frozen(view), frozen(event));
        assert.deepStrictEqual(view, step.view, `step ${number}`);
      });
    });
  }
}

test("the games have every event there is", () => {
  const branches = new Set(games.flatMap((game) => game.audiences).flatMap((audience) => audience.steps)
    .flatMap((step) => step.events).flatMap(Object.keys));
  assert.deepStrictEqual([...branches].sort(), [
    "answered", "asked", "autoplayChanged", "booked", "clocksMoved", "continued", "dealerChosen", "dealt", "discarded",
    "drawn", "ended", "jingTurned", "kongDeclared", "melded", "phaseChanged", "presenceChanged", "reminded",
    "roundEnded", "seatLeft",
  ]);
});

test("an event of a newer release changes nothing", () => {
  const view = before(games[0].config, 1);
  assert.deepStrictEqual(fold(view, { unheardOf: { seat: 1 } }), view);
});
