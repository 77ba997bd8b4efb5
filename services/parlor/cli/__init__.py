"""The `parlor` command: tools that use a running Parlor as its clients do, and one for its operator."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from parlor.cli import maintenance, meet, past, play

_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "meet": meet.run,
    "play": play.run,
    "history": past.run_history,
    "leaderboard": past.run_leaderboard,
    "maintenance": maintenance.run,
}


def parser() -> argparse.ArgumentParser:
    """All that can be typed."""
    parser = argparse.ArgumentParser(prog="parlor", description=__doc__)
    subcommands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    meet.add_parser(subcommands)
    play.add_parser(subcommands)
    past.add_parsers(subcommands)
    maintenance.add_parser(subcommands)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one subcommand and exits with what it returns."""
    options = parser().parse_args(arguments)
    sys.exit(_COMMANDS[options.command](options))
