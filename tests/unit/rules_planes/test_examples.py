"""The machine-checked examples, one test each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import planes

FILE = Path(planes.__file__).with_name("planes-examples.json")
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text())


@pytest.mark.parametrize(
    "check", [pytest.param(check, id=name) for name, check in planes.cases(DOCUMENT)]
)
def test_the_rules_agree_with_the_example(check: Callable[[], None]) -> None:
    check()


def test_a_list_of_another_format_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="boats"):
        next(planes.cases({**DOCUMENT, "boats": []}))
