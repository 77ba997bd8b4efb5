// The fold of Dou Dizhu against the views that the engine gives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { before, fold } from "../../../services/parlor/gateway/web/games/doudizhu/fold.js";

const games = JSON.parse(readFileSync(process.env.DOUDIZHU_FRAMES, "utf8"));

/** Freezes a value to its leaves, so that a fold that changes what it was given throws. */
function frozen(value) {
  if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

for (const { name, config, audiences } of games) {
  for (const { seat, before: blank, steps } of audiences) {
    const audience = seat === null ? "a spectator" : `seat ${seat}`;

    test(`${name}: ${audience} begins with what is known before the deal`, () => {
      assert.deepStrictEqual(before(config, seat), blank);
    });

    test(`${name}: events lead ${audience} from view to view`, () => {
      let view = frozen(before(config, seat));
      for (const step of steps) {
        for (const event of step.events) view = frozen(fold(view, frozen(event)));
        assert.deepStrictEqual(view, step.view);
      }
    });
  }
}

test("an event of a newer release changes nothing", () => {
  const [{ steps }] = games[0].audiences;
  assert.deepStrictEqual(fold(steps[0].view, { toString: {} }), steps[0].view);
});
