"""The runner of example files: what it says of files that hold no examples, and of wrong ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(game: str, path: Path) -> tuple[int, list[str]]:
    """The exit code, and the lines that were printed."""
    done = subprocess.run(
        [sys.executable, HERE / "run.py", game, path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("game", "text"),
    [
        pytest.param("jinxian", "{", id="no JSON"),
        pytest.param("jinxian", "[]", id="no object"),
        pytest.param("jinxian", '{"examples": []}', id="nothing in it"),
        pytest.param("planes", '{"version": 1}', id="nothing in it, planes"),
        pytest.param("jinxian", '{"battles": []}', id="another game's"),
        pytest.param("planes", None, id="no file"),
    ],
)
def test_what_holds_no_examples_is_a_failure(game: str, text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    if text is not None:
        path.write_text(text)
    code, (why, closing) = run(game, path)
    assert code == 1
    assert why.startswith(f"{path}: ")
    assert closing == "0 passed, 1 failed"


def test_a_wrong_example_of_jinxian_fails_and_is_named(tmp_path: Path) -> None:
    document = json.loads((HERE / "jinxian-examples.json").read_text())
    document["examples"] = document["examples"][:3]
    document["examples"][1]["expected"]["totalScore"] += 1
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(document))
    code, lines = run("jinxian", path)
    assert code == 1
    assert lines[0].startswith(document["examples"][1]["id"])
    assert lines[-1] == "4 passed, 1 failed"
