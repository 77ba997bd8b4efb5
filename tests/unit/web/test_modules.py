"""Every module of the browser client: it parses, it loads, it is sent unchanged but for its comments."""

import json
from posixpath import dirname, join, normpath

import pytest

from parlor.gateway.assets import Assets, client_files
from parlor.gateway.modules import Modules
from tests.unit.web.node import WEB, modules, node

_SAME = """
// Node's own parser of JavaScript: comments and spaces leave no trace in what it gives.
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const plain = (key, value) => (key === "start" || key === "end" ? undefined : value);
const tree = (text) => JSON.stringify(parse(text, { ecmaVersion: 2022, sourceType: "module" }), plain);
const pairs = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const differ = [], late = [], named = {};
for (const [path, [source, sent]] of Object.entries(pairs)) {
  const parsed = tree(source);
  if (parsed !== tree(sent)) differ.push(path);
  if (parsed.includes('"type":"ImportExpression"')) late.push(path);
  named[path] = JSON.parse(parsed).body.filter((each) => each.source).map((each) => each.source.value);
}
console.log(JSON.stringify({ differ, late, named }));
"""

_LOAD = """
import { pathToFileURL } from "node:url";
globalThis.document = globalThis.window = undefined;
for (const path of process.argv.slice(1)) {
  try { await import(pathToFileURL(path)); }
  catch (error) { console.error(path, error); process.exitCode = 1; }
}
"""

_KINDS = ["doudizhu", "jinxian", "planes"]
_RULES = {"kind", "words", "options", "presets", "before", "fold"}
_SCENE = {"table", "announce", "result", "keys"}
_OPTIONAL = "isQuiet"
"""Which of a scene's events the log alone tells of, where there are any."""


def test_every_module_is_sent_unchanged_but_for_comments() -> None:
    """And the page asks for those at once, or with a game's scene, that Node's parser finds it needs."""
    sources = client_files()
    pairs = {
        path: (sources[path].decode(), asset.body.decode())
        for path, asset in Assets(sources).files.items()
        if path.endswith(".js")
    }
    assert len(pairs) > 10
    found = json.loads(node("--expose-internals", "--eval", _SAME, stdin=json.dumps(pairs)))
    assert found["differ"] == []
    # Nobody else waits for a module while something is played.
    assert found["late"] == ["games/index.js"]
    named = {
        path: {normpath(join(dirname(path), each)) for each in imports}
        for path, imports in found["named"].items()
    }
    needed = Modules({path: sent for path, (_, sent) in pairs.items()}, "main.js")
    assert {f"games/{kind}/scene.js" for kind in _KINDS} == set(needed.later)
    assert set(needed.at_once).union(*needed.later.values()) == set(pairs)
    for there in (needed.at_once, *needed.later.values()):
        for path in there:
            assert named[path] <= {*there, *needed.at_once}, path


def test_a_module_that_names_one_that_is_not_there_is_found_before_anything_is_served() -> None:
    with pytest.raises(KeyError, match=r"b\.js"):
        Modules({"main.js": 'import {\n  b,\n} from "./b.js";\n'}, "main.js")


def test_every_module_loads_outside_of_a_page() -> None:
    """All but the one that starts the client: so each can be tested alone, and none waits for another."""
    paths = [str(path) for path in modules() if path != WEB / "main.js"]
    node("--input-type=module", "--eval", _LOAD, *paths)


def test_every_game_has_what_the_shell_needs() -> None:
    script = (
        f"import {{ bring, KINDS, sceneOf }} from {json.dumps((WEB / 'games' / 'index.js').as_uri())};"
        "for (const kind of Object.keys(KINDS)) await bring(kind);"
        "const keys = Object.entries(KINDS).map(([kind, game]) => "
        "  [kind, [Object.keys(game), Object.keys(sceneOf(kind))]]);"
        "console.log(JSON.stringify(Object.fromEntries(keys)));"
    )
    kinds = json.loads(node("--input-type=module", "--eval", script))
    assert sorted(kinds) == _KINDS
    for kind, (rules, scene) in kinds.items():
        assert (set(rules), set(scene) - {_OPTIONAL}) == (_RULES, _SCENE), kind


def test_both_languages_have_the_same_words() -> None:
    script = (
        f"import {{ KINDS }} from {json.dumps((WEB / 'games' / 'index.js').as_uri())};"
        "const of = (game) => [Object.keys(game.words.zh).sort(), Object.keys(game.words.en).sort()];"
        "console.log(JSON.stringify(Object.entries(KINDS).map(([kind, game]) => [kind, ...of(game)])));"
    )
    for kind, chinese, english in json.loads(node("--input-type=module", "--eval", script)):
        assert chinese == english, kind
