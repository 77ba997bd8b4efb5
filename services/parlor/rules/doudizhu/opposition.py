"""What the opponents can do about a play: whether it stands, and who may go out on it."""

import math
from collections.abc import Collection

from parlor.rules.doudizhu.decomposition import Part
from parlor.rules.doudizhu.unseen import Holding


class Opposition:
    """The hands that win when this seat loses."""

    def __init__(self, hands: Collection[Holding]) -> None:
        """At least one hand."""
        self._hands = hands

    @property
    def fewest(self) -> int:
        """Cards of the opponent that is closest to going out."""
        return min(holding.size for holding in self._hands)

    def stands(self, part: Part) -> float:
        """How likely no opponent beats the part with its own kind."""
        return math.prod(1 - holding.odds(part) for holding in self._hands)

    def may_beat(self, part: Part) -> bool:
        """Whether some opponent may be able to beat the part, bombs included."""
        return any(holding.may_beat(part) for holding in self._hands)

    def may_go_out_on(self, part: Part) -> float:
        """How much is to be feared that an opponent goes out on the part, from 0.

        The last cards are no random ones: who has kept several has kept what goes together.
        """
        return sum(
            math.pow(holding.odds(part), 1 / part.size)
            for holding in self._hands
            if holding.size == part.size
        )
