"""The browser client's core, as far as it needs no page: its node tests, and what it shares with the server."""

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from parlor.rules.catalog import GAMES
from parlor.rules.game import InvalidConfig
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
    for kind, options in _options().items():
        assert options
        default = _config(kind, {})
        for option in options:
            written = _written(option, option["default"])
            assert _config(kind, {option["field"]: written}) == default, (kind, option["field"])
            for choice in option.get("choices", ()):
                _config(kind, {option["field"]: choice})


def test_the_form_lets_players_choose_what_the_rules_let_them_and_no_more() -> None:
    bounded = 0
    for kind, options in _options().items():
        for option in (option for option in options if "min" in option):
            bounded += 1
            low, high = option["min"], option["max"]
            for value in (low, high):
                _choose(kind, option, value)
            # Less than nothing cannot be written for some.
            for value in (low - 1, high + 1) if low else (high + 1,):
                with pytest.raises(InvalidConfig):
                    _choose(kind, option, value)
    assert bounded


def _options() -> dict[str, list[dict[str, Any]]]:
    """The options of each game, as the lobby's form has them."""
    expression = (
        "Object.fromEntries(Object.values(it.KINDS).map(({kind, options}) => [kind, options]))"
    )
    options: dict[str, list[dict[str, Any]]] = _exported("games/index.js", expression)
    return options


def _written(option: dict[str, Any], value: Any) -> Any:
    """A value of the form in the JSON of the config."""
    return f"{value / 1000}s" if option["type"] == "ms" else value


def _choose(kind: str, option: dict[str, Any], value: int) -> None:
    """Raises InvalidConfig where players may not choose that."""
    config = _config(kind, {option["field"]: _written(option, value)})
    GAMES[kind].check_config(config)
    GAMES[kind].check_limits(config)


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
