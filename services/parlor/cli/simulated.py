"""What a simulated player has to know of each game: short limits, a legal move, its own record."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Protocol

from parlor.cli.doudizhu import DouDizhuTable
from parlor.cli.history import History
from parlor.cli.jinxian import JinxianTable
from parlor.cli.planes import PlanesTable
from parlor.v1.room_pb2 import GameConfig


class SimulatedGame(Protocol):
    """One game, as simulated players play it."""

    rule_sets: tuple[str, ...]
    """What `config` knows by name, the usual one first."""
    timeout_in: int
    """Of so many turns one runs out on average: a few in each game."""

    def config(self, rule_set: str, **limits: int) -> GameConfig:
        """The options, with limits as short as players may choose where `limits` has no others."""

    def decision(self, view: Any) -> int:
        """The decision that the view's seat is asked for; 0 for none."""

    def choose(self, view: Any, chance: Any) -> Any:
        """A legal answer to the decision, chosen at random."""

    def mark(self, action: Any) -> str:
        """How an answer shows in what the game says of itself."""

    def record(self, view: Any, seat: int, history: History) -> Counter[str] | None:
        """The marks of all that the seat did by itself in the game so far.

        From the last view where the game keeps it there, else from the steps: None where some of
        those were not heard.
        """


GAMES: Final[Mapping[str, SimulatedGame]] = {
    "doudizhu": DouDizhuTable(),
    "jinxian": JinxianTable(),
    "planes": PlanesTable(),
}
