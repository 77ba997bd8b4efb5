"""Every module of the browser client: it parses, it loads, it is sent unchanged but for its comments."""

import json

from parlor.gateway.assets import Assets, client_files
from tests.unit.web.node import WEB, modules, node

_SAME = """
// Node's own parser of JavaScript: comments and spaces leave no trace in what it gives.
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const plain = (key, value) => (key === "start" || key === "end" ? undefined : value);
const tree = (text) => JSON.stringify(parse(text, { ecmaVersion: 2022, sourceType: "module" }), plain);
const pairs = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const differ = [], late = [];
for (const [path, [source, sent]] of Object.entries(pairs)) {
  const parsed = tree(source);
  if (parsed !== tree(sent)) differ.push(path);
  if (parsed.includes('"type":"ImportExpression"')) late.push(path);
}
console.log(JSON.stringify({ differ, late }));
"""

_LOAD = """
import { pathToFileURL } from "node:url";
globalThis.document = globalThis.window = undefined;
for (const path of process.argv.slice(1)) {
  try { await import(pathToFileURL(path)); }
  catch (error) { console.error(path, error); process.exitCode = 1; }
}
"""

_CONTRACT = ("kind", "words", "options", "seats", "before", "fold", "table", "announce", "result")


def test_every_module_is_sent_unchanged_but_for_comments_and_asks_for_none_late() -> None:
    """A module that is asked for later could be of a release that is gone."""
    sources = client_files()
    pairs = {
        path: (sources[path].decode(), asset.body.decode())
        for path, asset in Assets(sources).files.items()
        if path.endswith(".js")
    }
    assert len(pairs) > 10
    found = json.loads(node("--expose-internals", "--eval", _SAME, stdin=json.dumps(pairs)))
    assert found == {"differ": [], "late": []}


def test_every_module_loads_outside_of_a_page() -> None:
    """All but the one that starts the client: so each can be tested alone, and none waits for another."""
    paths = [str(path) for path in modules() if path != WEB / "main.js"]
    node("--input-type=module", "--eval", _LOAD, *paths)


def test_every_game_has_what_the_shell_needs() -> None:
    script = (
        f"import {{ KINDS }} from {json.dumps((WEB / 'games' / 'index.js').as_uri())};"
        "const keys = Object.entries(KINDS).map(([kind, game]) => [kind, Object.keys(game)]);"
        "console.log(JSON.stringify(Object.fromEntries(keys)));"
    )
    kinds = json.loads(node("--input-type=module", "--eval", script))
    assert sorted(kinds) == ["doudizhu", "jinxian", "planes"]
    for kind, keys in kinds.items():
        assert set(_CONTRACT) <= set(keys), kind


def test_both_languages_have_the_same_words() -> None:
    script = (
        f"import {{ KINDS }} from {json.dumps((WEB / 'games' / 'index.js').as_uri())};"
        "const of = (game) => [Object.keys(game.words.zh).sort(), Object.keys(game.words.en).sort()];"
        "console.log(JSON.stringify(Object.entries(KINDS).map(([kind, game]) => [kind, ...of(game)])));"
    )
    for kind, chinese, english in json.loads(node("--input-type=module", "--eval", script)):
        assert chinese == english, kind
