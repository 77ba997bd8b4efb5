// The parts of the Plane Battle table that need no page, against the engine. Run by test_planes.py, which names the frames.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { actions } from "../../../services/parlor/gateway/web/games/planes/actions.js";
import { announce } from "../../../services/parlor/gateway/web/games/planes/announce.js";
import { battleBoard } from "../../../services/parlor/gateway/web/games/planes/battle.js";
import { layOut, verdict } from "../../../services/parlor/gateway/web/games/planes/check.js";
import { before, fold } from "../../../services/parlor/gateway/web/games/planes/fold.js";
import planes from "../../../services/parlor/gateway/web/games/planes/index.js";
import { boxOf, cellName, cellsOf, onPaper, SIZE, turned } from "../../../services/parlor/gateway/web/games/planes/shape.js";
import { h, svg } from "../../../services/parlor/gateway/web/ui/dom.js";
import { addWords, knows, setLang, t } from "../../../services/parlor/gateway/web/words.js";

const { games, placements } = JSON.parse(readFileSync(process.env.PLANES_FRAMES, "utf8"));
addWords(planes.words);

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

test("an event of a newer release leaves the view as it is", () => {
  const view = games[0].audiences[0].steps[0].view;
  assert.deepStrictEqual(fold(view, { weatherChanged: { wind: 3 } }), view);
});

test("planes are drawn on the cells that the rules give them", () => {
  assert.equal(placements.length, 144);
  for (const { plane, cells } of placements) assert.deepStrictEqual(cellsOf(plane), cells);
});

test("a plane pushed or turned stays on the paper, and four turns bring it back where there is room", () => {
  const fitting = new Set(placements.map(({ plane }) => JSON.stringify(plane)));
  for (const { plane } of placements) {
    assert.deepStrictEqual(onPaper(plane), plane);
    assert.ok(fitting.has(JSON.stringify(turned(plane))), `${JSON.stringify(plane)} turned`);
    const { top, left, height, width } = boxOf(plane);
    assert.deepStrictEqual(onPaper({ ...plane, x: plane.x - 20, y: plane.y + 20 }), {
      ...plane, x: plane.x - top, y: plane.y + SIZE - width - left,
    });
    if (top > 0 && left > 0 && top + height < SIZE && left + width < SIZE) {
      assert.deepStrictEqual(turned(turned(turned(turned(plane)))), plane);
    }
  }
});

test("cells are named by column and row", () => {
  assert.equal(cellName(0, 0), "A1");
  assert.equal(cellName(6, 1), "B7");
  assert.equal(cellName(9, 9), "J10");
});

test("every event of every game has a sentence in both languages, and only words that exist", () => {
  const heard = new Set();
  for (const lang of ["zh", "en"]) {
    setLang(lang);
    for (const { audiences } of games) {
      for (const { seat, steps } of audiences) {
        const ctx = { seat, t: strict, name: (number) => ["Ada", "Ming"][number] };
        for (const event of steps.flatMap(({ events }) => events)) {
          heard.add(Object.keys(event)[0]);
          const sentence = announce(event, ctx);
          assert.match(sentence, /[.。]$/);
          assert.doesNotMatch(sentence, /undefined|NaN|planes\./);
        }
      }
    }
  }
  // All branches of PlanesEvent, so that none goes unheard because no game brought it about.
  assert.equal(heard.size, 14);
});

test("a replay tells of every seat by its name", () => {
  setLang("en");
  for (const { audiences } of games) {
    for (const { seat, steps } of audiences.filter((audience) => audience.seat !== null)) {
      const ctx = { seat, others: {}, t: strict, name: (number) => ["Ada", "Ming"][number] };
      for (const event of steps.flatMap(({ events }) => events)) assert.doesNotMatch(announce(event, ctx), /\byour?\b/i);
    }
  }
});

test("both languages say the same things, and the options are all described", () => {
  assert.deepStrictEqual(Object.keys(planes.words.zh).sort(), Object.keys(planes.words.en).sort());
  const fields = planes.options.map(({ field }) => field);
  assert.deepStrictEqual([...fields].sort(), Object.keys(games[0].config).sort());
  for (const { field, choices = [] } of planes.options) {
    for (const key of [`planes.option.${field}`, `planes.option.${field}.help`, ...choices.map((choice) => `planes.option.${field}.choice.${choice}`)]) {
      assert.ok(knows(key), key);
    }
  }
  for (const { name, config } of planes.presets) {
    assert.ok(knows(`planes.preset.${name}`), name);
    for (const field of Object.keys(config)) assert.ok(fields.includes(field), field);
  }
});

test("a layout is asked about once, one question at a time, and the newest follows", async () => {
  const desk = laying();
  await layOut(desk.ctx);
  assert.equal(verdict(desk.ctx).state, "fits", "an advised fleet needs no second question");
  assert.deepStrictEqual(desk.asked.map(({ method }) => method), ["Advise"]);

  const [first, ...others] = desk.fleet();
  desk.move([{ ...first, x: first.x + 1 }, ...others]);
  assert.equal(verdict(desk.ctx).state, "checking");
  desk.move([{ ...first, x: first.x + 2 }, ...others]);
  verdict(desk.ctx);
  desk.move([{ ...first, x: first.x + 3 }, ...others]);
  verdict(desk.ctx);
  assert.equal(desk.asked.length, 2, "what moved on meanwhile waits");
  await desk.answered();
  assert.equal(verdict(desk.ctx).state, "checking");
  assert.deepStrictEqual(desk.asked.at(-1).body.planes[0], { ...first, x: first.x + 3 }, "the place passed over is not asked about");
  await desk.answered();
  assert.deepStrictEqual(verdict(desk.ctx), { state: "refused", reason: "ERROR_REASON_OVERLAP", blamed: [0, 1] });
  assert.equal(desk.asked.length, 3, "what was answered is not asked again");
});

test("where nobody can be asked, a layout lies there all the same and the table decides", async () => {
  const desk = laying({ refuses: true });
  await layOut(desk.ctx);
  assert.equal(desk.fleet().length, 3);
  assert.equal(desk.ctx.local.planes.unadvised, true, "the player is told");
  verdict(desk.ctx);
  await desk.answered();
  assert.equal(verdict(desk.ctx).state, "unknown");
});

for (const lang of ["zh", "en"]) {
  test(`a hint that fails says so in ${lang}, until advice comes, the player chooses or the next shot is asked for`, async () => {
    setLang(lang);
    const { view } = games[0].audiences[0].steps.find(({ view: { prompt } }) => prompt?.question === "PLANES_QUESTION_ATTACK");
    const ctx = {
      h, svg, t: strict, view, seat: view.seat, others: null, live: true, pending: null, local: {}, redraw: () => {},
      name: (number) => ["Ada", "Ming"][number],
    };
    const said = () => found(actions(ctx), ({ props }) => props.role === "status").flatMap(({ children }) => children);
    const ask = async (answer) => {
      ctx.ask = answer;
      await found(actions(ctx), ({ props }) => props["data-testid"] === "hint")[0].props.onclick();
    };
    const failing = async () => Promise.reject(new Error("no engine"));
    const failed = { zh: ["暂时没有提示"], en: ["No hint just now"] }[lang];
    assert.deepEqual(said(), []);
    await ask(failing);
    assert.deepEqual(said(), failed);
    await ask(async () => ({ action: { attack: { x: 3, y: 4 } } }));
    assert.deepEqual(said(), []);
    assert.equal(ctx.local.planes.target, 34);
    await ask(async () => ({}));
    assert.deepEqual(said(), failed, "an answer without advice is none");
    const [grid] = found(battleBoard(ctx, 1 - view.seat, ""), ({ props }) => props.role === "grid");
    grid.props.onclick({ detail: 1, target: { closest: () => ({ dataset: { cell: "99" } }) } });
    assert.deepEqual(said(), []);
    await ask(failing);
    ctx.view = { ...view, prompt: { ...view.prompt, decision: view.prompt.decision + 1 } };
    assert.deepEqual(said(), []);
  });
}

/** The elements of a description that match. */
function found(node, match) {
  if (Array.isArray(node)) return node.flatMap((each) => found(each, match));
  if (!node || typeof node !== "object") return [];
  return [...(match(node) ? [node] : []), ...found(node.children, match)];
}

/** As `t`, but a key without a sentence is a failure. */
function strict(key, params) {
  assert.ok(knows(key), key);
  return t(key, params);
}

/** A table at which the fleet is laid out, with a rules service that blames the first two planes of what it is asked. */
function laying({ refuses = false } = {}) {
  const asked = [];
  const { view } = games[0].audiences[0].steps[0];
  const fleet = [placements[0].plane, placements[1].plane, placements[2].plane];
  const ctx = {
    view, local: {}, redraw: () => {},
    ask: async (method, body) => {
      asked.push({ method, body });
      await Promise.resolve();
      if (refuses) throw { reason: "ERROR_REASON_OVERLOADED" };
      if (method === "Advise") return { action: { place: { planes: fleet } }, decision: 1 };
      return { placements: [], reason: "ERROR_REASON_OVERLAP", blamed: [0, 1] };
    },
  };
  return {
    ctx, asked,
    fleet: () => ctx.local.planes.fleet,
    move: (planes) => { ctx.local.planes.fleet = planes; },
    answered: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
