// A player of Plane Battle without any library, for Node 22 or newer: finds a table, plays one game, and says how it
// ended. It takes its turns from the steps as they come, and asks for the whole view at all else; the browser client
// folds every step instead.
//
//   node docs/examples/bot.mjs http://127.0.0.1:8080

const gateway = process.argv[2];
// With `bot: true` everybody is told that it is a program; programs alone are not matched.
const login = await fetch(`${gateway}/login`, { method: "POST", body: JSON.stringify({ name: "Example" }) });
const { token } = await login.json();

const FLEET = [
  { x: 0, y: 2, direction: "PLANES_DIRECTION_UP" },
  { x: 0, y: 7, direction: "PLANES_DIRECTION_UP" },
  { x: 9, y: 4, direction: "PLANES_DIRECTION_DOWN" },
];
const socket = new WebSocket(`${gateway.replace("http", "ws")}/ws`, ["parlor.v1.json"]);
const send = (frame) => socket.send(JSON.stringify(frame));
const command = (what) => send({ command: { requestId: crypto.randomUUID(), roomId: room, ...what } });
const answered = new Set();
let room = "";
let me = 0; // our seat
let open = []; // cells that we have not fired at

function find() {
  if (room) send({ watch: { roomId: room } });
  else send({ enqueue: { requestId: crypto.randomUUID(), config: { planes: {} } } });
}

// What was refused changed nothing, and most of it for a moment only: look and decide anew.
function again({ reason }) {
  if (reason === "ERROR_REASON_ROOM_NOT_FOUND") room = "";
  answered.clear();
  find();
}

function look({ status, gameNo, seat, planes, result }) {
  const { table, prompt } = planes ?? {};
  me = seat;
  const shots = new Set(table?.boards[1 - me].shots.map(({ x, y }) => 10 * x + y));
  open = Array.from({ length: 100 }, (_, cell) => cell).filter((cell) => !shots.has(cell));
  if (status === "ROOM_STATUS_FINISHED") end(result);
  else if (status === "ROOM_STATUS_OPEN") once(`ready ${gameNo}`, { ready: { ready: true } });
  else if (prompt?.question === "PLANES_QUESTION_PLACE") act(prompt.decision, { place: { planes: FLEET } });
  else if (prompt?.decision) shoot(prompt.decision);
}

function shoot(decision) {
  const cell = open[Math.floor(Math.random() * open.length)];
  act(decision, { attack: { x: Math.floor(cell / 10), y: cell % 10 } });
}

function act(decision, planes) {
  once(`act ${decision}`, { act: { decision, planes } });
}

function once(question, what) {
  const key = `${room} ${question}`;
  if (!answered.has(key)) command(what);
  answered.add(key);
}

function end({ reason, scores }) {
  console.log(`game over (${reason}), scores ${scores}`);
  socket.close(1000);
}

function follow(events) {
  const turn = events.find((event) => event.planes?.turnStarted)?.planes.turnStarted;
  const attack = events.find((event) => event.planes?.attackExecuted)?.planes.attackExecuted;
  const ended = events.find((event) => event.gameEnded)?.gameEnded;
  if (attack?.seat === me) open = open.filter((cell) => cell !== 10 * attack.x + attack.y);
  if (events.some((event) => event.roomClosed)) room = ""; // such as where others did not come: find another
  if (ended) end(ended.result);
  else if (!turn || !attack) find();
  else if (turn.decision) shoot(turn.decision);
}

socket.onopen = () => send({ hello: { token, protocol: 1, client: "example/1" } });
socket.onclose = ({ code }) => process.exit(code === 1000 ? 0 : 1);
socket.onmessage = ({ data }) => {
  const frame = JSON.parse(data);
  if (frame.welcome) setInterval(() => send({ ping: {} }), frame.welcome.heartbeatMs); // the silent are taken for dead
  if (frame.ticket?.state === "TICKET_STATE_ASSIGNED") room = frame.ticket.roomId;
  if (frame.welcome || frame.ticket?.roomId) find();
  if (frame.view) look(frame.view);
  const refused = frame.refusal ?? frame.answer?.refused;
  if (refused) setTimeout(again, 500, refused);
  if (frame.entry) follow(frame.entry.events ?? []);
};
