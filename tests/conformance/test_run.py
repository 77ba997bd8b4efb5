"""The runner of example files: what it says of files that hold no examples, and of wrong ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(game: str, path: Path) -> tuple[int, str]:
    """The exit code, and the last line that was printed."""
    done = subprocess.run(
        [sys.executable, HERE / "run.py", game, path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("game", "text"),
    [
        pytest.param("jinxian", "{", id="no JSON"),
        pytest.param("jinxian", "[]", id="no object"),
        pytest.param("jinxian", '{"examples": []}', id="nothing in it"),
        pytest.param("planes", '{"version": 1}', id="nothing in it, planes"),
        pytest.param("jinxian", '{"battles": []}', id="another game's"),
        pytest.param("chess", '{"examples": []}', id="no such game"),
    ],
)
def test_what_holds_no_examples_is_no_success(game: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text(text)
    code, last = run(game, path)
    assert code == 2
    assert last.startswith(f"{path} holds no examples")


def test_a_file_that_is_not_there_is_no_success(tmp_path: Path) -> None:
    assert run("planes", tmp_path / "none.json")[0] == 2


def test_a_wrong_example_of_jinxian_fails_and_is_named(tmp_path: Path) -> None:
    document = json.loads((HERE / "jinxian-examples.json").read_text())
    document["examples"] = document["examples"][:3]
    document["examples"][1]["expected"]["totalScore"] += 1
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(document))
    assert run("jinxian", path) == (1, "4 passed, 1 failed")
