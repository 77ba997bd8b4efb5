"""What releases after the first know of a room: kept beside its record, where the first does not look.

So it reads every room whatever later ones have noted of it, and playing on, it leaves behind what
they noted. The limits and the seniority of a gathering table count only with the step that they were
written with: after one of the first release the limits begin anew with the next of a later one, and
seats are senior in their order. Who took a bot's seat over did so whoever steps, until the game ends.
"""

from dataclasses import replace
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from parlor.engine.record import RoomRecord, SeatRecord, Status


class Added(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept. A later release may know more, which this one leaves out when it steps."""

    token: bytes
    """Of the step that it was written with. A step that has nothing to add leaves in place what there is."""
    game_no: int
    took_over: dict[int, str] = {}
    """By seat, the player who took it over from a bot in the game `game_no`."""
    ready_due: dict[int, int] = {}
    """By seat, until when it has to be ready, in ms."""
    seniority: tuple[int, ...] | UnsetType = UNSET
    still_due: int | UnsetType = UNSET


_ADDED: Final = msgspec.msgpack.Decoder(Added)
_ENCODER: Final = msgspec.msgpack.Encoder()


def apart(record: RoomRecord) -> tuple[RoomRecord, bytes]:
    """The record as the first release knows it, and the rest encoded; nothing where there is no rest."""
    took_over = {index: seat.player for index, seat in enumerate(record.seats) if seat.took_over}
    ready_due = {index: seat.ready_due for index, seat in enumerate(record.seats) if seat.ready_due}
    if not took_over and not ready_due and record.seniority is record.still_due is UNSET:
        return record, b""
    added = Added(
        token=record.token,
        game_no=record.game_no,
        took_over=took_over,
        ready_due=ready_due,
        seniority=record.seniority,
        still_due=record.still_due,
    )
    seats = tuple(replace(seat, took_over=UNSET, ready_due=UNSET) for seat in record.seats)
    plain = replace(record, seats=seats, seniority=UNSET, still_due=UNSET)
    return plain, _ENCODER.encode(added)


def together(record: RoomRecord, raw: bytes) -> RoomRecord:
    """The record with what still counts of the rest; raises msgspec.ValidationError where that is none."""
    if not raw:
        return record
    added = _ADDED.decode(raw)
    is_latest = added.token == record.token
    runs = record.status is Status.PLAYING and record.game_no == added.game_no

    def whole(index: int, seat: SeatRecord) -> SeatRecord:
        took_over = runs and seat.player == added.took_over.get(index)
        ready_due = added.ready_due.get(index, UNSET) if is_latest else UNSET
        return replace(seat, took_over=took_over or UNSET, ready_due=ready_due)

    return replace(
        record,
        seats=tuple(whole(index, seat) for index, seat in enumerate(record.seats)),
        seniority=added.seniority if is_latest else UNSET,
        still_due=added.still_due if is_latest else UNSET,
    )
