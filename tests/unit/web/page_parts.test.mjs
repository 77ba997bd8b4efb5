// The page's parts that only reckon: words, addresses, options, clocks, replays, a shuffle's check.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { maintenanceText } from "../../../services/parlor/gateway/web/banner.js";
import { ServerClock } from "../../../services/parlor/gateway/web/clock.js";
import { words as jinxian } from "../../../services/parlor/gateway/web/games/jinxian/words.js";
import { forgetToken, knownToken, rememberGiven, rememberGuest } from "../../../services/parlor/gateway/web/identity.js";
import { chosen, configOf, isOpen, isSame, valueOf } from "../../../services/parlor/gateway/web/lobby/formvalues.js";
import { usualWait } from "../../../services/parlor/gateway/web/lobby/waiting.js";
import { Player } from "../../../services/parlor/gateway/web/replay/player.js";
import { codeIn, format, parse } from "../../../services/parlor/gateway/web/routes.js";
import { said } from "../../../services/parlor/gateway/web/table/dissolve.js";
import { readyTime } from "../../../services/parlor/gateway/web/table/gather.js";
import { isKept } from "../../../services/parlor/gateway/web/table/verify.js";
import { clockText, elapsedText } from "../../../services/parlor/gateway/web/ui/countdown.js";
import { addWords, preferred, setLang, t } from "../../../services/parlor/gateway/web/words.js";
import en from "../../../services/parlor/gateway/web/words/en.js";
import zh from "../../../services/parlor/gateway/web/words/zh.js";
import { newStorage } from "./page.mjs";

const params = (sentence) => [...new Set(sentence.match(/\{\w+/g) ?? [])].sort();

test("every sentence is there in both languages, with the same parameters", () => {
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  for (const key of Object.keys(en)) assert.deepEqual(params(zh[key]), params(en[key]), key);
});

test("parameters are put in as they are, and the word follows the number", () => {
  addWords({ zh: { x: "{n} 张" }, en: { x: "{n} {n|card|cards} for {who}" } });
  setLang("en");
  assert.equal(t("x", { n: 1, who: "{n}" }), "1 card for {n}");
  assert.equal(t("x", { n: 2, who: "$&" }), "2 cards for $&");
  setLang("zh");
  assert.equal(t("x", { n: 2 }), "2 张");
  assert.equal(t("no.such.key"), "no.such.key");
});

test("a player has until the own seat's limit or the table's, whichever comes first", () => {
  const [sooner, later] = ["2026-01-01T00:00:05Z", "2026-01-01T00:00:05.500Z"];
  const until = (own, all, seat = 0) => readyTime({ seat, view: { seats: [{ readyTime: own }, {}], readyTime: all } });
  assert.equal(until(sooner, undefined), sooner);
  assert.equal(until(undefined, later), later);
  assert.equal(until(sooner, later), sooner);
  assert.equal(until(later, sooner), sooner);
  // Another's limit is nobody else's, and a spectator's seat has none.
  assert.equal(until(sooner, undefined, 1), undefined);
  assert.equal(until(sooner, later, null), later);
});

test("a game whose rules of a vote are its own says so", () => {
  addWords({ zh, en });
  addWords(jinxian);
  setLang("en");
  const asked = { name: "Ming", agreed: "Ming" };
  assert.match(said("jinxian", "vote.text", asked), /Ming asks .* no answer means yes/);
  assert.match(said("jinxian", "dissolve.text"), /unless somebody refuses/);
  for (const kind of ["doudizhu", "planes", null]) {
    assert.equal(said(kind, "vote.text", asked), t("vote.text", asked));
    assert.equal(said(kind, "dissolve.text"), t("dissolve.text"));
  }
});

test("the first language that is spoken here is chosen", () => {
  assert.equal(preferred(["de-DE", "zh-TW", "en"]), "zh");
  assert.equal(preferred(["en-GB", "zh"]), "en");
  assert.equal(preferred(["fr"]), "en");
});

test("addresses come and go the same", () => {
  for (const route of [
    { page: "lobby" },
    { page: "table" },
    { page: "join", code: "012345" },
    { page: "join", roomId: "s1-planes-x", linkToken: "aZ_-9" },
    { page: "watch", roomId: "s1-planes-x/é" },
    { page: "replay", roomId: "s1-a", gameNo: 12 },
  ]) {
    assert.deepEqual(parse(format(route)).route, route);
  }
});

test("a code is read from what was pasted, with spaces or in full width", () => {
  for (const text of ["123456", " 123 456 ", "１２３４５６", "No. 123-456", "1234567"]) assert.equal(codeIn(text), "123456");
  assert.equal(codeIn("12x"), "12");
});

test("other sites hand over a token and a code in the fragment", () => {
  assert.deepEqual(parse("#token=a.b.c&room=123456"), { route: { page: "join", code: "123456" }, token: "a.b.c" });
  assert.deepEqual(parse("#code=654321"), { route: { page: "join", code: "654321" }, token: "" });
  for (const odd of ["#code=12", "#/join/abc", "#/join/s1-planes-x/%20", "#/replay/x/y", "#/watch/%", "#/nowhere", ""])
    assert.equal(parse(odd).route.page, "lobby");
});

const OPTIONS = [
  { field: "rule", type: "enum", choices: ["A", "B"], default: "A" },
  { field: "limit", type: "ms", min: 1_000, max: 300_000, default: 30_000 },
  { field: "rounds", type: "int", choices: [4, 8, 16], default: 8 },
  { field: "cap", type: "int", min: 0, max: 9, default: 0, when: { rule: "B" } },
  { field: "open", type: "bool", default: true, when: { field: "rule", is: "B" } },
];
const [rule, limit, rounds, cap] = OPTIONS;

test("a config names only what differs from the defaults, and times as durations", () => {
  let values = chosen(limit, {}, 1_500);
  assert.deepEqual(configOf(OPTIONS, values), { limit: "1.5s" });
  assert.equal(valueOf(limit, values), 1_500);
  values = chosen(limit, values, 30_000);
  assert.deepEqual(configOf(OPTIONS, values), {});
});

test("numbers stay inside their bounds, and what is none changes nothing", () => {
  assert.equal(valueOf(limit, chosen(limit, {}, 10)), 1_000);
  assert.equal(valueOf(cap, chosen(cap, {}, 99)), 9);
  assert.equal(valueOf(rounds, chosen(rounds, {}, 5)), 8);
  assert.equal(valueOf(cap, chosen(cap, { cap: 3 }, NaN)), 3);
});

test("an option that means nothing beside the others is not sent", () => {
  const values = { ...chosen(cap, {}, 5), open: false };
  assert.equal(isOpen(cap, OPTIONS, values), false);
  assert.deepEqual(configOf(OPTIONS, values), {});
  assert.deepEqual(configOf(OPTIONS, chosen(rule, values, "B")), { rule: "B", cap: 5, open: false });
  assert.ok(isSame(OPTIONS, values, {}));
});

test("clocks show seconds, then minutes", () => {
  assert.deepEqual([-5, 1, 99_000, 100_000, 3_599_001].map(clockText), ["0", "1", "99", "1:40", "60:00"]);
  assert.equal(elapsedText(61_900), "1:01");
});

test("who waits is told how long others have waited, where that is known", () => {
  addWords({ zh, en });
  setLang("en");
  assert.equal(usualWait({ estimatedWait: "72s" }), " · usually 1:12");
  setLang("zh");
  assert.equal(usualWait({ estimatedWait: "9s" }), " · 通常 0:09");
  assert.equal(usualWait({}), "");
});

test("the server's time is that of the frame that travelled fastest", () => {
  let local = 0;
  const clock = new ServerClock(() => local);
  for (const [at, says] of [
    [10, 100],
    [20, 150],
    [30, 130],
  ]) {
    local = at;
    clock.heard(new Date(says).toISOString());
  }
  assert.equal(clock.now(), 30 + 130);
  clock.heard("nonsense");
  assert.equal(clock.now(), 160);
});

test("a shuffle is checked against what was promised", async () => {
  const seed = Buffer.alloc(32, 7);
  const promised = createHash("sha256").update(seed).digest("base64");
  assert.equal(await isKept(promised, seed.toString("base64")), true);
  assert.equal(await isKept(promised, Buffer.alloc(32, 8).toString("base64")), false);
  assert.equal(await isKept(null, seed.toString("base64")), false);
  assert.equal(await isKept(undefined, seed.toString("base64")), null);
});

test("a replay stands at any step, each seat with what it saw", () => {
  const view = (seat) => ({
    config: {},
    table: { phase: "", placed: [false, false] },
    fleets: [{ planes: [] }, { planes: [] }],
    decision: 0,
    seat,
  });
  const place = (seat, x) => ({ planes: { planePlaced: { seat, plane: { x } } } });
  const replay = {
    start: {
      roomId: "r",
      gameNo: 1,
      config: { planes: {} },
      seats: ["a", "b"].map((player, seat) => ({ player, name: player, bot: false, planes: view(seat) })),
    },
    steps: [
      { commitTime: "t1", seats: [{ events: [place(0, 1)] }, { events: [] }] },
      { commitTime: "t2", seats: [{ events: [] }, { events: [place(1, 2)] }] },
    ],
    result: { winners: [0], scores: ["1", "-1"] },
  };
  const player = new Player(replay, "b");
  const planes = () => player.viewsAt().map((each, seat) => each.fleets[seat].planes.length);
  assert.equal(player.seat, 1);
  assert.deepEqual([player.step, planes()], [1, [1, 0]]);
  player.go(0);
  assert.deepEqual(planes(), [0, 0]);
  player.go(2);
  assert.deepEqual([planes(), player.events().length, player.room().result], [[1, 1], 1, replay.result]);
  player.go(1);
  assert.deepEqual([planes(), player.events().length, player.room().result], [[1, 0], 0, undefined]);
  player.go(99);
  assert.equal(player.step, 2);
});

test("a maintenance is told in both languages, before and after it has begun", () => {
  addWords({ zh, en });
  const startTime = "2026-01-02T03:00:00.000Z";
  const endTime = "2026-01-02T04:30:00.000Z";
  const start = Date.parse(startTime);
  const time = (lang, at) => new Intl.DateTimeFormat(lang, { timeStyle: "short" }).format(new Date(at));
  for (const lang of ["zh", "en"]) {
    setLang(lang);
    const planned = maintenanceText({ startTime, endTime }, start - 60_000);
    assert.ok(planned.includes(time(lang, startTime)), planned);
    assert.ok(planned.includes(time(lang, endTime)), planned);
    const on = maintenanceText({ startTime }, start);
    assert.ok(!on.includes(time(lang, startTime)), on);
    assert.notEqual(on, planned);
    // Who reads English writes times in one way or another.
    if (lang === "en") assert.ok(maintenanceText({ startTime }, 0, ["zh", "en-GB"]).includes("2 Jan 2026"));
    // Another day is named.
    assert.ok(maintenanceText({ startTime }, start - 5 * 86_400_000).includes("2026"));
  }
});

test("a token is forgotten alone: a guest's seat outlives a token that the operator's site gave", () => {
  globalThis.localStorage = newStorage();
  globalThis.sessionStorage = newStorage();
  const [guest, given] = [() => rememberGuest("guest", "Ada"), () => rememberGiven("given")];
  for (const [first, second] of [
    [guest, given],
    [given, guest],
  ]) {
    first();
    second();
    assert.equal(knownToken(), "given");
    forgetToken("given");
    assert.equal(knownToken(), "guest");
    forgetToken("of a session that another tab has ended");
    assert.equal(knownToken(), "guest");
    forgetToken("guest");
    assert.equal(knownToken(), "");
  }
});
