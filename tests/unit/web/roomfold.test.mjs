// The room's own events folded as `parlor.client.folding` does; run by test_core.py, which gives both sides.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { addChat, foldRoom } from "../../../services/parlor/gateway/web/roomfold.js";

const stories = JSON.parse(readFileSync(process.env.ROOM_STORIES, "utf8"));

for (const { name, player, first, steps } of stories) {
  test(name, () => {
    let view = first;
    for (const { event, chat, after } of steps) {
      const before = structuredClone(view);
      const next = chat ? addChat(view, chat) : foldRoom(view, event, player);
      assert.deepStrictEqual(next, after);
      assert.deepStrictEqual(view, before, "a view is not changed in place");
      view = next;
    }
  });
}
