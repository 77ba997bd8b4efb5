// The small virtual DOM: what it draws, and what it leaves as it is.
import assert from "node:assert/strict";
import { test } from "node:test";

import { h, render, svg } from "../../../services/parlor/gateway/web/ui/dom.js";
import { newPage } from "./page.mjs";

/** Draws into a fresh page and gives what draws again. */
function drawn(content) {
  const { body } = newPage();
  const draw = (next) => (render(next, body), body);
  draw(content);
  return { body, draw };
}

test("text is text, never markup", () => {
  assert.equal(drawn(h("p", null, "<b>", 0, null, false)).body.html, "<body><p>&lt;b>0</p></body>");
});

test("an attribute that is true is empty, one that is false is not there, and aria says the word", () => {
  const { body, draw } = drawn(h("a", { hidden: true, title: false, "aria-pressed": false }));
  assert.deepEqual(body.firstChild.attributes, { hidden: "", "aria-pressed": "false" });
  draw(h("a", { "aria-pressed": true }));
  assert.deepEqual(body.firstChild.attributes, { "aria-pressed": "true" });
});

test("drawing the same again touches nothing", () => {
  const { body, draw } = drawn(h("ul", { class: "a", style: { "--x": 1 } }, h("li", { id: "b" }, "c")));
  const [list] = body.childNodes;
  const written = list.written;
  draw(h("ul", { class: "a", style: { "--x": 1 } }, h("li", { id: "b" }, "c")));
  assert.equal(body.firstChild, list);
  assert.equal(list.written, written);
});

test("keyed children keep their elements through every change of order", () => {
  const list = (keys) =>
    h(
      "ul",
      null,
      [...keys].map((key) => h("li", { key }, key)),
    );
  const { body, draw } = drawn(list("abcde"));
  const known = new Map(body.firstChild.childNodes.map((item) => [item.firstChild.data, item]));
  for (const order of ["edcba", "bd", "dxb", "abcdex", "", "cab"]) {
    draw(list(order));
    const items = body.firstChild.childNodes;
    assert.equal(items.map((item) => item.firstChild.data).join(""), order);
    for (const item of items) {
      const before = known.get(item.firstChild.data);
      // One that was away is another one when it comes back.
      if (before?.parentNode) assert.equal(item, before);
      known.set(item.firstChild.data, item);
    }
  }
});

test("a sibling that comes and goes leaves the field beside it alone", () => {
  const form = (warned) => h("form", null, warned && h("p", null, "careful"), h("input", { id: "name" }));
  const { body, draw } = drawn(form(false));
  const input = body.firstChild.firstChild;
  input.focus();
  draw(form(true));
  assert.equal(body.firstChild.childNodes[1], input);
  assert.equal(body.ownerDocument.activeElement, input);
});

test("the focus comes back to an element that had to move", () => {
  const list = (keys) =>
    h(
      "ul",
      null,
      [...keys].map((key) => h("li", { key }, key)),
    );
  const { body, draw } = drawn(list("abc"));
  const [first] = body.firstChild.childNodes;
  first.focus();
  draw(list("cba"));
  assert.equal(body.ownerDocument.activeElement, first);
});

test("a key that stands twice draws both", () => {
  const { body } = drawn(h("ul", null, [h("li", { key: 1 }, "a"), h("li", { key: 1 }, "b")]));
  assert.equal(body.html, "<body><ul><li>a</li><li>b</li></ul></body>");
});

test("what is being typed stays until the state asks for something else", () => {
  const { body, draw } = drawn(h("input", { value: "" }));
  const input = body.firstChild;
  input.focus();
  input.value = "typed";
  draw(h("input", { value: "" }));
  assert.equal(input.value, "typed");
  draw(h("input", { value: "sent" }));
  assert.equal(input.value, "sent");
});

test("a box that the user ticked goes back where the state says no", () => {
  const { body, draw } = drawn(h("input", { type: "checkbox", checked: false }));
  body.firstChild.checked = true;
  draw(h("input", { type: "checkbox", checked: false }));
  assert.equal(body.firstChild.checked, false);
});

test("only the newest listener is called, once", () => {
  const called = [];
  const { body, draw } = drawn(h("button", { onclick: () => called.push("old") }));
  draw(h("button", { onclick: () => called.push("new") }));
  body.firstChild.dispatch("click");
  draw(h("button", null));
  body.firstChild.dispatch("click");
  assert.deepEqual(called, ["new"]);
});

test("a ref hears of its element when that stands in the page, and of its end", () => {
  const heard = [];
  const ref = (el) => heard.push(el && el.isConnected);
  const { draw } = drawn(h("div", null, h("p", { ref })));
  draw(h("div", null, h("p", { ref })));
  draw(h("div", null));
  assert.deepEqual(heard, [true, null]);
});

test("svg is made in its namespace", () => {
  const { body } = drawn(svg("svg", null, svg("path", { d: "M0 0" })));
  assert.equal(body.firstChild.firstChild.namespace, "http://www.w3.org/2000/svg");
});
