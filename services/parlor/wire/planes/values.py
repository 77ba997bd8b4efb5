"""The small values that actions, events and views share."""

from collections.abc import Sequence
from typing import TypeVar

from parlor.rules.game import Seat
from parlor.rules.planes.board import Direction, Plane
from parlor.rules.planes.events import ResumeReason
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.table import (
    SEATS,
    DecidedBy,
    Ending,
    EndReason,
    Phase,
    Revealed,
    ShotResult,
)
from parlor.rules.planes.view import Question
from parlor.v1 import planes_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.enums import EnumNumbers
from parlor.wire.seats import seat
from parlor.wire.times import duration, milliseconds

DIRECTIONS = EnumNumbers(
    Direction, lambda name: pb.PlanesDirection.Value(f"PLANES_DIRECTION_{name}")
)
PHASES = EnumNumbers(Phase, lambda name: pb.PlanesPhase.Value(f"PLANES_PHASE_{name}"))
QUESTIONS = EnumNumbers(Question, lambda name: pb.PlanesQuestion.Value(f"PLANES_QUESTION_{name}"))
RESULTS = EnumNumbers(
    ShotResult, lambda name: pb.PlanesShotResult.Value(f"PLANES_SHOT_RESULT_{name}")
)
RESUME_REASONS = EnumNumbers(
    ResumeReason, lambda name: pb.PlanesResumeReason.Value(f"PLANES_RESUME_REASON_{name}")
)
END_REASONS = EnumNumbers(
    EndReason, lambda name: pb.PlanesEndReason.Value(f"PLANES_END_REASON_{name}")
)
DECIDERS = EnumNumbers(
    DecidedBy, lambda name: pb.PlanesDecidedBy.Value(f"PLANES_DECIDED_BY_{name}")
)

Item = TypeVar("Item")


def two(items: Sequence[Item], field: str) -> tuple[Item, Item]:
    """The items as one per seat; raises `Malformed` where they are not two."""
    if len(items) != SEATS:
        raise Malformed(field, f"must be one for each of {SEATS} seats, not {len(items)}")
    return items[0], items[1]


def seat_of(number: int, field: str) -> Seat:
    """The number as a seat."""
    return seat(number, field, seats=SEATS)


def direction_to(direction: Direction | None) -> "pb.PlanesDirection.ValueType":
    """The direction's number; unspecified for None."""
    if direction is None:
        return pb.PLANES_DIRECTION_UNSPECIFIED
    return DIRECTIONS.number(direction)


def plane_to(plane: Plane) -> pb.PlanesPlane:
    """One plane."""
    return pb.PlanesPlane(x=plane.x, y=plane.y, direction=DIRECTIONS.number(plane.direction))


def plane_from(message: pb.PlanesPlane, field: str) -> Plane:
    """One plane."""
    direction = DIRECTIONS.member(message.direction, f"{field}.direction")
    return Plane(x=message.x, y=message.y, direction=direction)


def fleets_to(fleets: tuple[Fleet, Fleet]) -> list[pb.PlanesFleet]:
    """Fleets by seat, hidden ones empty."""
    return [pb.PlanesFleet(planes=[plane_to(plane) for plane in fleet]) for fleet in fleets]


def fleets_from(messages: Sequence[pb.PlanesFleet], field: str) -> tuple[Fleet, Fleet]:
    """Fleets by seat, hidden ones empty."""
    first, second = two(messages, field)
    return (
        tuple(plane_from(plane, field) for plane in first.planes),
        tuple(plane_from(plane, field) for plane in second.planes),
    )


def revealed_to(revealed: Revealed) -> pb.PlanesRevealed:
    """What a fallen plane shows."""
    return pb.PlanesRevealed(x=revealed.x, y=revealed.y, direction=direction_to(revealed.direction))


def revealed_from(message: pb.PlanesRevealed, field: str) -> Revealed:
    """What a fallen plane shows."""
    number = message.direction
    direction = DIRECTIONS.member(number, f"{field}.direction") if number else None
    return Revealed(message.x, message.y, direction)


def ending_to(ending: Ending) -> pb.PlanesEnding:
    """How a game ended."""
    return pb.PlanesEnding(
        reason=END_REASONS.number(ending.reason),
        winner=ending.winner,
        decided_by=DECIDERS.number(ending.decided_by)
        if ending.decided_by
        else pb.PLANES_DECIDED_BY_UNSPECIFIED,
        duration=duration(ending.duration_ms),
        moves=ending.moves,
    )


def ending_from(message: pb.PlanesEnding) -> Ending:
    """How a game ended."""
    number = message.decided_by
    return Ending(
        reason=END_REASONS.member(message.reason, "ending.reason"),
        winner=seat_of(message.winner, "ending.winner") if message.HasField("winner") else None,
        decided_by=DECIDERS.member(number, "ending.decided_by") if number else None,
        duration_ms=milliseconds(message.duration, "ending.duration"),
        moves=message.moves,
    )
