// @ts-check
/** Small line drawings, in the colour of the text beside them. */

import { svg } from "./dom.js";

const PATHS = {
  back: "M14.5 5 8 12l6.5 7",
  bot: "M6 9h12v9H6zM12 9V5M9.5 13v1M14.5 13v1M9 18v2M15 18v2",
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  check: "M5 12.5 10 17.5 19 7",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  crown: "M4 18h16l1-10-5 4-4-7-4 7-5-4z",
  eye: "M2.5 12C5 7.5 8.3 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.8 6.5-9.5 6.5S5 16.5 2.5 12zM12 9.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4",
  gear: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1",
  keys: "M3 6.5h18v11H3zM7 10h.01M10.3 10h.01M13.7 10h.01M17 10h.01M8 14h8",
  leave: "M13 4H5v16h8M10 12h11M17 8l4 4-4 4",
  next: "M7 5l9 7-9 7zM18 5v14",
  offline: "M3 3l18 18M5 10c1-.9 2.1-1.6 3.3-2.1M12 6.5c2.6.1 5 1.3 7 3.5M8 13.5c.8-.7 1.7-1.2 2.7-1.4M12 18h.01",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5 19 12 7 19.5z",
  prev: "M17 5l-9 7 9 7zM6 5v14",
  share: "M12 15V4M8 7.5 12 3.5l4 4M5 12v8h14v-8",
  stop: "M7 7h10v10H7z",
  swap: "M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4",
};

/** @typedef {keyof typeof PATHS} IconName */

/** A drawing that says nothing to a screen reader; what it stands for is said beside it. @param {IconName} name */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] }),
  );
}
