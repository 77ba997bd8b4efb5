// A session over connections that come and go: nothing is lost, nothing is done twice, every room is complete.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../../services/parlor/gateway/web/client.js";
import { newServer, newWorld } from "./world.mjs";

const VIEW = {
  roomId: "r",
  seq: 4,
  token: "NA==",
  rewound: false,
  seat: 0,
  code: "123456",
  config: { planes: {} },
  options: { spectators: true, private: true },
  seats: ["ada", ""].map((player) => ({ player, name: player, bot: false, ready: false, online: player !== "" })),
  host: 0,
  status: "ROOM_STATUS_OPEN",
  gameNo: 0,
  commitment: "YQ==",
  chat: [],
  viewTime: "2026-01-01T00:00:00.000Z",
};
const entry = (seq, ...events) => ({
  entry: { roomId: "r", seq, token: "dA==", commitTime: "2026-01-01T00:00:00.000Z", events },
});
const sits = (seat, player) => ({
  seatChanged: { seat, content: { player, name: player, bot: false, ready: false, online: true } },
});
/** Lets what waits for promises go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

function opened(welcome = {}, changed = () => {}) {
  const world = newWorld();
  const server = newServer();
  const happened = [];
  let ids = 0;
  const client = new Client({
    url: "ws://here/ws",
    open: server.open,
    world,
    newId: () => `id${(ids += 1)}`,
    changed: () => changed(client),
    welcomed: () => {},
    roomChanged: () => {},
    happened: (room, event) => happened.push(event),
  });
  client.begin("secret");
  server.newest().welcomes(welcome);
  const reconnect = () => {
    server.newest().onclose();
    world.pass(1_000);
    server.newest().welcomes(welcome);
  };
  const says = (frame) => server.newest().says(frame);
  const sent = (branch) =>
    server
      .newest()
      .sent.map((frame) => frame[branch])
      .filter(Boolean);
  return { client, world, server, happened, reconnect, says, sent };
}

test("a command that was not answered is sent again by the next connection, under the same id", async () => {
  const it = opened();
  const accepted = it.client.command("r", { ready: { ready: true } });
  it.reconnect();
  assert.deepEqual(it.sent("command"), [{ requestId: "id1", roomId: "r", ready: { ready: true } }]);
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 5 } } });
  assert.deepEqual(await accepted, { seat: 0, seq: 5 });
  it.reconnect();
  assert.deepEqual(it.sent("command"), []);
});

test("what is asked while the connection is gone waits for the next one", async () => {
  const it = opened();
  it.server.newest().onclose();
  const refused = it.client.command("r", { say: { text: "hi" } });
  it.world.pass(1_000);
  it.server.newest().welcomes();
  assert.equal(it.sent("command").length, 1);
  it.says({
    answer: {
      requestId: "id1",
      roomId: "r",
      refused: { reason: "ERROR_REASON_NOT_SEATED", message: "no", metadata: {} },
    },
  });
  await assert.rejects(refused, { reason: "ERROR_REASON_NOT_SEATED" });
});

test("a refusal that may not last is asked again after what the server says, until patience ends", async () => {
  const it = opened();
  const refused = it.client.command("r", { leave: {} });
  const busy = {
    answer: {
      requestId: "id1",
      roomId: "r",
      refused: { reason: "ERROR_REASON_NO_ENGINE", message: "", metadata: { retry_after_ms: "900" } },
    },
  };
  it.says(busy);
  it.world.pass(899);
  assert.equal(it.sent("command").length, 1);
  it.world.pass(1);
  assert.equal(it.sent("command").length, 2);
  for (let again = 0; again < 60; again += 1) {
    it.says(busy);
    it.world.pass(6_000);
  }
  await assert.rejects(refused, { reason: "ERROR_REASON_NO_ENGINE" });
});

test("who waits for a store that is away asks at least once a second", async () => {
  const it = opened();
  const moved = it.client.command("r", { leave: {} });
  const refused = { reason: "ERROR_REASON_STORE_UNAVAILABLE", message: "", metadata: {} };
  for (let again = 1; again <= 20; again += 1) {
    assert.equal(it.sent("command").length, again);
    it.says({ answer: { requestId: "id1", roomId: "r", refused } });
    it.world.pass(1_000);
  }
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 5 } } });
  assert.deepEqual(await moved, { seat: 0, seq: 5 });
});

test("no more than eight requests are unanswered", () => {
  const it = opened();
  for (let line = 0; line < 10; line += 1) it.client.command("r", { say: { text: String(line) } });
  assert.equal(it.sent("command").length, 8);
  it.says({ answer: { requestId: "id3", roomId: "r", accepted: { seq: 0 } } });
  assert.deepEqual(
    it
      .sent("command")
      .map((command) => command.requestId)
      .slice(8),
    ["id9"],
  );
});

test("entries are folded in order, and those that came before change nothing", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says(entry(5, sits(1, "bo")));
  it.says(entry(5, sits(1, "eve")));
  assert.equal(it.client.rooms.followed.get("r").view.seats[1].player, "bo");
  assert.equal(it.happened.length, 1);
});

test("a gap is asked for once, and what fills it is folded", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says(entry(7, sits(1, "cy")));
  it.says(entry(8, sits(1, "di")));
  assert.deepEqual(it.sent("watch"), [{ roomId: "r", position: { roomId: "r", seq: 4, token: "NA==" } }]);
  for (const [seq, player] of [
    [5, "a"],
    [6, "b"],
    [7, "c"],
  ])
    it.says(entry(seq, sits(1, player)));
  const { view } = it.client.rooms.followed.get("r");
  assert.deepEqual([view.seq, view.seats[1].player], [7, "c"]);
});

test("two beats in which the server is ahead and nothing came are a gap, one is not", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  const beat = { heartbeat: { serverTime: "2026-01-01T00:00:00.000Z", heads: [{ roomId: "r", seq: 6, token: "" }] } };
  it.says(beat);
  assert.equal(it.sent("watch").length, 0);
  it.says(beat);
  assert.equal(it.sent("watch").length, 1);
});

test("a view that is older is not taken, one that goes back in time is", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: { ...VIEW, seq: 9 } });
  it.says({ view: VIEW });
  const room = it.client.rooms.followed.get("r");
  assert.equal(room.view.seq, 9);
  it.says({ view: { ...VIEW, rewound: true } });
  assert.deepEqual([room.view.seq, room.rewound], [4, true]);
});

test("a new connection goes on from where the rooms stand", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says(entry(5, sits(1, "bo")));
  it.reconnect();
  assert.deepEqual(it.sent("hello")[0].positions, [{ roomId: "r", seq: 5, token: "dA==" }]);
});

test("the seed's commitment is remembered as it was first given", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says(entry(5, { gameStarted: { gameNo: 1, commitment: "YQ==" } }));
  assert.equal(it.client.rooms.followed.get("r").promised.get(1), "YQ==");
  it.says({ view: { ...VIEW, seq: 6, gameNo: 1, status: "ROOM_STATUS_PLAYING", commitment: "Yg==" } });
  assert.equal(it.client.rooms.followed.get("r").promised.get(1), null);
});

test("joining by code sits down, also where nobody may look", async () => {
  const it = opened();
  const joined = it.client.join("123456");
  assert.deepEqual(it.sent("watch"), [{ code: "123456" }]);
  it.says({
    refusal: { reason: "ERROR_REASON_NO_SPECTATORS", message: "", metadata: { room_id: "r", code: "123456" } },
  });
  await turn();
  assert.deepEqual(it.sent("command"), [{ requestId: "id1", roomId: "r", join: { code: "123456" } }]);
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 4 } } });
  await turn();
  it.says({ view: VIEW });
  assert.equal((await joined).seat, 0);
});

test("who finds no seat is told that the table may be watched, and does not go on following it", async () => {
  for (const reason of ["ERROR_REASON_ROOM_FULL", "ERROR_REASON_WRONG_STATUS", "ERROR_REASON_NOT_INVITED"]) {
    const it = opened();
    const joined = it.client.join("123456");
    it.says({ view: { ...VIEW, seat: undefined } });
    await turn();
    it.says({ answer: { requestId: "id1", roomId: "r", refused: { reason, message: "", metadata: {} } } });
    const watchable = reason === "ERROR_REASON_NOT_INVITED" ? "" : "r";
    await assert.rejects(joined, { reason, watchable });
    assert.equal(it.client.rooms.followed.size, 0);
    assert.deepEqual(it.sent("unwatch"), [{ roomId: "r" }]);
  }
});

test("who watches a table and finds no seat at it goes on watching", async () => {
  const it = opened();
  const watched = it.client.rooms.watch({ roomId: "r" });
  it.says({ view: { ...VIEW, seat: undefined } });
  await watched;
  const joined = it.client.joinByLink("r", "link");
  const refused = { reason: "ERROR_REASON_ROOM_FULL", message: "", metadata: {} };
  it.says({ answer: { requestId: "id1", roomId: "r", refused } });
  await assert.rejects(joined, { watchable: "r" });
  assert.equal(it.client.rooms.followed.size, 1);
});

/** The room as its spectators see it: private, so that they are not told its code. */
const WATCHED = { ...VIEW, seat: undefined, code: "" };
const watching = async (it) => {
  const watched = it.client.rooms.watch({ roomId: "r" });
  it.says({ view: WATCHED });
  return watched;
};

test("who watches a private table sits down at it by its code", async () => {
  const it = opened();
  const room = await watching(it);
  const joined = it.client.join("123456");
  assert.deepEqual(it.sent("watch").at(-1), { code: "123456" });
  it.says({ view: WATCHED });
  await turn();
  assert.deepEqual(it.sent("command"), [{ requestId: "id1", roomId: "r", join: { code: "123456" } }]);
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 3 } } });
  assert.equal(await joined, room);
  // A seat counts on its own, so that its first view may have a smaller number.
  it.says({ view: { ...VIEW, seq: 3 } });
  assert.equal(room.seat, 0);
});

test("a code is not answered by the view of a table with another one", async () => {
  const it = opened();
  const joined = it.client.join("123456");
  it.says({ view: { ...VIEW, roomId: "other", code: "654321" } });
  it.says({ view: WATCHED });
  await turn();
  assert.deepEqual(it.sent("command").map(({ roomId }) => roomId), ["r"]);
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 4 } } });
  assert.equal((await joined).roomId, "r");
});

test("a watched table that is let go while a code is on its way is found by the code all the same", async () => {
  const it = opened();
  await watching(it);
  const joined = it.client.join("123456");
  it.client.rooms.unwatch("r");
  const frames = it.server.newest().sent.slice(-2);
  assert.deepEqual(frames, [{ unwatch: { roomId: "r" } }, { watch: { code: "123456" } }]);
  it.says({ view: WATCHED });
  await turn();
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 4 } } });
  assert.equal((await joined).roomId, "r");
});

test("who has lost a seat at a private table sits down again by the code without asking whose it is", async () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says({ view: WATCHED });
  it.client.join("123456");
  await turn();
  assert.deepEqual(it.sent("watch"), []);
  assert.deepEqual(it.sent("command"), [{ requestId: "id1", roomId: "r", join: { code: "123456" } }]);
});

test("a code that nobody has is refused, and the next room can be asked for", async () => {
  const it = opened();
  const first = it.client.join("000000");
  const second = it.client.rooms.watch({ roomId: "r" });
  it.says({ refusal: { reason: "ERROR_REASON_CODE_NOT_FOUND", message: "", metadata: { code: "000000" } } });
  await assert.rejects(first, { reason: "ERROR_REASON_CODE_NOT_FOUND" });
  it.says({ view: VIEW });
  assert.equal((await second).roomId, "r");
});

test("a room that was closed to the player is let go", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  const room = it.client.rooms.followed.get("r");
  it.says({ refusal: { reason: "ERROR_REASON_NO_SPECTATORS", message: "", metadata: { room_id: "r" } } });
  assert.equal(room.lost.reason, "ERROR_REASON_NO_SPECTATORS");
  assert.deepEqual(it.client.rooms.positions(), []);
});

test("a ticket that ended while nobody listened is known to have ended", () => {
  const it = opened();
  it.says({
    ticket: {
      ticketId: "t",
      state: "TICKET_STATE_WAITING",
      ahead: 1,
      createTime: "2026-01-01T00:00:00.000Z",
      roomId: "",
    },
  });
  it.reconnect();
  assert.equal(it.client.ticket.state, "TICKET_STATE_CANCELLED");
});

test("an event that this page cannot fold is followed by the whole view", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: { ...VIEW, status: "ROOM_STATUS_PLAYING", gameNo: 1, planes: { table: {}, fleets: [] } } });
  it.says(entry(5, { planes: { planePlaced: { seat: 7, plane: {} } } }));
  assert.deepEqual(it.sent("watch"), [{ roomId: "r" }]);
});

const line = (number) => ({
  chat: { roomId: "r", line: { number, player: "bo", text: String(number), sayTime: "2026-01-01T00:00:00.000Z" } },
});

test("chat that was lost comes with the whole view", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: VIEW });
  it.says(line(1));
  assert.deepEqual(it.sent("watch"), []);
  it.says(line(3));
  assert.deepEqual(it.sent("watch"), [{ roomId: "r" }]);
});

test("of the lines that a new connection brings, those that were heard before are not heard again", () => {
  const it = opened({ roomId: "r" });
  it.says({ view: { ...VIEW, chat: [line(6).chat.line, line(7).chat.line] } });
  it.reconnect();
  for (const number of [6, 7, 8, 9]) it.says(line(number));
  assert.deepEqual(
    it.happened.map(({ chat }) => chat.number),
    [8, 9],
  );
  assert.deepEqual(it.sent("watch"), []);
});

test("a session that ends because its token is refused ends once, and leaves nothing behind", () => {
  let ends = 0;
  // As the page does it: it ends the session when it is told, and is told again by the end.
  const it = opened({}, (client) => {
    if (client?.connection.state.goodbye?.refusal?.reason === "ERROR_REASON_INVALID_TOKEN" && client.token) {
      ends += 1;
      client.end();
    }
  });
  const refusal = { reason: "ERROR_REASON_INVALID_TOKEN", message: "", metadata: {} };
  it.says({ goodbye: { reason: "GOODBYE_REASON_REFUSED", refusal, retryAfterMs: 0 } });
  assert.equal(ends, 1);
  assert.equal(it.client.token, "");
  assert.equal(it.client.connection.state.phase, "idle");
});

test("patience begins again with the connection, for nobody could be asked while it was gone", async () => {
  const it = opened();
  const accepted = it.client.command("r", { leave: {} });
  it.server.newest().onclose();
  // A gateway that is away for long: every try to reach it fails.
  for (let away = 0; away < 20; away += 1) {
    it.world.pass(6_000);
    it.server.newest().onclose();
  }
  it.world.pass(6_000);
  it.server.newest().welcomes();
  const refused = { reason: "ERROR_REASON_NO_ENGINE", message: "", metadata: {} };
  it.says({ answer: { requestId: "id1", roomId: "r", refused } });
  it.world.pass(5_000);
  assert.equal(it.sent("command").length, 2);
  it.says({ answer: { requestId: "id1", roomId: "r", accepted: { seat: 0, seq: 5 } } });
  assert.deepEqual(await accepted, { seat: 0, seq: 5 });
});

test("a view that was on its way to a room's former spectator brings the room back only when it is asked for", async () => {
  const it = opened();
  const watched = it.client.rooms.watch({ roomId: "r" });
  it.says({ view: { ...VIEW, seat: undefined } });
  await watched;
  it.client.rooms.unwatch("r");
  it.says({ view: { ...VIEW, seat: undefined, seq: 5 } });
  assert.deepEqual(it.client.rooms.positions(), []);
  const again = it.client.rooms.watch({ roomId: "r" });
  assert.equal(it.sent("watch").length, 2);
  it.says({ view: { ...VIEW, seat: undefined, seq: 6 } });
  assert.equal((await again).view.seq, 6);
});

const party = (version, ...players) => ({
  code: players.length ? "K7WM3P" : "",
  version: String(version),
  ticketId: "",
  members: players.map((player) => ({ player, name: player })),
});

test("a party is what was last heard of it, in whichever order answers and frames come", async () => {
  const it = opened({ player: "ada" });
  const begun = it.client.createParty();
  assert.deepEqual(it.sent("createParty"), [{ requestId: "id1" }]);
  it.says({ party: party(2, "ada", "bo") });
  it.says({ answer: { requestId: "id1", party: party(1, "ada") } });
  await begun;
  assert.equal(it.client.party.members.length, 2);
  const left = it.client.leaveParty();
  assert.deepEqual(it.sent("leaveParty"), [{ requestId: "id2", member: "" }]);
  it.says({ answer: { requestId: "id2", party: party(3, "bo") } });
  await left;
  assert.equal(it.client.party, null);
});

test("what the answer that was lost said is done: a ticket is given back, a party is left", async () => {
  const changes = [];
  const it = opened({ player: "ada" }, (client) => changes.push([client.ticket?.state, client.party]));
  const ticket = { ticketId: "t", state: "TICKET_STATE_WAITING" };
  const refuses = (requestId, reason) =>
    it.says({ answer: { requestId, refused: { reason: `ERROR_REASON_${reason}`, message: "", metadata: {} } } });
  it.says({ ticket });
  const back = it.client.dequeue();
  refuses("id1", "TICKET_NOT_FOUND");
  await back;
  assert.equal(it.client.ticket.state, "TICKET_STATE_CANCELLED");
  it.says({ party: party(2, "ada", "bo") });
  const left = it.client.leaveParty();
  refuses("id2", "PARTY_NOT_FOUND");
  await left;
  // The page has heard of it too.
  assert.deepEqual(changes.at(-1), ["TICKET_STATE_CANCELLED", null]);
});

test("that a match is made, or another is in no party, is told to who wanted it otherwise", async () => {
  const it = opened({ player: "ada" });
  const refuses = (requestId, reason) =>
    it.says({ answer: { requestId, refused: { reason: `ERROR_REASON_${reason}`, message: "", metadata: {} } } });
  const back = it.client.dequeue();
  refuses("id1", "TICKET_MATCHED");
  await assert.rejects(back, { reason: "ERROR_REASON_TICKET_MATCHED" });
  it.says({ party: party(2, "ada", "bo") });
  const taken = it.client.leaveParty("cyd");
  refuses("id2", "PARTY_NOT_FOUND");
  await assert.rejects(taken, { reason: "ERROR_REASON_PARTY_NOT_FOUND" });
  assert.equal(it.client.party.members.length, 2);
});

test("a party that ended while nobody listened is not shown any more", () => {
  const it = opened({ player: "ada" });
  it.says({ party: party(1, "ada") });
  assert.equal(it.client.party.code, "K7WM3P");
  it.reconnect();
  assert.equal(it.client.party, null);
  it.says({ party: party(1, "ada") });
  assert.equal(it.client.party.code, "K7WM3P");
  it.says({ party: party(2) });
  assert.equal(it.client.party, null);
});

test("a leader comes with the whole party, and a link opens its table without a code", async () => {
  const it = opened();
  const asked = it.client.enqueue({ planes: {} }, "K7WM3P");
  assert.deepEqual(it.sent("enqueue"), [{ requestId: "id1", config: { planes: {} }, partyCode: "K7WM3P" }]);
  it.says({ answer: { requestId: "id1" } });
  await asked;
  const room = it.client.joinByLink("r", "tok");
  assert.deepEqual(it.sent("command"), [{ requestId: "id2", roomId: "r", join: { linkToken: "tok" } }]);
  it.says({ answer: { requestId: "id2", roomId: "r", accepted: { seat: 1, seq: 5 } } });
  await turn();
  it.says({ view: { ...VIEW, seat: 1, seq: 5 } });
  assert.equal((await room).seat, 1);
});

test("a planned maintenance is known until it is called off, and the page is drawn again when it begins", () => {
  let drawn = 0;
  const it = opened({}, () => (drawn += 1));
  assert.equal(it.client.maintenance, null);
  it.says({ maintenance: { startTime: new Date(it.client.clock.now() + 2_000).toISOString() } });
  assert.notEqual(it.client.maintenance, null);
  const before = drawn;
  it.world.pass(1_000);
  assert.equal(drawn, before);
  it.world.pass(1_500);
  assert.ok(drawn > before);
  it.says({ maintenance: {} });
  assert.equal(it.client.maintenance, null);
});

test("a maintenance that was called off while the connection was gone is forgotten", () => {
  const it = opened();
  it.says({ maintenance: { startTime: "2026-01-02T00:00:00.000Z" } });
  it.reconnect();
  assert.equal(it.client.maintenance, null);
});
