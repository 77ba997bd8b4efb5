// What the page does about news of a match, and how a party looks to who leads it and to who does not.
import assert from "node:assert/strict";
import { test } from "node:test";

import { App } from "../../../services/parlor/gateway/web/app.js";
import { bring } from "../../../services/parlor/gateway/web/games/index.js";
import { knownToken, rememberGuest } from "../../../services/parlor/gateway/web/identity.js";
import { party } from "../../../services/parlor/gateway/web/lobby/party.js";
import { render } from "../../../services/parlor/gateway/web/ui/dom.js";
import { addWords, t } from "../../../services/parlor/gateway/web/words.js";
import en from "../../../services/parlor/gateway/web/words/en.js";
import zh from "../../../services/parlor/gateway/web/words/zh.js";
import { newPage, newStorage } from "./page.mjs";
import { newServer, newWorld } from "./world.mjs";

addWords({ zh, en });
// The scene is there: what is waited for is only the server.
await bring("planes");

function opened(welcome = {}) {
  const world = newWorld();
  const server = newServer();
  const location = { hash: "", origin: "https://here" };
  const go = (_state, _title, hash) => (location.hash = hash);
  let ids = 0;
  const app = new App({
    window: {
      location,
      history: { pushState: go, replaceState: go },
      matchMedia: () => ({ matches: true }),
      setTimeout: world.setTimeout,
    },
    url: "ws://here/ws",
    open: server.open,
    world,
    newId: () => `id${(ids += 1)}`,
    redraw: () => {},
  });
  app.client.begin("secret");
  server.newest().welcomes({ player: "ada", name: "Ada", ...welcome });
  const says = (frame) => server.newest().says(frame);
  const watched = () =>
    server
      .newest()
      .sent.map((frame) => frame.watch?.roomId)
      .filter(Boolean);
  const sent = (branch) =>
    server
      .newest()
      .sent.map((frame) => frame[branch])
      .filter(Boolean);
  return { app, location, server, says, watched, sent };
}

const ticket = (state, roomId = "") => ({
  ticket: { ticketId: "t1", state: `TICKET_STATE_${state}`, roomId, ahead: 0, createTime: "2026-01-01T00:00:00.000Z" },
});
const view = (roomId) => ({
  view: {
    roomId,
    seq: 1,
    token: "NA==",
    rewound: false,
    seat: 0,
    code: "",
    config: { planes: {} },
    options: { spectators: false, private: true },
    seats: ["ada", "bo"].map((player) => ({ player, name: player, bot: false, ready: false, online: true })),
    host: 0,
    status: "ROOM_STATUS_OPEN",
    gameNo: 0,
    commitment: "YQ==",
    chat: [],
    viewTime: "2026-01-01T00:00:00.000Z",
  },
});
/** Lets what waits for promises go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("who was matched with somebody who does not come waits again, and goes to the next table by itself", async () => {
  const it = opened();
  it.says(ticket("WAITING"));
  it.says(ticket("ASSIGNED", "r1"));
  it.says(view("r1"));
  await turn();
  assert.equal(it.app.route.page, "table");
  assert.equal(it.app.seating.room.roomId, "r1");
  it.says(ticket("WAITING"));
  assert.equal(it.app.route.page, "lobby");
  assert.equal(it.app.seating, null);
  assert.equal(it.app.seatedIn, "");
  assert.ok(it.app.isMatching);
  it.says(ticket("ASSIGNED", "r2"));
  it.says(view("r2"));
  await turn();
  assert.deepEqual(it.watched(), ["r1", "r2"]);
  assert.equal(it.app.seating.room.roomId, "r2");
});

test("a ticket that is told of twice leads to its table once", async () => {
  const it = opened();
  it.says(ticket("ASSIGNED", "r1"));
  it.says(view("r1"));
  await turn();
  it.app.show({ page: "lobby" });
  it.says(ticket("ASSIGNED", "r1"));
  assert.equal(it.app.route.page, "lobby");
});

/** A private table as its spectators see it. */
const watched = (roomId) => ({ view: { ...view(roomId).view, seat: undefined } });

test("who goes on before the table to watch has come does not watch it", async () => {
  const it = opened();
  it.app.show({ page: "watch", roomId: "r1" });
  it.app.show({ page: "lobby" });
  it.says(watched("r1"));
  await turn();
  assert.equal(it.app.seating, null);
  assert.deepEqual(it.sent("unwatch"), [{ roomId: "r1" }]);
});

for (const shown of [true, false]) {
  test(`who watches a private table${shown ? "" : ", not yet come,"} sits down at it by its code`, async () => {
    const it = opened();
    it.app.show({ page: "watch", roomId: "r1" });
    if (shown) it.says(watched("r1"));
    await turn();
    it.app.show({ page: "join", code: "123456" });
    if (!shown) it.says(watched("r1"));
    await turn();
    assert.deepEqual(it.sent("watch").at(-1), { code: "123456" });
    it.says(watched("r1"));
    await turn();
    const [{ requestId, roomId }] = it.sent("command");
    it.says({ answer: { requestId, roomId, accepted: { seat: 0, seq: 1 } } });
    await turn();
    it.says(view("r1"));
    assert.equal(it.app.route.page, "table");
    assert.equal(it.app.seating.room.seat, 0);
    assert.equal(it.app.seatedIn, "r1");
  });
}

test("who has got a seat at the table that is watched comes to it: by a match, or by the way back", async () => {
  for (const how of ["match", "back"]) {
    const it = opened();
    it.app.show({ page: "watch", roomId: "r1" });
    it.says(watched("r1"));
    await turn();
    if (how === "match") it.says(ticket("ASSIGNED", "r1"));
    else it.app.sit(it.app.seating.room);
    await turn();
    it.says(view("r1"));
    assert.equal(it.app.route.page, "table");
    assert.equal(it.app.seating.room.seat, 0);
    assert.equal(it.app.seatedIn, "r1");
  }
});

test("who came with a token that is not taken any more goes on as the guest of this browser, if it has one", () => {
  globalThis.localStorage = newStorage();
  globalThis.sessionStorage = newStorage();
  rememberGuest("guest", "Ada");
  const it = opened();
  const hello = () => (it.server.newest().onopen(), it.sent("hello").at(-1).token);
  const refusal = { reason: "ERROR_REASON_INVALID_TOKEN", message: "", metadata: {} };
  const refuse = () => it.says({ goodbye: { reason: "GOODBYE_REASON_REFUSED", refusal, retryAfterMs: 0 } });
  it.location.hash = "#token=given";
  it.app.followAddress();
  assert.equal(hello(), "given");
  refuse();
  assert.equal(hello(), "guest");
  assert.equal(it.app.speaker.toast.text, t("signin.asGuest"));
  assert.equal(it.app.local.signInError, undefined);
  it.server.newest().welcomes({ player: "ada", name: "Ada" });
  assert.equal(it.app.me.name, "Ada");
  refuse();
  assert.equal(it.app.client.token, "");
  assert.equal(knownToken(), "");
  assert.equal(it.app.local.signInError, t("reason.INVALID_TOKEN"));
  assert.equal(it.server.newest().closed, true);
});

const members = (...players) => ({
  party: { code: "K7WM3P", version: "1", ticketId: "", members: players.map((player) => ({ player, name: player })) },
});

/** The panel's elements with this test id. */
function drawn(app, testid) {
  const page = newPage();
  render(party(app), page.body);
  const found = [];
  const look = (node) => {
    if (node.attributes?.["data-testid"] === testid) found.push(node);
    node.childNodes.forEach(look);
  };
  look(page.body);
  return found;
}

test("whoever leads a party can take others out of it, and nobody else can", () => {
  const it = opened();
  assert.equal(drawn(it.app, "party-start").length, 1);
  assert.equal(drawn(it.app, "party-join")[0].disabled, true);
  it.says(members("ada", "bo"));
  assert.equal(drawn(it.app, "party-shown")[0].html.includes("K7WM3P"), true);
  const rows = () => drawn(it.app, "party-member").map((row) => row.html.includes("<button"));
  assert.deepEqual(rows(), [false, true]);
  it.says(members("bo", "ada"));
  assert.deepEqual(rows(), [false, false]);
});

test("a typed code is a party's once it has six letters and digits that do not look alike", () => {
  const it = opened();
  it.app.local.partyCode = "K7WM3O";
  assert.equal(drawn(it.app, "party-join")[0].disabled, true);
  it.app.local.partyCode = "K7WM3P";
  assert.equal(drawn(it.app, "party-join")[0].disabled, false);
});
