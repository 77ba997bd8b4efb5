"""What happens in a game, and how much of it each audience sees (RULES.md 8).

A transition holds complete events; `observe` cuts each down to what an audience may know. The
state and every view follow the same events, the public part through `chronicle.after`.
"""

import enum
from dataclasses import dataclass, replace
from typing import assert_never

from parlor.rules.game import Audience, Seat
from parlor.rules.planes.board import Plane
from parlor.rules.planes.config import Config
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.table import Ending, Revealed, ShotResult


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted:
    """Placing begins, and with it the clocks of placing and of the game."""

    config: Config
    at: int
    decision: int
    """Both seats' first decision; 0 for spectators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanePlaced:
    """One plane of a fleet, seen by its owner alone."""

    seat: Seat
    number: int
    """0..2, the server's name for the plane."""
    plane: Plane


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementCompleted:
    """A seat has placed its fleet."""

    seat: Seat
    auto: bool
    """Whether the server placed it, by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleStarted:
    """Both fleets stand; `seat` has the first turn."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A seat is on turn."""

    seat: Seat
    at: int
    remaining_ms: int
    paused: bool
    """Whether the clock stands still from the beginning: the seat is offline."""
    decision: int
    """The decision of `seat`; 0 for the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackExecuted:
    """A shot, and what it met: nothing more may be told of a hit."""

    seat: Seat
    at: int
    x: int
    y: int
    result: ShotResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneDestroyed:
    """A plane fell."""

    seat: Seat
    """Its owner."""
    attacker: Seat
    x: int
    y: int
    revealed: Revealed


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTimedOut:
    """A turn ran out."""

    seat: Seat
    consecutive: int
    """How many own turns in a row have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPaused:
    """The clock of a turn stands still: its seat is offline."""

    seat: Seat
    at: int
    remaining_ms: int


class ResumeReason(enum.Enum):
    """Why the clock of a turn runs on."""

    RECONNECT = "RECONNECT"
    BUDGET = "BUDGET"
    """The seat's pauses are used up; it is still offline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResumed:
    """The clock of a turn runs on from where it stood."""

    seat: Seat
    at: int
    remaining_ms: int
    reason: ResumeReason


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """A seat's connection was lost or came back."""

    seat: Seat
    online: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrendered:
    """A seat gave up, by word or by leaving."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksMoved:
    """The clocks that wait for a player moved by a time in which nobody could act."""

    lost_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The game is over and both fleets are open."""

    ending: Ending
    at: int
    fleets: tuple[Fleet, Fleet]
    """Empty for a seat that had not placed."""


Event = (
    GameStarted
    | PlanePlaced
    | PlacementCompleted
    | BattleStarted
    | TurnStarted
    | AttackExecuted
    | PlaneDestroyed
    | TurnTimedOut
    | TurnPaused
    | TurnResumed
    | PresenceChanged
    | Surrendered
    | ClocksMoved
    | Ended
)


def observe(event: Event, audience: Audience) -> Event | None:
    """`event` as `audience` sees it, or None where it sees nothing (RULES.md 8)."""
    match event:
        case PlanePlaced():
            return event if audience == event.seat else None
        case GameStarted():
            return event if audience is not None else replace(event, decision=0)
        case TurnStarted():
            return event if audience == event.seat else replace(event, decision=0)
        case (
            PlacementCompleted()
            | BattleStarted()
            | AttackExecuted()
            | PlaneDestroyed()
            | TurnTimedOut()
            | TurnPaused()
            | TurnResumed()
            | PresenceChanged()
            | Surrendered()
            | ClocksMoved()
            | Ended()
        ):
            return event
        case _:
            assert_never(event)
