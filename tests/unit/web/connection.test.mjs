// The connection: it keeps alive, notices silence, comes back, and knows when not to.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../../services/parlor/gateway/web/connection.js";
import { newServer, newWorld } from "./world.mjs";

function connected(welcome = {}) {
  const world = newWorld();
  const server = newServer();
  const heard = [];
  const connection = new Connection({
    url: "ws://here/ws",
    open: server.open,
    world,
    token: () => "secret",
    positions: () => [{ roomId: "r", seq: 3, token: "dA==" }],
    welcomed: () => heard.push("welcome"),
    heard: (frame) => heard.push(frame),
    changed: () => {},
  });
  connection.start();
  server.newest().welcomes(welcome);
  return { connection, world, server, heard };
}

const phases = ({ connection }) => connection.state.phase;

test("it says hello with the token and the positions, and nothing before", () => {
  const { server } = connected();
  const [socket] = server.sockets;
  assert.deepEqual(socket.protocols, ["parlor.v1.json"]);
  assert.equal(socket.url, "ws://here/ws");
  assert.deepEqual(socket.sent, [
    {
      hello: {
        token: "secret",
        protocol: 1,
        client: "parlor-web/1",
        positions: [{ roomId: "r", seq: 3, token: "dA==" }],
      },
    },
  ]);
});

test("it pings once a beat and stays while anything is heard", () => {
  const it = connected();
  for (let beat = 0; beat < 10; beat += 1) {
    it.world.pass(5_000);
    it.server.newest().says({ heartbeat: { serverTime: "2026-01-01T00:00:05.000Z", heads: [] } });
  }
  assert.equal(it.server.sockets.length, 1);
  assert.equal(it.server.newest().sent.filter((frame) => frame.ping).length, 10);
});

test("after three silent beats it connects again by itself", () => {
  const it = connected();
  it.world.pass(15_000);
  assert.equal(phases(it), "away");
  assert.equal(it.server.sockets[0].closed, true);
  it.world.pass(300);
  assert.equal(it.server.sockets.length, 2);
  it.server.newest().welcomes();
  assert.equal(phases(it), "open");
});

test("pauses between failures grow to a bound, and begin anew after a success", () => {
  const it = connected();
  const pauses = [];
  for (let failure = 0; failure < 9; failure += 1) {
    it.server.newest().onclose();
    pauses.push(it.connection.state.retryAt - it.world.now());
    it.world.pass(20_000 - 12_000);
  }
  assert.deepEqual(pauses.slice(0, 4), [187.5, 375, 750, 1_500]);
  assert.equal(Math.max(...pauses), 3_750);
  it.server.newest().welcomes();
  it.server.newest().onclose();
  assert.equal(it.connection.state.retryAt - it.world.now(), 187.5);
});

test("a frame of an older connection is not heard", () => {
  const it = connected();
  const [old] = it.server.sockets;
  old.onclose();
  it.world.pass(500);
  it.server.newest().welcomes();
  old.says({ chat: {} });
  assert.deepEqual(it.heard, ["welcome", "welcome"]);
});

test("a gateway that drains is left at once, after what it asks to wait", () => {
  const it = connected();
  it.server.newest().says({ goodbye: { reason: "GOODBYE_REASON_DRAINING", retryAfterMs: 0 } });
  it.world.pass(0);
  assert.equal(it.server.sockets.length, 2);
  it.server.newest().welcomes();
  it.server.newest().says({ goodbye: { reason: "GOODBYE_REASON_DRAINING", retryAfterMs: 700 } });
  it.world.pass(699);
  assert.equal(it.server.sockets.length, 2);
  it.world.pass(1);
  assert.equal(it.server.sockets.length, 3);
});

test("a page that was opened elsewhere does not fight for the session, and takes it over when told to", () => {
  const it = connected();
  it.server.newest().says({ goodbye: { reason: "GOODBYE_REASON_REPLACED", retryAfterMs: 0 } });
  it.world.pass(3_600_000);
  assert.equal(it.server.sockets.length, 1);
  assert.equal(it.connection.state.goodbye.reason, "GOODBYE_REASON_REPLACED");
  it.connection.start();
  it.server.newest().welcomes();
  assert.equal(phases(it), "open");
});

test("a refusal that may not last is followed by another try, one that lasts is not", () => {
  const it = connected();
  const refused = (reason, metadata = {}) => ({
    goodbye: { reason: "GOODBYE_REASON_REFUSED", retryAfterMs: 0, refusal: { reason, message: "", metadata } },
  });
  it.server.newest().says(refused("ERROR_REASON_OVERLOADED", { retry_after_ms: "3000" }));
  it.world.pass(2_999);
  assert.equal(it.server.sockets.length, 1);
  it.world.pass(1_000);
  it.server.newest().welcomes();
  it.server.newest().says(refused("ERROR_REASON_INVALID_TOKEN"));
  it.world.pass(3_600_000);
  assert.equal(it.server.sockets.length, 2);
  assert.equal(phases(it), "over");
});

test("whom a server cannot let in while its store is away knocks at least once a second", () => {
  const it = connected();
  const refusal = { reason: "ERROR_REASON_STORE_UNAVAILABLE", message: "", metadata: {} };
  for (let again = 1; again <= 20; again += 1) {
    assert.equal(it.server.sockets.length, again);
    it.server.newest().onopen();
    it.server.newest().says({ goodbye: { reason: "GOODBYE_REASON_REFUSED", retryAfterMs: 0, refusal } });
    it.world.pass(1_000);
  }
});

test("a server of another protocol ends it", () => {
  const it = connected({ protocol: 2 });
  assert.deepEqual([phases(it), it.connection.state.outdated], ["over", true]);
});

test("a device that wakes up wants an answer soon, and connects at once where it waited", () => {
  const it = connected();
  it.connection.nudge();
  it.world.pass(4_000);
  assert.equal(phases(it), "away");
  it.connection.nudge();
  assert.equal(it.server.sockets.length, 2);
  it.server.newest().welcomes();
  it.connection.nudge();
  it.server.newest().says({ heartbeat: { serverTime: "2026-01-01T00:00:05.000Z", heads: [] } });
  it.world.pass(4_500);
  assert.equal(phases(it), "open");
});

test("what is no JSON is a broken connection", () => {
  const it = connected();
  it.server.newest().onmessage({ data: "{" });
  assert.equal(phases(it), "away");
});

test("stopped, it stays so", () => {
  const it = connected();
  it.connection.stop();
  it.world.pass(3_600_000);
  assert.deepEqual([phases(it), it.server.sockets.length], ["idle", 1]);
});
