"""The machine-checked examples of the rule book of Jinxian Mahjong."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import jinxian

EXAMPLES = Path(__file__).with_name("jinxian-examples.json")
CASES = list(jinxian.cases(json.loads(EXAMPLES.read_text())))


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in CASES])
def test_the_rules_agree_with_the_example(check: Callable[[], None]) -> None:
    check()


def test_a_wrong_example_fails() -> None:
    document = json.loads(EXAMPLES.read_text())
    document["examples"][0]["expected"]["deltas"] = [39, -14, -13, -12]
    checks = dict(jinxian.cases(document))
    with pytest.raises(AssertionError, match="deltas"):
        checks["E01"]()


def test_a_list_that_the_format_does_not_know_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="puzzles"):
        list(jinxian.cases({"examples": [], "puzzles": []}))
