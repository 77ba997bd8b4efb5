"""What a game says of its players' strength: OpenSkill's Plackett-Luce model, for every kind of game.

One model for two players, for a landlord against two peasants and for four players who each come in
somewhere. It is a function of the sides and of what was known before; what it is applied to, and
that it is applied once, is the filing's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

from parlor.rules.game import Seat, Side

# A rating never becomes less certain by a game, so that whoever wins never sinks on a leaderboard.
_MODEL: Final = PlackettLuce(limit_sigma=True)


@dataclass(frozen=True, slots=True)
class Strength:
    """What is known of a player's strength."""

    mu: float = 25.0
    """The estimate."""
    sigma: float = 25.0 / 3
    """How uncertain it is, as a standard deviation."""

    @property
    def ordinal(self) -> float:
        """What the player is worth almost surely; leaderboards are ordered by it."""
        return self.mu - 3 * self.sigma


BEGINNER: Final = Strength()


def after(sides: Sequence[Side], before: Mapping[Seat, Strength]) -> dict[Seat, Strength]:
    """The strengths of all seats after a game; `sides` names every seat of `before` once.

    The model adds up the strengths of a side. A landlord, who has more cards and the lead in place
    of a partner, would always be the underdog so, and gain by a win three times what a loss costs:
    a smaller side's members count again until the sides are equal in number.

    >>> alone, pair = Side(seats=(Seat(0),), rank=2), Side(seats=(Seat(1), Seat(2)), rank=1)
    >>> new = after([pair, alone], {Seat(0): BEGINNER, Seat(1): BEGINNER, Seat(2): BEGINNER})
    >>> round(new[Seat(1)].mu - 25, 3), round(new[Seat(0)].mu - 25, 3)
    (1.964, -1.964)
    """
    size = max(len(side.seats) for side in sides)
    teams = [[side.seats[place % len(side.seats)] for place in range(size)] for side in sides]
    rated = _MODEL.rate(
        [[_MODEL.rating(before[seat].mu, before[seat].sigma) for seat in team] for team in teams],
        ranks=[side.rank for side in sides],
    )
    # A seat that counts twice comes out the same twice.
    return {
        seat: Strength(new.mu, new.sigma)
        for team, ratings in zip(teams, rated, strict=True)
        for seat, new in zip(team, ratings, strict=True)
    }
