"""What a simulated player has to know of each game: short limits, a legal move, its own record."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Protocol

from parlor.cli.doudizhu import DouDizhuTable
from parlor.v1.room_pb2 import GameConfig


class SimulatedGame(Protocol):
    """One game, as simulated players play it."""

    def config(self, rule_set: str, **limits: int) -> GameConfig:
        """The options, with limits as short as players may choose."""

    def decision(self, view: Any) -> int:
        """The decision that the view's seat is asked for; 0 for none."""

    def choose(self, view: Any, chance: Any) -> Any:
        """A legal answer to the decision, chosen at random."""

    def mark(self, action: Any) -> str:
        """How an answer shows in the public history."""

    def record(self, view: Any, seat: int) -> Counter[str]:
        """The marks of all that the seat did by itself in the game so far."""


GAMES: Final[Mapping[str, SimulatedGame]] = {"doudizhu": DouDizhuTable()}
