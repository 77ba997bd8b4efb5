// The Jinxian table without a page: what is drawn for every view, said about every event, and sent by every press.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import rules from "../../../services/parlor/gateway/web/games/jinxian/index.js";
import game from "../../../services/parlor/gateway/web/games/jinxian/scene.js";
import { face } from "../../../services/parlor/gateway/web/games/jinxian/faces.js";
import { h } from "../../../services/parlor/gateway/web/ui/dom.js";
import { addWords, knows, setLang, t } from "../../../services/parlor/gateway/web/words.js";

const games = JSON.parse(readFileSync(process.env.JINXIAN_FRAMES, "utf8"));
const seatings = games.flatMap(({ audiences }) => audiences);
const views = seatings.flatMap(({ steps }) => steps.map(({ view }) => view));
const QUESTION = "JINXIAN_QUESTION_";

addWords(rules.words);

/** A context as the shell makes it, which writes down what is sent. */
function context(view, { seat = view.seat ?? null, others = null, mine = seat !== null && !others, live = mine, lang = "en", answer } = {}) {
  setLang(lang);
  const sent = [];
  return {
    view, seat, others, mine, live, lang, sent, pending: null, local: {}, reduced: false,
    now: () => 0,
    countdown: (instant) => h("time", { datetime: instant }),
    name: (number) => `P${number}`,
    t: (key, params) => {
      assert.ok(knows(key), `no words for ${key}`);
      return t(key, params);
    },
    redraw: () => {},
    act: async (action, decision) => (sent.push(decision === undefined ? action : { ...action, decision }), true),
    ask: async () => answer,
  };
}

/** Every element below a description, itself included. */
function* elements(node) {
  if (Array.isArray(node)) for (const child of node) yield* elements(child);
  else if (node && typeof node === "object") {
    yield node;
    yield* elements(node.children);
  }
}

const all = (node, match) => [...elements(node)].filter(match);
const act = (name) => (node) => node.props["data-act"] === name;
const isTile = (node) => node.props["data-testid"] === "tile";

function* texts(node) {
  if (Array.isArray(node)) for (const child of node) yield* texts(child);
  else if (typeof node === "string" || typeof node === "number") yield String(node);
  else if (node && typeof node === "object") {
    for (const name of ["aria-label", "aria-description", "title"]) if (node.props[name]) yield node.props[name];
    yield* texts(node.children);
  }
}

const asking = (question, filter = () => true) =>
  views.find(({ prompt }) => prompt?.question === `${QUESTION}${question}` && filter(prompt.options));

test("views are drawn in both languages, without a word that is missing or left open", () => {
  const ends = seatings.map(({ steps }) => steps.at(-1).view);
  for (const lang of ["zh", "en"]) {
    for (const view of [...views.filter((_, at) => at % 7 === 0), ...ends]) {
      const ctx = context(view, { lang });
      for (const text of texts([game.table(ctx), game.result(ctx)])) assert.doesNotMatch(text, /undefined|NaN|null|[{}]|jinxian\./, text);
    }
  }
});

test("every event has its sentence in both languages, or is told by those around it", () => {
  const silent = { phaseChanged: true, asked: true };
  for (const lang of ["zh", "en"]) {
    const said = new Set();
    for (const { seat, steps } of seatings) {
      for (const { events, view } of steps) {
        for (const event of events) {
          const [branch] = Object.keys(event);
          const sentence = game.announce(event, context(view, { seat, lang }));
          if (sentence === null) assert.ok(silent[branch], branch);
          else {
            assert.match(sentence, /[。.]/);
            assert.doesNotMatch(sentence, /undefined|NaN|[{}]|jinxian\./, sentence);
            said.add(branch);
          }
        }
      }
    }
    assert.equal(said.size, 19);
  }
});

test("what may be pressed is what the prompt lists, and pressing sends it", () => {
  let seen = 0;
  for (const view of views.filter(({ prompt }) => prompt)) {
    const ctx = context(view);
    const buttons = all(game.table(ctx), (node) => node.props["data-act"] && node.props["data-act"] !== "discard" && node.props["data-act"] !== "stopAutoplay");
    buttons.forEach((button) => button.props.onclick());
    const { win, kongs, pong, chows } = view.prompt.options;
    const question = view.prompt.question.slice(QUESTION.length);
    assert.deepEqual(ctx.sent, [
      ...(question === "CONTINUE" ? [{ continueGame: {} }] : []),
      ...(win === "0" ? [] : [{ win: {} }]),
      ...kongs.map((kong) => ({ kong })),
      ...(pong ? [{ pong: {} }] : []),
      ...chows.map(({ tiles }) => ({ chow: { tiles } })),
      ...(question === "CLAIM" ? [{ passClaim: {} }] : []),
    ]);
    seen += ctx.sent.length;
  }
  assert.ok(seen > 100);
});

test("a tile is lifted first and discarded by the second press, by the button, or by a key", async () => {
  const press = { detail: 1 };
  for (const how of ["press", "button", "key"]) {
    const ctx = context(asking("TURN"));
    assert.ok(all(game.table(ctx), act("discard"))[0].props.disabled);
    const first = all(game.table(ctx), isTile)[0];
    first.props.onclick(press);
    assert.deepEqual(ctx.sent, []);
    assert.equal(all(game.table(ctx), isTile)[0].props["aria-pressed"], true);
    if (how === "press") all(game.table(ctx), isTile)[0].props.onclick(press);
    else if (how === "button") all(game.table(ctx), act("discard"))[0].props.onclick();
    else game.keys(ctx).find(({ key }) => key === "Enter").run();
    assert.deepEqual(ctx.sent, [{ discard: first.props["data-tile"] }]);
  }
});

test("where nothing may be discarded a second press lays the tile back", () => {
  const ctx = context(asking("CLAIM"));
  all(game.table(ctx), isTile)[0].props.onclick({ detail: 1 });
  all(game.table(ctx), isTile)[0].props.onclick({ detail: 1 });
  assert.equal(ctx.local.lifted, null);
  assert.deepEqual(ctx.sent, []);
});

test("nothing can be pressed while an action is on its way, and the tile on its way shows it", () => {
  const ctx = context(asking("TURN"));
  const tile = all(game.table(ctx), isTile)[0];
  ctx.local.lifted = tile.props["data-key"];
  ctx.pending = { discard: tile.props["data-tile"] };
  assert.match(all(game.table(ctx), isTile)[0].props.class, /jx-sent/);
  assert.ok(all(game.table(ctx), (node) => node.props["data-act"]).every(({ props }) => props.disabled));
  assert.deepEqual(game.keys(ctx), []);
});

test("the tile and the claim on their way stay marked while nothing can be pressed", () => {
  const turn = context(asking("TURN"), { live: false, mine: true });
  const [tile] = all(game.table(turn), isTile);
  tile.props.onclick({ detail: 1 });
  turn.pending = { discard: tile.props["data-tile"] };
  assert.equal(all(game.table(turn), isTile).length, turn.view.hand.length);
  assert.match(all(game.table(turn), isTile).find(({ props }) => props["data-key"] === tile.props["data-key"]).props.class, /jx-sent/);

  const claim = context(asking("CLAIM"), { live: false, mine: true });
  claim.pending = { passClaim: {} };
  assert.match(all(game.table(claim), act("passClaim"))[0].props.class, /jx-sent/);
  claim.pending = null;
  const acts = all(game.table(claim), (node) => node.props["data-act"]);
  assert.ok(acts.length > 0 && acts.every(({ props }) => props.disabled));
  assert.deepEqual(game.keys(claim), []);
});

test("the own hand has the jing first, then the kinds in order, and the drawn tile last", () => {
  let withJing = 0;
  for (const view of views.filter(({ prompt, drawn }) => prompt && drawn !== undefined)) {
    const shown = all(game.table(context(view)), isTile).map(({ props }) => props["data-tile"]);
    assert.deepEqual([...shown].sort((a, b) => a - b), view.hand);
    assert.equal(shown.at(-1), view.drawn);
    const { zheng, fu } = view.table.jing;
    const rank = (kind) => (kind === zheng || kind === fu ? kind - 100 : kind);
    const rest = shown.slice(0, -1);
    assert.deepEqual(rest, [...rest].sort((a, b) => rank(a) - rank(b)));
    withJing += rest.some((kind) => rank(kind) < 0) ? 1 : 0;
  }
  assert.ok(withJing > 0);
});

test("a spectator is shown backs and nothing to press", () => {
  for (const view of views.filter(({ seat, table }) => seat === undefined && table.shown.length === 0)) {
    const drawn = game.table(context(view, { seat: null }));
    assert.deepEqual(all(drawn, (node) => node.tag === "button"), []);
    const lying = view.table.river.filter(({ claimed }) => !claimed).length;
    const open = all(drawn, (node) => node.props["data-tile"] !== undefined).length;
    const melded = view.table.melds.flatMap(({ melds }) => melds);
    // Of a concealed kong that may be seen, the two tiles in the middle are.
    const laid = melded.reduce((sum, { type, tiles }) => sum + (type.endsWith("CONCEALED_KONG") ? Math.min(2, tiles.length) : tiles.length), 0);
    const turned = view.table.jing ? (view.table.lowerJing ? 4 : 2) : 0;
    const offered = view.table.adding === undefined ? 0 : 1;
    assert.equal(open, lying + laid + turned + offered);
  }
});

test("a replay shows every hand", () => {
  const { audiences } = games[0];
  const number = audiences[0].steps.findIndex(({ view }) => view.table.river.length === 2);
  const others = audiences.slice(0, 4).map(({ steps }) => steps[number].view);
  const drawn = game.table(context(others[1], { others }));
  const shown = all(drawn, (node) => /jx-part-/.test(node.props.class ?? "")).map(({ props }) => props["data-tile"]);
  assert.deepEqual(shown.sort((a, b) => a - b), others.flatMap(({ hand }) => hand).sort((a, b) => a - b));
});

test("every tile that can be seen has its name, and says that it is a jing", () => {
  const view = asking("TURN");
  const { zheng } = view.table.jing;
  const label = all(game.table(context(view, { lang: "zh" })), (node) => node.props["data-tile"] === zheng)[0].props["aria-label"];
  assert.match(label, /正精$/);
  for (const node of all(game.table(context(view)), (each) => each.props["data-tile"] !== undefined)) assert.ok(node.props["aria-label"]);
});

test("a hint lifts the tile that is advised and says it", async () => {
  const view = asking("TURN");
  const ctx = context(view, { answer: { action: { discard: view.hand[0] }, decision: view.prompt.decision } });
  await all(game.table(ctx), (node) => node.props["data-testid"] === "hint")[0].props.onclick();
  const lifted = all(game.table(ctx), isTile).filter(({ props }) => props["aria-pressed"]);
  assert.deepEqual(lifted.map(({ props }) => props["data-tile"]), [view.hand[0]]);
  assert.ok([...texts(game.table(ctx))].some((text) => text.startsWith("Advice: Discard the ")));
});

test("a hint that fails says so and takes nothing away", async () => {
  const ctx = context(asking("TURN"));
  ctx.ask = async () => Promise.reject(new Error("no engine"));
  await all(game.table(ctx), (node) => node.props["data-testid"] === "hint")[0].props.onclick();
  assert.ok([...texts(game.table(ctx))].includes("No hint just now"));
});

test("who passes on a win is told what that locks: every win of others, or those that are not higher", () => {
  const view = asking("CLAIM");
  const event = { answered: { answer: { claim: "JINXIAN_CLAIM_PASS" }, auto: false, passed: "12" } };
  const said = (lock, passed = "12") => {
    const config = { ...view.config, passedWinLock: `JINXIAN_PASSED_WIN_LOCK_${lock}` };
    return game.announce({ answered: { ...event.answered, passed } }, context({ ...view, config }));
  };
  assert.match(said("UNTIL_DRAW"), /none on another's tile before you draw/);
  assert.match(said("UNTIL_DRAW_UNLESS_HIGHER"), /only more than 12 on another's tile/);
  assert.doesNotMatch(said("OFF", "0"), /passed on a win/);
});

test("a seat on autoplay can be taken back, which answers no decision", () => {
  const view = views.find(({ seat, table }) => seat !== undefined && table.autoplay.seats[seat] && table.phase === "JINXIAN_PHASE_PLAYING");
  const ctx = context(view);
  all(game.table(ctx), act("stopAutoplay"))[0].props.onclick();
  assert.deepEqual(ctx.sent, [{ stopAutoplay: {}, decision: 0 }]);
});

test("a settlement adds up as it says, and shows each seat's change", () => {
  const settled = views.filter(({ table, seat }) => table.phase === "JINXIAN_PHASE_ROUND_END" && seat !== undefined && table.history.at(-1)?.win);
  assert.ok(settled.length > 0);
  for (const view of settled) {
    const drawn = [...texts(game.table(context(view)))];
    const formula = drawn.find((text) => /^\(\d+ \+ \d+\) × /.test(text));
    const [base, bonus, multiplier, jing, total] = formula.match(/\d+/g).map(Number);
    assert.equal((base + bonus) * multiplier + jing, total);
    for (const delta of view.table.history.at(-1).deltas) assert.ok(drawn.includes(Number(delta) > 0 ? `+${delta}` : delta.replace("-", "−")));
  }
});

test("the result ranks the seats as the ending does", () => {
  const { table, seat } = views.find(({ table: { ending }, seat: own }) => ending && own === 0);
  const view = views.find((each) => each.table === table);
  const rows = all(game.result(context(view, { seat })), (node) => node.tag === "bdi").map(({ children }) => children[0]);
  const names = rows.map((name) => (name === "You" ? 0 : Number(name.slice(1))));
  const ranks = names.map((each) => view.table.ending.ranks[each]);
  assert.deepEqual(ranks, [...ranks].sort());
  assert.equal(new Set(names).size, 4);
});

test("all 34 faces are pictures of their own", () => {
  const faces = Array.from({ length: 34 }, (_, kind) => face(kind));
  assert.equal(new Set(faces).size, 34);
  for (const each of faces) assert.match(decodeURIComponent(each), /^data:image\/svg\+xml,<svg .*<\/svg>$/s);
});
