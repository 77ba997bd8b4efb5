"""The limits of a table that gathers, in games that bound the wait for the first one.

Each seat has to be ready in time, from sitting down or from taking it back; and a room closes that
waits although nobody comes or goes. Matched players have the time to connect instead.
"""

from dataclasses import replace

from msgspec import UNSET, UnsetType

from parlor.engine import events
from parlor.engine.host import Host
from parlor.engine.record import RoomRecord, SeatRecord, Status
from parlor.engine.step import Step


def ready_due(host: Host, config: bytes, at: int) -> int | UnsetType:
    """Until when a seat has to be ready that is not, from `at` on; unset where the game sets it no limit."""
    return at + host.game.ready_ms(host.config(config)) if host.game.bounds_waiting else UNSET


def still_due(host: Host, before: RoomRecord, record: RoomRecord, at: int) -> int | UnsetType:
    """When the room closes unless somebody sits down or stands up, after a step from `before` at `at`."""
    if record.status is not Status.OPEN or record.matched or not host.game.bounds_waiting:
        return UNSET
    if record.still_due is UNSET or _players(before) != _players(record):
        return at + host.limits.still_ms
    return record.still_due


def bounded(host: Host, step: Step, at: int) -> Step:
    """The step with limits also for seats that a release without them has seated: from this step on, at `at`."""
    record = step.room.record
    if record.still_due is not UNSET or still_due(host, record, record, at) is UNSET:
        return step
    due = ready_due(host, record.config, at)
    room, happenings = step.room, step.happenings
    for index, seat in enumerate(record.seats):
        if not seat.free and not seat.ready and seat.ready_due is UNSET:
            asked = replace(seat, ready_due=due)
            room = room.with_seat(index, asked)
            happenings = (*happenings, events.seat_changed(index, asked))
    return replace(step, room=room, happenings=happenings)


def earliest_ready_due(record: RoomRecord) -> int | UnsetType:
    """The first limit of a single seat; unset where none runs."""
    return min((seat.ready_due for seat in record.seats if seat.ready_due), default=UNSET)


def late(record: RoomRecord, at: int) -> tuple[int, ...]:
    """The seats whose own limit is over at `at`."""
    return tuple(
        index for index, seat in enumerate(record.seats) if seat.ready_due and seat.ready_due <= at
    )


def moved(seat: SeatRecord, lost_ms: int) -> SeatRecord:
    """The seat with its limit, where one runs, moved by `lost_ms`."""
    return replace(seat, ready_due=seat.ready_due + lost_ms) if seat.ready_due else seat


def _players(record: RoomRecord) -> list[str]:
    return [seat.player for seat in record.seats]
