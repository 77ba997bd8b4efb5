"""What the laws need to know about one game beyond the `Game` interface."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Protocol

from hypothesis import strategies as st

from parlor.rules.game import AnyGame, Audience, Seat
from parlor.wire.game import WireGame


class Adapter(Protocol):
    """One game, or one rule set of a game."""

    name: str
    game: AnyGame
    wire: WireGame
    zero_sum: bool

    def configs(self) -> st.SearchStrategy[Any]:
        """Valid configs of every kind."""

    def weigh(self, action: Any) -> float:
        """How often a random walk takes a legal action, relative to the others."""

    def conserved(self, state: Any) -> bool:
        """Whether everything that the game began with is still there, once."""

    def redeal(self, state: Any, audience: Audience, rng: Random) -> Any:
        """A state that differs at most in what is hidden from `audience`."""

    def discloses(self, events: Sequence[Any]) -> bool:
        """Whether complete events show something that was hidden before."""

    def unseen(self, state: Any, audience: Audience) -> Iterator[tuple[Seat, Any, bool]]:
        """Legal actions that `audience` must not notice now.

        With each, whether it must not notice later either, up to the table's next deadline.
        """

    def mutated(self, state: Any, seat: Seat, rng: Random) -> Iterator[Any]:
        """Actions of every kind, most of which the rules refuse."""

    def is_among(self, action: Any, listed: Sequence[Any], state: Any, seat: Seat) -> bool:
        """Whether `action` is one of those listed, or is represented by one of them."""
