// A player of Plane Battle without any library, for Node 22 or newer: finds a table, plays one game, and says how it
// ended. It asks for the whole view after every step, which is simple; the browser client folds the steps instead.
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
const command = (roomId, what) => send({ command: { requestId: crypto.randomUUID(), roomId, ...what } });
const answered = new Set();

function look({ roomId, status, gameNo, seat, planes }) {
  const decision = status === "ROOM_STATUS_PLAYING" ? (planes?.prompt?.decision ?? 0) : 0;
  const key = `${roomId}.${gameNo}.${decision}`;
  if (answered.has(key)) return;
  if (status === "ROOM_STATUS_OPEN") command(roomId, { ready: { ready: true } });
  else if (decision) command(roomId, { act: { decision, planes: choose(planes, seat) } });
  else return;
  answered.add(key);
}

// What was refused changed nothing, and most of it for a moment only: look and decide anew.
function again(roomId) {
  answered.clear();
  send({ watch: { roomId } });
}

function choose({ prompt, table }, seat) {
  if (prompt.question === "PLANES_QUESTION_PLACE") return { place: { planes: FLEET } };
  const shots = new Set(table.boards[1 - seat].shots.map(({ x, y }) => 10 * x + y));
  const open = Array.from({ length: 100 }, (_, cell) => cell).filter((cell) => !shots.has(cell));
  const cell = open[Math.floor(Math.random() * open.length)];
  return { attack: { x: Math.floor(cell / 10), y: cell % 10 } };
}

socket.onopen = () => send({ hello: { token, protocol: 1, client: "example/1" } });
socket.onclose = ({ code }) => process.exit(code === 1000 ? 0 : 1);
socket.onmessage = ({ data }) => {
  const frame = JSON.parse(data);
  if (frame.welcome) {
    setInterval(() => send({ ping: {} }), frame.welcome.heartbeatMs); // who says nothing is taken for dead
    send({ enqueue: { requestId: crypto.randomUUID(), config: { planes: {} } } });
  }
  if (frame.ticket?.state === "TICKET_STATE_ASSIGNED") send({ watch: { roomId: frame.ticket.roomId } });
  if (frame.view) look(frame.view);
  if (frame.answer?.refused && frame.answer.roomId) setTimeout(again, 500, frame.answer.roomId);
  const { roomId, events = [] } = frame.entry ?? {};
  const { result } = events.find((event) => event.gameEnded)?.gameEnded ?? {};
  if (result) console.log(`game over (${result.reason}), scores ${result.scores}`);
  if (result) socket.close(1000);
  else if (roomId) send({ watch: { roomId } });
};
