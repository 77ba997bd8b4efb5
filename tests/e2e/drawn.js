// Run in a page of Parlor: draws a table for moments of recorded games as the page would, and looks for what lies over
// something else or beyond its edge. Gives `faults`, each with the number of its moment, and `beyond`: by how many pixels
// each moment is higher than the window.
async ({ kind, moments, parts, lang }) => {
  const main = document.querySelector("script[type=module]").src;
  const [games, ctx, dom, shell, words] = await Promise.all(
    ["games/index.js", "table/context.js", "ui/dom.js", "shell.js", "words.js"].map((path) => import(new URL(path, main))),
  );
  await games.bring(kind);
  words.setLang(lang);
  const nothing = () => {};
  const root = document.getElementById("app");
  const faults = [];
  const SLACK = 1.5;
  // What moves is on its way to where it shall be looked at.
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { animation: none !important; transition: none !important; }");
  document.adoptedStyleSheets = [still];

  const room = ({ config, view, seat }) => ({
    roomId: "r", seat, kind, rules: games.KINDS[kind], scene: games.sceneOf(kind), closed: false, lost: null, game: view, code: "",
    view: {
      roomId: "r", status: "ROOM_STATUS_PLAYING", config: { [kind]: config }, gameNo: 1, host: 0, code: "", chat: [], options: {},
      seats: ["Guest 481", "小明", "Bartholomew", "陈"].slice(0, games.KINDS[kind].seats(config)).map((name, at) => ({ player: `p${at}`, name, online: true, bot: at > 1 })),
    },
  });
  const app = {
    route: { page: "table" }, connection: { phase: "open" }, now: () => Date.now(), me: { player: "p0", name: "Guest 481" }, reduced: true, busy: false,
    local: {}, sheet: "", question: null, redraw: nothing, speaker: { spoken: [], toast: null }, isMatching: false, seatedIn: "r", openKeys: () => [],
    client: { token: "t", ticket: null, party: null, maintenance: null, isOld: false, ask: async () => ({}) },
  };

  function named(element) {
    return `${element.className?.baseVal ?? element.className} «${element.textContent.slice(0, 24)}»`;
  }

  function look(number) {
    const all = parts.flatMap((part) => [...root.querySelectorAll(part)]).filter((each) => each.getClientRects().length);
    const boxes = all.map((element) => [element, element.getBoundingClientRect()]);
    const wrong = new Set();
    for (const [at, [one, a]] of boxes.entries()) {
      if (a.left < -SLACK || a.right > innerWidth + SLACK) wrong.add(`${named(one)} is beyond the edge`);
      if (one.scrollWidth > one.clientWidth + SLACK && getComputedStyle(one).overflowX === "hidden") wrong.add(`${named(one)} is cut`);
      for (const [other, b] of boxes.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > SLACK && high > SLACK) wrong.add(`${named(one)} over ${named(other)} by ${Math.round(wide)}x${Math.round(high)}`);
      }
    }
    for (const each of wrong) faults.push(`${number}: ${each}`);
    return wrong.size;
  }

  const beyond = [];
  for (const [number, moment] of moments.entries()) {
    const { view, local, others } = moment;
    const seating = {
      room: room(moment), keys: () => [], unread: 0, sideOpen: false, sent: null, local, chronicle: { lines: [] }, kept: new Map(),
      decision: view.prompt?.decision ?? 0, toggleSide: nothing,
      get context() {
        const live = ctx.liveContext(app, this);
        return others ? { ...live, others, live: false } : live;
      },
    };
    dom.render(shell.page(Object.assign(app, { seating })), root);
    look(number);
    beyond.push(document.documentElement.scrollHeight - innerHeight);
  }
  return { faults, beyond };
}
