"""The machine-checked examples of the rule book, and the runner that counts them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import doudizhu

EXAMPLES = Path(__file__).with_name("doudizhu-examples.json")
CASES = list(doudizhu.cases(json.loads(EXAMPLES.read_text())))


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in CASES])
def test_the_rules_agree_with_the_example(check: Callable[[], None]) -> None:
    check()


def test_a_list_that_the_format_does_not_know_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="puzzles"):
        list(doudizhu.cases({"version": 1, "counts": {}, "puzzles": []}))


def test_the_runner_counts_and_fails_with_a_wrong_example(tmp_path: Path) -> None:
    scoring = json.loads(EXAMPLES.read_text())["scoring"]
    scoring[0]["scores"] = [3, -1, -2]
    done = run({"version": 1, "scoring": scoring}, tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{len(scoring) - 1} passed, 1 failed"
    assert done.stdout.startswith("scoring S01: AssertionError")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("{", "JSONDecodeError", id="no JSON"),
        pytest.param('{"puzzles": []}', "not in this format: ['puzzles']", id="unknown list"),
        pytest.param('{"games": []}', "holds no example", id="empty"),
    ],
)
def test_a_file_without_examples_fails_and_says_why(
    text: str, problem: str, tmp_path: Path
) -> None:
    done = run(text, tmp_path)
    assert done.returncode == 1
    said, count = done.stdout.splitlines()
    assert problem in said
    assert count == "0 passed, 1 failed"


def test_a_game_whose_second_deal_names_the_wrong_first_bidder_fails() -> None:
    game = named("games", "G10")
    game["deals"][1]["first"] = 0
    with pytest.raises(AssertionError, match=r"got \[1, 2, 0\], wanted \[1, 0, 0\]"):
        check(games=[game])


def test_an_offer_that_runs_out_before_the_turn_is_no_timeout_of_the_table() -> None:
    """An offer is open for 15 s and a turn for 30 s, so the offer is refused on the way."""
    game = named("games", "G14")
    answer = next(n for n, action in enumerate(game["actions"]) if "consent" in action)
    on_turn = next(a["seat"] for a in game["actions"][answer:] if "play" in a or "pass" in a)
    del game["actions"][answer + 1 :]
    game["actions"][answer] = {"seat": on_turn, "timeout": True, "effect": {"pass": True}}
    with pytest.raises(AssertionError, match="the game has not ended"):
        check(games=[{**game, "plays": plays_of(game)}])


def test_each_seat_that_is_late_in_doubling_has_its_line() -> None:
    game = named("games", "G15")
    (line,) = (n for n, action in enumerate(game["actions"]) if action.get("double") is False)
    game["actions"][line] = {"seat": 2, "timeout": True, "effect": {"double": False}}
    check(games=[game])
    game["actions"][line]["effect"] = {"double": True}
    with pytest.raises(AssertionError, match=r"wanted \{'double': True\}"):
        check(games=[game])


def test_a_file_may_set_when_the_bidding_is_forced() -> None:
    passes = [{"seat": seat, "bid": 0} for seat in (1, 2, 0)]
    example = {"id": "B", "bidding": "score", "first": 1, "options": {"maxPassedDeals": 1}}
    result = {"landlord": 1, "bid": 1, "robs": 0, "passedDeals": 1}
    check(bidding=[{**example, "actions": passes, "result": result}])
    with pytest.raises(AssertionError, match="got 1, wanted 0"):
        check(bidding=[{**example, "actions": passes, "result": {**result, "passedDeals": 0}}])


def named(kind: str, name: str) -> dict[str, Any]:
    """The example of that id, for a test to change."""
    (example,) = (e for e in json.loads(EXAMPLES.read_text())[kind] if e["id"] == name)
    found: dict[str, Any] = example
    return found


def plays_of(game: dict[str, Any]) -> list[int]:
    """How many plays of each seat the game's lines hold."""
    played = [a["seat"] for a in game["actions"] if "play" in a and "error" not in a]
    return [played.count(seat) for seat in range(3)]


def check(**lists: list[dict[str, Any]]) -> None:
    """Checks the only example of a file of these lists."""
    ((_, only),) = doudizhu.cases(lists)
    only()


def run(document: object, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """What the command says to a file of this text, or of this document as JSON."""
    path = tmp_path / "examples.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    runner = Path(__file__).with_name("run.py")
    command = [sys.executable, str(runner), "doudizhu", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
