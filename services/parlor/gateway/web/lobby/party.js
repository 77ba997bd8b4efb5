// @ts-check
/** A party: people who want to play at one table, found by a code. Its leader asks for a match for all of them. */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { copy } from "../table/invite.js";
import { t } from "../words.js";

/** @typedef {import("../app.js").App} App */

/** Letters and digits that do not look alike. */
const CODE = /^[2-9A-HJ-NP-Z]{6}$/;

/** Whether it has the form of a party's code. @param {string} text */
export function isPartyCode(text) {
  return CODE.test(text);
}

/** Whether the player is in a party. @param {App} app */
export function isInParty(app) {
  return app.client.party !== null;
}

/** Whether the player leads the party that they are in. @param {App} app */
export function leads(app) {
  return isInParty(app) && app.client.party.members[0]?.player === app.me.player;
}

/** @param {App} app */
export function party(app) {
  return h(
    "section",
    { class: "panel stack", "aria-labelledby": "party-title", "data-testid": "party" },
    h("h2", { id: "party-title" }, t("party.title")),
    ...(isInParty(app) ? inside(app) : outside(app)),
  );
}

/** For who is in none: a new one, or a friend's. */
function outside(/** @type {App} */ app) {
  const { partyCode = "", partyError } = app.local;
  const refused = (/** @type {string} */ text) => (app.local.partyError = text);
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isPartyCode(partyCode)) return;
    app.attempt(() => app.client.joinParty(partyCode), refused);
  };
  return [
    h("p", { id: "party-about", class: "small soft" }, t("party.about")),
    h(
      "button",
      {
        class: "btn",
        type: "button",
        "data-testid": "party-start",
        "aria-describedby": "party-about",
        disabled: app.busy || app.isMatching,
        onclick: () => app.attempt(() => app.client.createParty()),
      },
      t("party.start"),
    ),
    h(
      "form",
      { class: "row join", onsubmit: go },
      h("label", { class: "sr-only", for: "party-code" }, t("party.code")),
      h("input", {
        id: "party-code",
        class: "input code-input",
        "data-testid": "party-code",
        autocomplete: "off",
        autocapitalize: "characters",
        spellcheck: "false",
        maxlength: 6,
        placeholder: "K7WM3P",
        value: partyCode,
        "aria-invalid": Boolean(partyError),
        "aria-describedby": partyError ? "party-error" : null,
        oninput: (/** @type {any} */ event) => {
          app.local.partyCode = event.target.value = event.target.value.toUpperCase().replace(/[^A-Z0-9]/g, "");
          app.local.partyError = "";
          app.redraw();
        },
      }),
      h(
        "button",
        { class: "btn", "data-testid": "party-join", disabled: !isPartyCode(partyCode) || app.busy || app.isMatching },
        t("join.go"),
      ),
    ),
    h(
      "p",
      { id: "party-error", class: "note note-bad", role: "alert", "data-testid": "party-error", hidden: !partyError },
      partyError,
    ),
  ];
}

/** For its members: its code, who is in it, and the way out. */
function inside(/** @type {App} */ app) {
  const { code, members } = app.client.party;
  const isLeader = leads(app);
  return [
    h(
      "p",
      { class: "row spread" },
      h("span", { class: "small soft" }, t("party.share")),
      h("strong", { class: "party-code", "data-testid": "party-shown" }, code),
      h(
        "button",
        { class: "btn btn-quiet btn-small", type: "button", "data-testid": "party-copy", onclick: () => copy(app, code) },
        icon("copy"),
        t("party.copy"),
      ),
    ),
    h(
      "ul",
      { class: "stack", "aria-live": "polite", "aria-label": t("party.members") },
      members.map((/** @type {any} */ each, /** @type {number} */ index) =>
        member(app, each, index === 0, isLeader && each.player !== app.me.player),
      ),
    ),
    h("p", { class: "small soft" }, t(isLeader ? "party.youLead" : "party.waits")),
    h(
      "button",
      {
        class: "btn btn-quiet",
        type: "button",
        "data-testid": "party-leave",
        disabled: app.busy,
        onclick: () => app.attempt(() => app.client.leaveParty()),
      },
      t("party.leave"),
    ),
  ];
}

function member(
  /** @type {App} */ app,
  /** @type {{player: string, name: string}} */ { player, name },
  /** @type {boolean} */ isLeader,
  /** @type {boolean} */ canRemove,
) {
  const remove = t("party.remove", { name });
  return h(
    "li",
    { class: "row", key: player, "data-testid": "party-member" },
    h("span", null, name),
    isLeader && h("span", { class: "badge" }, icon("crown"), t("party.leader")),
    player === app.me.player && h("span", { class: "badge" }, t("seat.you")),
    canRemove &&
      h(
        "button",
        {
          class: "btn btn-quiet btn-small",
          type: "button",
          title: remove,
          "aria-label": remove,
          disabled: app.busy,
          onclick: () => app.attempt(() => app.client.leaveParty(player)),
        },
        icon("close"),
      ),
  );
}
