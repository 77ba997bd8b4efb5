"""The public side of a game: what every audience knows, spectators included (RULES.md 8).

`State` and every `View` hold the same `Table`, so that what is public has one form.
"""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from parlor.rules.doudizhu.combos import Reading
from parlor.rules.game import Seat

Flags = tuple[bool, bool, bool]
"""A claim about each seat."""

NOBODY: Flags = (False, False, False)

_SEAT_0 = Seat(0)


class Phase(enum.Enum):
    """Where a game stands."""

    BIDDING = "BIDDING"
    DOUBLING = "DOUBLING"
    PLAYING = "PLAYING"
    OVER = "OVER"


class Question(enum.Enum):
    """What the table asks a seat."""

    BID = "BID"
    CALL = "CALL"
    ROB = "ROB"
    DOUBLE = "DOUBLE"
    PLAY = "PLAY"


class Act(enum.Enum):
    """What a line of the history records."""

    DEAL = "DEAL"
    BID = "BID"
    CALL = "CALL"
    ROB = "ROB"
    PLAY = "PLAY"
    PASS = "PASS"  # noqa: S105 - no password


class Entry(NamedTuple):
    """One line of the public history.

    A named tuple, since it is stored as an array: a history of objects would be most of a record.
    """

    act: Act
    seat: Seat
    """Who did it; the first to be asked, for a deal."""
    number: int = 0
    """The deal's number, the bid, or 1 for a call or rob that was made."""
    cards: tuple[int, ...] = ()
    reading: Reading | None = None
    auto: bool = False
    """Whether the clock acted for the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """What the table waits for, and until when."""

    question: Question
    seats: tuple[Seat, ...]
    """The seats asked, ascending. In doubling all three, whoever has answered in secret."""
    due: int
    """The instant at which the default is taken, in ms of the server's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """The play to beat."""

    seat: Seat
    cards: tuple[int, ...]
    reading: Reading


class EndReason(enum.Enum):
    """Why a game ended."""

    OUT = "OUT"
    """A seat has no cards left."""
    SURRENDER = "SURRENDER"
    DISSOLVED = "DISSOLVED"
    """The players voted to stop; nobody wins or pays."""


class Spring(enum.Enum):
    """Whether one side hardly played, which doubles the score (RULES.md 6.4)."""

    NONE = "NONE"
    SPRING = "SPRING"
    """No peasant has made a play (春天)."""
    ANTI_SPRING = "ANTI_SPRING"
    """The landlord has made one play at most (反春)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a game ended."""

    reason: EndReason
    seat: Seat | None
    """Who went out or surrendered; None where neither ended it."""
    winners: tuple[Seat, ...]
    scores: tuple[int, int, int]
    unit: int
    """What one undoubled peasant pays or gets; the base score in the classic rule set."""
    spring: Spring


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All that is public about a running game."""

    phase: Phase
    deal: int = 0
    """Number of the current deal, from 1."""
    first: Seat = _SEAT_0
    """The first bidder of the deal, or the first leader."""
    counts: tuple[int, int, int] = (0, 0, 0)
    """Cards in each hand."""
    bottom: tuple[int, ...] = ()
    """The bottom cards (底牌) once the landlord is known."""
    spoken: Flags = NOBODY
    """Who has had its last word in this deal's bidding."""
    bidder: Seat | None = None
    """Who would be landlord now: the highest bidder, or the last that called or robbed."""
    bid: int = 0
    """The highest bid so far; 1 once somebody called."""
    robs: int = 0
    landlord: Seat | None = None
    doubled: Flags | None = None
    """Who doubled, once all have chosen."""
    shown: bool = False
    """Whether the landlord's hand lies open."""
    plays: tuple[int, int, int] = (0, 0, 0)
    bombs: int = 0
    """Bombs and rockets played so far."""
    trick: Trick | None = None
    """None where the seat on turn leads."""
    passes: int = 0
    """Passes since the last play."""
    online: Flags = (True, True, True)
    autoplay: Flags = NOBODY
    left: Flags = NOBODY
    deadline: Deadline | None = None
    history: tuple[Entry, ...] = ()
    """Every deal, bid, play and pass of the game, thrown-in deals included."""
    ending: Ending | None = None


def with_flag(flags: Flags, seat: Seat, value: bool) -> Flags:
    """The flags with that of `seat` set to `value`."""
    first, second, third = (value if place == seat else flag for place, flag in enumerate(flags))
    return first, second, third


def raised(numbers: tuple[int, int, int], seat: Seat, by: int) -> tuple[int, int, int]:
    """The numbers with that of `seat` raised by `by`."""
    first, second, third = (n + by if place == seat else n for place, n in enumerate(numbers))
    return first, second, third
