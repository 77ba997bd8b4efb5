"""What a request must look like, and how the offending field is named.

A field is named by its path in the request, such as `view.table.boards[1].shots` or `cards[3]`.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from google.protobuf.message import Message

from parlor.rules.game import AnyGame, IllegalAction, InvalidConfig
from parlor.wire import Malformed
from parlor.wire.game import WireGame
from parlor.wire.options import misfit
from parlor.wire.unknown import has_unknown


class Refused(ValueError):
    """A request that is no question, by the name of an `ErrorReason` and the path of a field.

    Caught where questions are answered, which sends both to the caller.
    """

    def __init__(self, reason: str, field: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.field = field


def malformed(field: str, message: str) -> Refused:
    """The refusal of what has not the right shape."""
    return Refused("MALFORMED", field, message)


@contextmanager
def under(path: str) -> Iterator[None]:
    """Refuses what cannot be decoded, with the field's path below `path`."""
    try:
        yield
    except Malformed as error:
        raise malformed(_below(path, error.field), str(error)) from error


@contextmanager
def judged(field: str) -> Iterator[None]:
    """Refuses what the rules refuse, with the rules' own reason."""
    try:
        yield
    except IllegalAction as error:
        raise Refused(error.reason.value, field, str(error)) from error


def config_of(game: AnyGame, wire: WireGame, message: Message, path: str = "config") -> Any:
    """The options; raises `Refused` with INVALID_CONFIG.

    Limits are not held against the bounds that players have: a view may come from a tournament.
    """
    if has_unknown(message):
        raise Refused("INVALID_CONFIG", path, "an option is not known")
    try:
        config = wire.config_from(message)
        game.check_config(config)
    except (InvalidConfig, Malformed) as error:
        option, problem = misfit(message, error)
        raise Refused("INVALID_CONFIG", f"{path}.{option}", problem) from error
    return config


def view_of(game: AnyGame, wire: WireGame, request: Any) -> Any:
    """The view of a request; raises `Refused`. Whether its parts fit is the game's to check."""
    if not request.HasField("view"):
        raise malformed("view", "must be set")
    config_of(game, wire, request.view.config, "view.config")
    with under("view"):
        return wire.view_from(request.view)


def advice(
    decide: Callable[[Any, random.Random], Any], view: Any, wire: WireGame, request: Any
) -> tuple[Any, int]:
    """What the policy would do, as a message, and the decision it answers; None where nothing."""
    seed = request.seed if request.HasField("seed") else None
    action = decide(view, random.Random(seed))
    if action is None:
        return None, 0
    return wire.action_to(action), action.decision


_PLACES: Final = {
    "board": "table.boards",
    "deadline": "table.deadline",
    "ending": "table.ending",
    "entry": "table.history",
    "options": "prompt.options",
    "record": "table.history",
    "river": "table.river",
    "score": "table.history.win.scores",
    "tally": "table.tallies",
    "transfer": "table.history.transfers",
    "trick": "table.trick",
    "turn": "table.turn",
    "win": "table.history.win",
}
"""Where a message stands in a view, by the word that its decoder begins the field's name with."""


def _below(path: str, field: str) -> str:
    """The path of a field that its decoder names in its own way.

    >>> _below("view", "view.seat"), _below("view", "trick.seat"), _below("view", "decision")
    ('view.seat', 'view.table.trick.seat', 'view.decision')
    """
    if field == path or field.startswith(f"{path}."):
        return field
    first, dot, rest = field.partition(".")
    return f"{path}.{_PLACES.get(first, first)}{dot}{rest}"
