// @ts-check
/** The room's own events as sentences. */

import { t } from "../words.js";

/**
 * @param {any} event Event JSON, or `{chat: ChatLine}`
 * @param {any} ctx the table's context, in which the event already shows
 * @param {any} before the room's view before the event
 * @returns {string | null} null for what nobody needs to hear
 */
export function roomSentence(event, ctx, before) {
  if (event.chat) return t("say.line", { name: chatName(ctx.room, event.chat), text: event.chat.text });
  if (event.seatChanged) return seatSentence(event.seatChanged, before.seats[event.seatChanged.seat], ctx.seat);
  if (event.hostChanged?.host !== undefined) return t("say.host", { name: ctx.name(event.hostChanged.host) });
  if (event.gameStarted) return t("say.started", { n: event.gameStarted.gameNo });
  if (event.gameEnded) return endSentence(event.gameEnded.result, ctx);
  if (event.dissolveChanged) return voteSentence(event.dissolveChanged.vote, ctx);
  if (event.optionsChanged) return t("say.options");
  if (event.roomClosed) return t("say.closed");
  return null;
}

/** Who said a line of chat; somebody who has left has no name any more. @param {any} room @param {any} line */
export function chatName(room, line) {
  return room.seats.find((/** @type {any} */ seat) => seat.player === line.player)?.name || t("chat.somebody");
}

/** What has changed about a seat, where somebody should hear of it. */
function seatSentence(
  /** @type {any} */ { seat, content },
  /** @type {any} */ before,
  /** @type {number | null} */ own,
) {
  const { name } = content;
  if (!content.player) return before.player ? t("say.left", { name: before.name, n: seat + 1 }) : null;
  if (content.player !== before.player) return t("say.sits", { name, n: seat + 1 });
  if (content.ready && !before.ready) return t("say.ready", { name });
  if (content.online !== before.online && !content.bot && seat !== own)
    return t(content.online ? "say.online" : "say.offline", { name });
  return null;
}

function endSentence(/** @type {any} */ result, /** @type {any} */ ctx) {
  if (result.reason === "DISSOLVED") return t("say.dissolved");
  if (!result.winners.length) return t("say.drawn");
  return t("say.won", { names: result.winners.map(ctx.name).join(t("list.comma")) });
}

function voteSentence(/** @type {any} */ vote, /** @type {any} */ ctx) {
  return vote ? t("say.vote", { name: ctx.name(vote.proposer), n: vote.agreed.length }) : t("say.voteFailed");
}
