"""The machine-checked examples of the rule book, and the runner that counts them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import planes

EXAMPLES = Path(__file__).with_name("planes-examples.json")
CASES = list(planes.cases(json.loads(EXAMPLES.read_text())))


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in CASES])
def test_the_rules_agree_with_the_example(check: Callable[[], None]) -> None:
    check()


def test_a_list_that_the_format_does_not_know_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="puzzles"):
        list(planes.cases({"version": 1, "counts": {}, "puzzles": []}))


def test_the_runner_counts_and_fails_with_a_wrong_example(tmp_path: Path) -> None:
    document = json.loads(EXAMPLES.read_text())
    document["timeLimit"][0]["winner"] = "B"
    for name in ("geometry", "placements", "battles", "accuracy", "clocks"):
        document[name] = []
    document["counts"] = {}
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(document))
    runner = Path(__file__).with_name("run.py")
    done = subprocess.run(
        [sys.executable, runner, "planes", wrong], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{len(document['timeLimit']) - 1} passed, 1 failed"
    assert done.stdout.startswith("timeLimit TL01: AssertionError")
