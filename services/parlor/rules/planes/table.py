"""The public side of a game: what every audience knows, spectators included (RULES.md 8).

`State` and every `View` hold the same `Table`, so that what is public has one form.
"""

import enum
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from parlor.rules.game import Seat
from parlor.rules.planes.board import Direction, cell, cell_set

SEATS = 2
BOTH = (Seat(0), Seat(1))

Item = TypeVar("Item")


class Phase(enum.Enum):
    """Where a game stands."""

    PLACING = "PLACING"
    BATTLING = "BATTLING"
    OVER = "OVER"


class ShotResult(enum.Enum):
    """What a shot met. A hit never tells which plane, nor which part of it."""

    MISS = "MISS"
    HIT = "HIT"
    DESTROY = "DESTROY"


class Shot(NamedTuple):
    """One accepted attack. A named tuple, since it is stored as an array."""

    x: int
    y: int
    result: ShotResult


class Revealed(NamedTuple):
    """What a fallen plane shows to everybody."""

    x: int
    """Row of its head."""
    y: int
    direction: Direction | None
    """None where only the head is revealed (RULES.md 4.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What is known of one seat's board."""

    shots: tuple[Shot, ...] = ()
    """The opponent's shots, in order."""
    revealed: tuple[Revealed, ...] = ()
    """The planes that fell, by row and column of the head: the order of placing must not show."""

    def attacked(self) -> int:
        """The cells shot at, as a set."""
        return cell_set(cell(shot.x, shot.y) for shot in self.shots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One seat's counts (RULES.md 7)."""

    attacks: int = 0
    """Accepted attacks."""
    hits: int = 0
    """Those that met a plane, whether or not it fell."""
    destroyed: int = 0
    """Planes of the opponent that it brought down."""
    accuracy: int = 0
    """Hits per attack in hundredths of a percent, rounded half up; 0 without attacks."""
    time_used_ms: int = 0
    """Of its own finished turns, pauses not counted."""
    timeouts: int = 0
    consecutive: int = 0
    """Own turns that ran out since its last attack."""
    pause_budget_ms: int = 0
    """What is left of it; while a turn stands still, what was left when the pause began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whose turn it is, and its clock."""

    seat: Seat
    limit_ms: int
    """What the turn began with."""
    remaining_ms: int
    """What was left at `since`."""
    since: int
    """When the clock began to run or to stand still as it does now."""
    paused: bool
    """Whether it stands still because the seat is offline."""

    @property
    def due(self) -> int | None:
        """When the turn runs out; None while its clock stands still."""
        return None if self.paused else self.since + self.remaining_ms

    def left_at(self, at: int) -> int:
        """What is left of the turn at `at`."""
        return self.remaining_ms if self.paused else self.remaining_ms - max(0, at - self.since)

    def paused_for(self, at: int) -> int:
        """How long the clock has stood still by `at` in this pause."""
        return max(0, at - self.since) if self.paused else 0


class EndReason(enum.Enum):
    """Why a game ended."""

    ALL_PLANES_DESTROYED = "ALL_PLANES_DESTROYED"
    TIME_LIMIT = "TIME_LIMIT"
    SURRENDER = "SURRENDER"
    TIMEOUT_FORFEIT = "TIMEOUT_FORFEIT"
    BOTH_ABSENT = "BOTH_ABSENT"
    PLACEMENT_TIMEOUT = "PLACEMENT_TIMEOUT"
    DISSOLVED = "DISSOLVED"
    """The players voted to stop: a draw."""


class DecidedBy(enum.Enum):
    """What decided a game that ran out of time."""

    PLANES = "PLANES"
    ACCURACY = "ACCURACY"
    DRAW = "DRAW"
    """Nothing: equal in both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a game ended; the counts stand in the table."""

    reason: EndReason
    winner: Seat | None
    """None for a draw."""
    decided_by: DecidedBy | None
    """Set for `TIME_LIMIT` alone."""
    duration_ms: int
    """From the beginning of placing."""
    moves: int
    """Accepted attacks of both seats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All that is public about a game."""

    phase: Phase = Phase.PLACING
    started: int = 0
    """When placing began."""
    placing_due: int | None = None
    """When placing is over; None once it is."""
    game_due: int = 0
    """When the whole game is over."""
    placed: tuple[bool, bool] = (False, False)
    auto_placed: tuple[bool, bool] = (False, False)
    """Whose fleet the server placed."""
    online: tuple[bool, bool] = (True, True)
    first: Seat | None = None
    """Who had the first turn; None before the battle."""
    turn: Turn | None = None
    boards: tuple[Board, Board] = (Board(), Board())
    """By owner."""
    tallies: tuple[Tally, Tally] = (Tally(), Tally())
    ending: Ending | None = None


BEFORE_START = Table()
"""What is public before the first event."""


def opponent(seat: Seat) -> Seat:
    """The other seat."""
    return BOTH[1 - seat]


def with_item(items: tuple[Item, Item], seat: Seat, item: Item) -> tuple[Item, Item]:
    """The items with that of `seat` replaced."""
    return (item, items[1]) if seat == 0 else (items[0], item)
