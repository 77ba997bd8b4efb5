// Time and a network that a test moves by hand.

/** A world whose time stands still until `pass`. */
export function newWorld() {
  let now = 1_000_000;
  let count = 0;
  const timers = new Map();
  return {
    now: () => now,
    random: () => 0.5,
    setTimeout: (fn, ms) => (timers.set((count += 1), { fn, due: now + ms }), count),
    clearTimeout: (timer) => timers.delete(timer),
    /** Lets time pass, with every timer at its instant. */
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(([, timer]) => timer.due <= end).sort(([, a], [, b]) => a.due - b.due);
        if (!next) break;
        timers.delete(next[0]);
        now = Math.max(now, next[1].due);
        next[1].fn();
      }
      now = end;
    },
  };
}

/** A server: `sockets` are the connections that were made to it, newest last. */
export function newServer() {
  const sockets = [];
  const open = (url, protocols) => {
    const socket = {
      url,
      protocols,
      sent: [],
      closed: false,
      send: (data) => socket.sent.push(JSON.parse(data)),
      close: () => (socket.closed = true),
      says: (frame) => socket.onmessage({ data: JSON.stringify(frame) }),
      welcomes: (welcome) => (socket.onopen(), socket.says({ welcome: { ...WELCOME, ...welcome } })),
    };
    sockets.push(socket);
    return socket;
  };
  return { open, sockets, newest: () => sockets[sockets.length - 1] };
}

export const WELCOME = {
  player: "ada",
  name: "Ada",
  protocol: 1,
  server: "parlor-gateway/1",
  serverTime: "2026-01-01T00:00:00.000Z",
  roomId: "",
  heartbeatMs: 5_000,
};
