"""Runs a file of machine-checked examples against the rules of a game.

    python tests/conformance/run.py doudizhu FILE.json

Prints the failures and closes with `N passed, M failed`; exits with 1 if any failed. A file that cannot be read or
holds no example is a failure too. A game takes part by a module `tests/conformance/<game>.py` with a function
`cases(document)`, which yields each example's id with a function that raises where the rules disagree.
"""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]

Case = tuple[str, Callable[[], None]]


class Format(Protocol):
    """A game's module."""

    def cases(self, document: Any) -> Iterator[Case]:
        """Every example of the file, none left out; raises where it holds something unknown."""


def run(game: str, path: Path) -> tuple[int, list[str]]:
    """How many examples passed, and a line for each that failed."""
    module: Format = importlib.import_module(f"tests.conformance.{game}")
    try:
        examples = list(module.cases(json.loads(path.read_text(encoding="utf-8"))))
    except Exception as error:
        return 0, [f"{path}: {type(error).__name__}: {error}"]
    if not examples:
        return 0, [f"{path}: holds no example"]
    passed, failures = 0, []
    for name, check in examples:
        try:
            check()
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {error}")
        else:
            passed += 1
    return passed, failures


def games() -> list[str]:
    """The games that take part."""
    modules = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return sorted(name for name in modules if name != "run" and not name.startswith(("test_", "_")))


def main(arguments: list[str]) -> int:
    """The command; see the module."""
    if len(arguments) != 2 or arguments[0] not in games():
        print(__doc__, "Games: " + ", ".join(games()), sep="\n", file=sys.stderr)
        return 2
    # A checkout needs no installation to be checked.
    sys.path[:0] = [str(ROOT), str(ROOT / "services")]
    passed, failures = run(arguments[0], Path(arguments[1]))
    for line in failures:
        print(line)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
