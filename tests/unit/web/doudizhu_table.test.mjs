// The table of Dou Dizhu without a page: what is drawn for every view, said about every event, and sent by every press.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import rules from "../../../services/parlor/gateway/web/games/doudizhu/index.js";
import game from "../../../services/parlor/gateway/web/games/doudizhu/scene.js";
import { cardName, inDisplayOrder, valueOf } from "../../../services/parlor/gateway/web/games/doudizhu/deck.js";
import { h, svg } from "../../../services/parlor/gateway/web/ui/dom.js";
import { addWords, knows, setLang, t } from "../../../services/parlor/gateway/web/words.js";

const games = JSON.parse(readFileSync(process.env.DOUDIZHU_FRAMES, "utf8"));
const LANGUAGES = ["zh", "en"];
const PLANE_OR_TRIPLES = [
  { shape: "DOU_DIZHU_SHAPE_THREE_THREE", value: 5, length: 4 },
  { shape: "DOU_DIZHU_SHAPE_PLANE_1", value: 5, length: 3 },
  { shape: "DOU_DIZHU_SHAPE_PLANE_1", value: 4, length: 3 },
];

addWords(rules.words);

/** A context as the shell makes it, which writes down what is sent and asked. */
function context(view, { seat = view.seat ?? null, others = null, mine = seat !== null && !others, live = mine, answer = {} } = {}) {
  const sent = [];
  const asked = [];
  return {
    view,
    seat,
    mine,
    live,
    others,
    pending: null,
    local: {},
    reduced: false,
    h,
    svg,
    sent,
    asked,
    now: () => 0,
    countdown: (instant) => h("time", { datetime: instant }),
    name: (number) => `P${number}`,
    t: (key, params) => {
      assert.ok(knows(key), `no words for ${key}`);
      return t(key, params);
    },
    redraw: () => {},
    act: async (action, decision) => {
      sent.push(decision === undefined ? action : { ...action, decision });
      return true;
    },
    ask: async (method, body) => {
      asked.push({ method, body });
      if (!(method in answer)) throw new Error(`not asked before: ${method}`);
      return typeof answer[method] === "function" ? answer[method](body) : answer[method];
    },
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

const find = (ctx, wanted) =>
  [...elements(game.table(ctx))].filter(({ props }) => Object.entries(wanted).every(([name, value]) => props[name] === value));

const press = (ctx, wanted) => {
  const button = find(ctx, wanted).find(({ props }) => !props.disabled);
  assert.ok(button, `no button ${JSON.stringify(wanted)}`);
  return button.props.onclick({ detail: 0 });
};

const ownCards = (ctx) => find(ctx, { "data-testid": "card" }).map(({ props }) => props["data-card"]);

const chosenCards = (ctx) => find(ctx, { "data-testid": "card", "aria-pressed": true }).map(({ props }) => props["data-card"]);

/** The names of the cards that lie face up and are no buttons. */
const faces = (ctx) => find(ctx, { role: "img" }).map(({ props }) => props["aria-label"]);

/** The first view of all games that fits, as its seat has it. */
function viewWhere(fits) {
  for (const { audiences } of games) {
    for (const { steps } of audiences) {
      for (const { view } of steps) if (fits(view)) return view;
    }
  }
  throw new Error(`no view where ${fits}`);
}

const asks = (question) => (view) => view.prompt?.question === `DOU_DIZHU_QUESTION_${question}`;

for (const lang of LANGUAGES) {
  test(`${lang}: whatever an audience sees is drawn with words that there are`, () => {
    setLang(lang);
    for (const { audiences } of games) {
      for (const { steps } of audiences) {
        // Between them a play or two differ.
        for (const { view } of steps.filter((_, place) => place % 5 === 0 || place === steps.length - 1)) {
          const ctx = context(view);
          assert.deepEqual(ownCards(ctx), ctx.mine ? view.hands[view.seat].cards : []);
          for (const { label } of game.keys(ctx)) assert.ok(label);
          const settled = game.result(ctx);
          assert.equal(settled === null, view.table.ending === undefined);
        }
      }
    }
  });

  test(`${lang}: every event is said, but for what others are asked`, () => {
    setLang(lang);
    for (const { audiences } of games) {
      for (const { seat, steps } of audiences) {
        for (const { events, view } of steps) {
          for (const event of events) {
            const sentence = game.announce(event, context(view, { seat }));
            const isForOthers = event.asked && !event.asked.seats.includes(seat);
            assert.equal(sentence === null, Boolean(isForOthers), JSON.stringify(event));
            assert.doesNotMatch(sentence ?? "", /undefined|DOU_DIZHU|\{|NaN/);
          }
        }
      }
    }
  });
}

test("a replay tells of every seat by its name", () => {
  setLang("en");
  for (const { audiences } of games) {
    const seated = audiences.filter(({ seat }) => seat !== null);
    const others = seated.map(({ steps }) => steps.at(-1).view);
    for (const { seat, steps } of seated) {
      for (const { events, view } of steps) {
        for (const event of events) {
          const sentence = game.announce(event, context(view, { seat, others }));
          assert.equal(sentence === null, Boolean(event.asked), JSON.stringify(event));
          assert.doesNotMatch(sentence ?? "", /\byour?\b/i);
        }
      }
    }
  }
});

test("both languages have the same words, all of them the game's own", () => {
  const [zh, en] = LANGUAGES.map((lang) => Object.keys(rules.words[lang]).sort());
  assert.deepEqual(zh, en);
  assert.ok(zh.every((key) => key.startsWith("doudizhu.")));
});

test("every field of the config is an option with its default, and has words", () => {
  const { config } = games.find(({ name }) => name === "classic 0");
  assert.deepEqual(rules.options.map(({ field }) => field).sort(), Object.keys(config).sort());
  for (const { field, type, choices = [], default: byDefault } of rules.options) {
    if (field !== "ruleSet") assert.equal(type === "ms" ? `${byDefault / 1000}s` : byDefault, config[field], field);
    const keys = [field, `${field}.help`, ...choices.map((choice) => `${field}.choice.${choice}`)];
    for (const key of keys) assert.ok(knows(`doudizhu.option.${key}`), key);
  }
});

test("a spectator sees the backs of all hands, a replay their faces", () => {
  const at = ({ steps }) => steps.find(({ view }) => view.table.phase === "DOU_DIZHU_PHASE_BIDDING").view;
  const [others, [spectated]] = [games[0].audiences.slice(0, 3).map(at), games[0].audiences.slice(3).map(at)];
  const watching = context(spectated);
  assert.deepEqual(faces(watching), []);
  assert.ok(find(watching, { class: "ddz-card ddz-back" }).length > spectated.table.counts[0]);
  const replay = context(others[0], { others });
  const dealt = others.flatMap(({ seat, hands }) => hands[seat].cards);
  assert.deepEqual(faces(replay).sort(), dealt.map((card) => cardName(card, t)).sort());
});

test("only bids that are open are offered", async () => {
  const view = viewWhere((seen) => asks("BID")(seen) && seen.prompt.lowestBid === 2);
  const ctx = context(view);
  assert.deepEqual(find(ctx, { "data-act": "bid" }).map(({ props }) => props["data-value"]), ["0", "2", "3"]);
  await press(ctx, { "data-act": "bid", "data-value": "3" });
  assert.deepEqual(ctx.sent, [{ bid: 3 }]);
});

for (const [question, act, action] of [
  ["CALL", "call", { call: true }],
  ["ROB", "rob", { rob: true }],
  ["DOUBLE", "double", { doubleStake: true }],
]) {
  test(`${act} is answered by one press`, async () => {
    const ctx = context(viewWhere(asks(question)));
    await press(ctx, { "data-act": act, "data-value": "true" });
    assert.deepEqual(ctx.sent, [action]);
  });
}

test("nothing can be played before a card is chosen; what was played is chosen no more", async () => {
  const view = viewWhere((seen) => asks("PLAY")(seen) && !seen.prompt.mayPass);
  const reading = { shape: "DOU_DIZHU_SHAPE_ONE", value: 2, length: 1 };
  const ctx = context(view, { answer: { Classify: { readings: [reading], reading } } });
  const card = view.hands[view.seat].cards.at(-1);
  assert.equal(find(ctx, { "data-act": "pass" }).length, 0);
  assert.equal(find(ctx, { "data-act": "play", disabled: true }).length, 1);
  press(ctx, { "data-card": card });
  assert.deepEqual(chosenCards(ctx), [card]);
  await press(ctx, { "data-act": "play" });
  assert.deepEqual(ctx.sent, [{ play: { cards: [card] } }]);
  assert.deepEqual(chosenCards(ctx), []);
});

test("what the rules refuse cannot be pressed, and why is said", async () => {
  const ctx = context(viewWhere(asks("PLAY")), { answer: { Classify: { readings: [], reason: "ERROR_REASON_NOT_A_COMBINATION" } } });
  const answered = new Promise((resolve) => {
    ctx.redraw = () => ctx.local.doudizhu.judged?.answer && resolve();
  });
  press(ctx, { "data-card": ownCards(ctx)[0] });
  game.table(ctx);
  await answered;
  assert.equal(find(ctx, { "data-act": "play", disabled: true }).length, 1);
  const [said] = find(ctx, { class: "ddz-judged" });
  assert.deepEqual(said.children, [t("doudizhu.refused.NOT_A_COMBINATION")]);
});

test("of several readings that may be played the player names one", async () => {
  const view = viewWhere((seen) => asks("PLAY")(seen) && seen.prompt.mayPass && seen.hands[seen.seat].cards.length > 12);
  const [, plane, lower] = PLANE_OR_TRIPLES;
  const beats = (claim) => claim.shape === plane.shape;
  const Classify = ({ claim, toBeat }) => {
    assert.deepEqual(toBeat, view.prompt.toBeat);
    return { readings: PLANE_OR_TRIPLES, ...(claim && !beats(claim) ? {} : { reading: plane }) };
  };
  const ctx = context(view, { answer: { Classify } });
  const cards = view.hands[view.seat].cards.slice(0, 12);
  for (const card of cards) press(ctx, { "data-card": card });
  await press(ctx, { "data-act": "play" });
  assert.deepEqual(ctx.sent, []);
  const [, second, ...rest] = find(ctx, { "data-act": "play" });
  assert.deepEqual(rest, []);
  await second.props.onclick();
  assert.deepEqual(ctx.sent, [{ play: { cards, claim: { shape: lower.shape, value: lower.value } } }]);
});

test("hints choose what is advised first, then every other play, and begin again", async () => {
  const ranks = ({ cards }) => [...new Map(cards.map((card) => [valueOf(card), card])).values()];
  const view = viewWhere((seen) => asks("PLAY")(seen) && seen.prompt.mayPass && ranks(seen.hands[seen.seat]).length > 2);
  const [a, b, c] = ranks(view.hands[view.seat]);
  const plays = [b, a, c].map((card) => ({ cards: [card], reading: view.prompt.toBeat }));
  const ctx = context(view, { answer: { Advise: { action: { play: { cards: [a] } } }, ListPlays: { plays } } });
  const seen = [];
  for (let times = 0; times < 4; times += 1) {
    await press(ctx, { "data-testid": "hint" });
    seen.push(chosenCards(ctx));
  }
  assert.deepEqual(seen, [[a], [b], [c], [a]]);
  const methods = ctx.asked.map(({ method }) => method).filter((method) => method !== "Classify");
  assert.deepEqual(methods, ["Advise", "ListPlays"], "one decision is asked about once");
});

for (const question of ["BID", "PLAY"]) {
  test(`a hint that fails at ${question} says so, and may be asked for again`, async () => {
    const ctx = context(viewWhere(asks(question)));
    const failed = () => find(ctx, { role: "status" }).some(({ children }) => children.includes(t("doudizhu.hint.failed")));
    await press(ctx, { "data-testid": "hint" });
    assert.ok(failed());
    const known = context(ctx.view, { answer: { Advise: { action: { passTurn: {} } }, ListPlays: { plays: [] } } });
    ctx.ask = known.ask;
    await press(ctx, { "data-testid": "hint" });
    assert.ok(!failed());
    assert.ok(known.asked.some(({ method }) => method === "Advise"));
  });
}

test("a selection whose question failed is asked about again", async () => {
  const ctx = context(viewWhere(asks("PLAY")));
  let fails;
  const failing = new Promise((resolve) => (fails = resolve));
  const { ask } = ctx;
  ctx.ask = (...asked) => {
    setImmediate(fails);
    return ask(...asked);
  };
  press(ctx, { "data-card": ownCards(ctx)[0] });
  game.table(ctx);
  await failing;
  assert.equal(ctx.local.doudizhu.judged, null);
  const answered = new Promise((resolve) => (ctx.redraw = resolve));
  ctx.ask = async () => ({ readings: [], reason: "ERROR_REASON_NOT_A_COMBINATION" });
  game.table(ctx);
  await answered;
  assert.equal(find(ctx, { "data-act": "play", disabled: true }).length, 1);
});

test("advice to pass points at the button and chooses nothing", async () => {
  const view = viewWhere((seen) => asks("PLAY")(seen) && seen.prompt.mayPass);
  const ctx = context(view, { answer: { Advise: { action: { passTurn: {} } }, ListPlays: { plays: [] } } });
  await press(ctx, { "data-testid": "hint" });
  const [pass] = find(ctx, { "data-act": "pass" });
  assert.match(pass.props.class, /advised/);
  await pass.props.onclick();
  assert.deepEqual(ctx.sent, [{ passTurn: {} }]);
});

test("a drag changes the cards that it crossed, and its end presses none", () => {
  const view = viewWhere((seen) => asks("PLAY")(seen) && seen.hands[seen.seat].cards.length > 10);
  const ctx = context(view);
  const { cards } = view.hands[view.seat];
  const hand = () => find(ctx, { role: "toolbar" })[0].props;
  const over = (card, more = {}) => ({
    button: 0,
    buttons: 1,
    pointerId: 1,
    currentTarget: {
      contains: () => true,
      setPointerCapture: () => {},
      ownerDocument: { elementFromPoint: () => ({ closest: () => ({ dataset: { card: String(card) } }) }) },
    },
    ...more,
  });
  hand().onpointerdown(over(cards[2]));
  hand().onpointermove(over(cards[4]));
  hand().onpointermove(over(cards[5]));
  hand().onpointerup(over(cards[5]));
  find(ctx, { "data-card": cards[5] })[0].props.onclick({ detail: 1 });
  assert.deepEqual(chosenCards(ctx), cards.slice(2, 6));
});

test("a surrender is asked once more, a peasant's offer answered by its own decision", async () => {
  const view = viewWhere((seen) => seen.offer?.mate === seen.seat && seen.offer?.decision > 0);
  const ctx = context(view);
  assert.equal(find(ctx, { "data-testid": "surrender" }).length, 0);
  await press(ctx, { "data-act": "consent", "data-value": "false" });
  assert.deepEqual(ctx.sent, [{ consent: false, decision: view.offer.decision }]);

  const own = context(viewWhere((seen) => asks("PLAY")(seen) && seen.table.landlord === seen.seat));
  press(own, { "data-testid": "surrender" });
  assert.deepEqual(own.sent, []);
  press(own, { "data-act": "surrender" });
  assert.deepEqual(own.sent, [{ surrender: {} }]);
});

test("autoplay goes on and off, and nothing can be pressed while a move is on its way", () => {
  const ctx = context(viewWhere((seen) => asks("PLAY")(seen) && !seen.table.autoplay.seats[seen.seat]));
  press(ctx, { "data-act": "autoplay" });
  assert.deepEqual(ctx.sent, [{ autoplay: true }]);
  ctx.pending = { passTurn: {} };
  const open = [...elements(game.table(ctx))].filter(({ tag, props }) => tag === "button" && props["data-act"] && !props.disabled);
  assert.deepEqual(open, []);
});

test("what is chosen and on its way stays where it is while nothing can be pressed", () => {
  const view = viewWhere((seen) => asks("PLAY")(seen) && seen.prompt.mayPass);
  const [first, second] = view.hands[view.seat].cards;
  const ctx = context(view, { live: false, mine: true });
  press(ctx, { "data-card": first });
  ctx.pending = { play: { cards: [second] } };
  assert.deepEqual(chosenCards(ctx), [first]);
  assert.deepEqual(ownCards(ctx), view.hands[view.seat].cards);
  assert.match(find(ctx, { "data-card": second })[0].props.class, /\bsent\b/);
  ctx.pending = null;
  const acts = [...elements(game.table(ctx))].filter(({ props }) => props["data-act"]);
  assert.deepEqual(acts.map(({ props }) => [props["data-act"], props.disabled]).sort(), [["autoplay", true], ["pass", true], ["play", true]]);
  assert.deepEqual(game.keys(ctx), []);
});

test("a hand is held with the highest value first, equal values by index", () => {
  assert.deepEqual(inDisplayOrder([2, 15, 53, 0, 1, 13, 52, 12]), [53, 52, 1, 0, 13, 12, 2, 15]);
});

test("what is shown to multiply the base score comes to what the server has counted", () => {
  const ended = games
    .flatMap(({ audiences }) => audiences)
    .map(({ steps }) => steps.at(-1).view)
    .filter(({ table: { landlord, ending } }) => landlord !== undefined && ending && ending.reason !== "DOU_DIZHU_END_REASON_DISSOLVED");
  assert.ok(ended.length > 0);
  for (const view of ended) {
    const product = view.factors.reduce((unit, { times }) => unit * times, view.config.baseScore);
    assert.equal(String(product), view.table.ending.unit);
    assert.equal(String(view.config.baseScore * view.multiplier), view.table.ending.unit);
  }
});
