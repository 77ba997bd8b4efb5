"""The browser client's core, as far as it needs no page: its node tests, and what it shares with the server."""

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE
from tests.unit.web.node import WEB, node
from tests.unit.web.room_stories import stories

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["dom", "connection", "client", "app", "qr", "page_parts"])
def test_under_node(name: str) -> None:
    node("--test", "--test-reporter=dot", str(HERE / f"{name}.test.mjs"))


def test_a_room_is_folded_as_the_python_client_folds_it(tmp_path: Path) -> None:
    path = tmp_path / "stories.json"
    path.write_text(json.dumps(stories(40)))
    file = str(HERE / "roomfold.test.mjs")
    node("--test", "--test-reporter=dot", file, env={"ROOM_STORIES": str(path)})


def test_every_reason_has_a_sentence() -> None:
    reasons = {
        f"reason.{name.removeprefix('ERROR_REASON_')}"
        for name in ErrorReason.DESCRIPTOR.values_by_name
    }
    assert reasons <= set(_exported("words/en.js", "Object.keys(it.default)"))


def test_every_option_of_the_lobby_is_one_of_the_game() -> None:
    """Names, enum values and defaults: a form that was not touched is the game as it is by default."""
    expression = (
        "Object.fromEntries(Object.values(it.KINDS).map(({kind, options}) => [kind, options]))"
    )
    for kind, options in _exported("games/index.js", expression).items():
        assert options
        default = _config(kind, {})
        for option in options:
            value = option["default"]
            written = f"{value / 1000}s" if option["type"] == "ms" else value
            assert _config(kind, {option["field"]: written}) == default, (kind, option["field"])
            for choice in option.get("choices", ()):
                _config(kind, {option["field"]: choice})


def _config(kind: str, config: dict[str, Any]) -> Any:
    """The game's options as the server reads them from the page's JSON."""
    message = ParseDict({kind: config}, GameConfig())
    return WIRE[kind].config_from(getattr(message, kind))


def _exported(module: str, expression: str) -> Any:
    """The value of an expression over a module of the client."""
    script = (
        f"import * as it from {json.dumps((WEB / module).as_uri())};"
        f"console.log(JSON.stringify({expression}));"
    )
    return json.loads(node("--input-type=module", "--eval", script))
