// @ts-check
/** The bar above the hand: the question that the table asks, as buttons, or whom it waits for. */

import { h } from "../../ui/dom.js";
import { advised, isUnadvised, judgement, suggest } from "./asking.js";
import { button } from "./buttons.js";
import { offer, surrendering } from "./givingup.js";
import { claim, pass, play } from "./moves.js";
import { isAsked, isOver, limitOf, SEATS } from "./seating.js";
import { choose, chosen, stateOf } from "./selection.js";
import { claimText, readingText } from "./speech.js";

/** @typedef {Record<string, any>} Json */

/** Questions that one press answers: the branch of the action, and the values to choose from where the prompt names none. */
const ANSWERS = {
  DOU_DIZHU_QUESTION_BID: { branch: "bid", act: "bid" },
  DOU_DIZHU_QUESTION_CALL: { branch: "call", act: "call", values: [false, true] },
  DOU_DIZHU_QUESTION_ROB: { branch: "rob", act: "rob", values: [false, true] },
  DOU_DIZHU_QUESTION_DOUBLE: { branch: "doubleStake", act: "double", values: [false, true] },
};

export function bar(/** @type {Json} */ ctx) {
  return h("div", { class: "ddz-bar" }, offer(ctx), question(ctx));
}

function question(/** @type {Json} */ ctx) {
  const { view, mine, t } = ctx;
  const prompt = mine ? view.prompt : null;
  if (isOver(view)) return null;
  if (stateOf(ctx).confirming && mine) return surrendering(ctx);
  if (!prompt) return h("p", { class: "ddz-waiting", key: "waiting" }, waitingText(ctx));
  const total = limitOf(view, prompt.question);
  const clock = h(
    "span",
    { class: "ddz-clock", key: `clock${prompt.decision}` },
    ctx.countdown(prompt.expireTime, { label: t("doudizhu.clock.own"), total }),
  );
  if (prompt.question === "DOU_DIZHU_QUESTION_PLAY") return playing(ctx, prompt, clock);
  return answers(ctx, prompt, clock);
}

function answers(/** @type {Json} */ ctx, /** @type {Json} */ prompt, /** @type {any} */ clock) {
  const { branch, act, values = prompt.bids } = ANSWERS[prompt.question];
  const advice = advised(ctx)?.[branch];
  const buttons = values.map((/** @type {number | boolean} */ value) =>
    button(ctx, `doudizhu.${act}.${value}`, () => ctx.act({ [branch]: value }), {
      act,
      value: String(value),
      style: value ? "btn-primary" : "",
      advised: advice === value,
    }),
  );
  const row = [buttons[0], clock, buttons.slice(1), hintButton(ctx)];
  return [
    isUnadvised(ctx) && h("p", { class: "ddz-judged", key: "unadvised", role: "status" }, ctx.t("doudizhu.hint.failed")),
    h("div", { class: "ddz-answers", key: prompt.question, role: "group", "aria-label": questionText(ctx) }, row),
  ];
}

function playing(/** @type {Json} */ ctx, /** @type {Json} */ prompt, /** @type {any} */ clock) {
  const { t } = ctx;
  const { claims } = stateOf(ctx);
  if (claims?.decision === prompt.decision) return reading(ctx, claims);
  const cards = chosen(ctx);
  const judged = judgement(ctx);
  const refused = judged !== null && !judged.reading;
  const isPassAdvised = Boolean(advised(ctx)?.passTurn);
  const row = [
    prompt.mayPass &&
      button(ctx, "doudizhu.pass", () => pass(ctx), { act: "pass", advised: isPassAdvised }),
    clock,
    hintButton(ctx),
    button(ctx, "doudizhu.play", () => play(ctx), {
      act: "play",
      style: "btn-primary",
      disabled: cards.length === 0 || refused,
    }),
  ];
  return [
    h("p", { class: "ddz-judged", key: "judged", role: "status" }, judgedText(ctx, cards, judged, isPassAdvised)),
    h("div", { class: "ddz-answers", key: "play", role: "group", "aria-label": t("doudizhu.ask.play") }, row),
  ];
}

/** What the chosen cards are, in the words of the rules, or why they may not be played; that no advice came, before it. */
function judgedText(/** @type {Json} */ ctx, /** @type {number[]} */ cards, /** @type {Json | null} */ judged, passing) {
  if (isUnadvised(ctx)) return ctx.t("doudizhu.hint.failed");
  if (cards.length === 0) {
    const { toBeat } = ctx.view.prompt;
    if (passing) return ctx.t("doudizhu.advice.pass");
    return toBeat ? ctx.t("doudizhu.ask.beat", { reading: readingText(toBeat, ctx.t) }) : ctx.t("doudizhu.ask.lead");
  }
  if (judged?.reading) return readingText(judged.reading, ctx.t);
  if (judged) return ctx.t(`doudizhu.refused.${judged.reason.replace("ERROR_REASON_", "")}`);
  return ctx.t("doudizhu.chosen", { n: cards.length });
}

/** Which of several readings is meant. */
function reading(/** @type {Json} */ ctx, /** @type {Json} */ { readings }) {
  const { t } = ctx;
  return h(
    "div",
    { class: "ddz-answers claims", key: "claims", role: "group", "aria-label": t("doudizhu.ask.reading") },
    h("p", { class: "ddz-judged" }, t("doudizhu.ask.reading")),
    readings.map((one) =>
      h(
        "button",
        {
          class: "btn btn-primary",
          type: "button",
          key: `${one.shape}${one.value}`,
          "data-act": "play",
          onclick: () => claim(ctx, one),
        },
        claimText(one, t),
      ),
    ),
    button(ctx, "doudizhu.back", () => {
      choose(ctx, chosen(ctx));
      ctx.redraw();
    }),
  );
}

function hintButton(/** @type {Json} */ ctx) {
  const busy = stateOf(ctx).hints?.busy ?? false;
  return button(ctx, "doudizhu.hint", () => suggest(ctx), { testid: "hint", disabled: busy });
}

function waitingText(/** @type {Json} */ ctx) {
  const { view, t } = ctx;
  const { deadline } = view.table;
  if (!deadline) return "";
  if (view.seat !== undefined && isAsked(view, view.seat) && view.doubleStake !== undefined) {
    return t(`doudizhu.chose.${view.doubleStake}`);
  }
  const names = SEATS.filter((seat) => deadline.seats.includes(seat)).map((seat) => ctx.name(seat));
  return t(`doudizhu.waiting.${kindOf(deadline.question)}`, { name: names.join(t("doudizhu.and")) });
}

const questionText = (/** @type {Json} */ { view, t }) => t(`doudizhu.ask.${kindOf(view.prompt.question)}`);

const kindOf = (/** @type {string} */ question) => question.replace("DOU_DIZHU_QUESTION_", "").toLowerCase();
