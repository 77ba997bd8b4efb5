"""Runs a file of machine-checked examples against the rules of a game.

    python tests/conformance/run.py doudizhu FILE.json

Prints the failures and closes with `N passed, M failed`; exits with 1 if any failed, and with 2 for
what is no file of examples of that game. A game takes
part by a module `tests/conformance/<game>.py` with a function `cases(document)`, which yields each
example's id with a function that raises where the rules disagree.
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
    passed, failures = 0, []
    for name, check in module.cases(json.loads(path.read_text())):
        try:
            check()
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {error}")
        else:
            passed += 1
    return passed, failures


def main(arguments: list[str]) -> int:
    """The command; see the module."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    # A checkout needs no installation to be checked.
    sys.path[:0] = [str(ROOT), str(ROOT / "services")]
    game, path = arguments[0], Path(arguments[1])
    try:
        passed, failures = run(game, path)
    except (ImportError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        print(f"{path} holds no examples of {game}: {type(error).__name__}: {error}")
        return 2
    if not passed and not failures:
        print(f"{path} holds no examples")
        return 2
    for line in failures:
        print(line)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
