"""Who sits where, and who of them is the host."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from msgspec import UNSET, UnsetType

from parlor.engine import events
from parlor.engine.record import Room, RoomRecord, SeatRecord
from parlor.engine.step import Happening, Step


def seated(room: Room, index: int, seat: SeatRecord) -> Step:
    """A player takes a free seat, or that of a bot, whose place is free then."""
    before = room.record.seats
    freed = () if before[index].free else (before[index].player,)
    room = room.but(seniority=_behind_others(room.record, index))
    room = _told_apart(room.with_seat(index, seat))
    changed = tuple(
        events.seat_changed(place, now)
        for place, (then, now) in enumerate(zip(before, room.record.seats, strict=True))
        if now != then
    )
    room, hosted = rehosted(room)
    return Step(room=room, happenings=(*changed, *hosted), freed=freed)


def taken_over(room: Room, index: int, player: str, name: str) -> Step:
    """A person takes a bot's seat in a running game, which is asked nothing: its clocks run on.

    What the seat gave to the draws stays, for the game was dealt from it. Until the person's
    connection is heard of, the seat is offline to everybody, but not to the game: nobody has to wait
    for who has only just come.
    """
    record, was = room.record, room.record.seats[index]
    seat = replace(
        was, player=player, name=name, bot=False, online=False, connection=0, took_over=True
    )
    ended: tuple[Happening, ...] = ()
    if record.vote is not None and index in record.vote.agreed:
        # Nobody has agreed to what another said.
        room, ended = room.but(vote=None), (events.dissolve_changed(None),)
    step = seated(room, index, seat)
    return replace(step, happenings=(*step.happenings, *ended))


def stood_up(room: Room, indexes: tuple[int, ...]) -> Step:
    """The players of these seats are seated no more; their places are free."""
    freed = tuple(room.record.seats[index].player for index in indexes)
    for index in indexes:
        room = room.with_seat(index, SeatRecord())
    changed = tuple(events.seat_changed(index, SeatRecord()) for index in indexes)
    room, hosted = rehosted(room)
    return Step(room=room, happenings=(*changed, *hosted), freed=freed)


def swapped(room: Room, first: int, second: int) -> Step:
    """Two seats exchange their contents; the host's role and the seniority go with the players."""
    seats = room.record.seats
    places = {first: second, second: first}
    seniority = _written([places.get(index, index) for index in _taken(room.record)])
    host = room.record.host
    if host is not None:
        host = places.get(host, host)
    moved = room.with_seat(first, seats[second]).with_seat(second, seats[first])
    moved = moved.but(host=host, seniority=seniority)
    changed: tuple[Happening, ...] = (
        events.seat_changed(first, seats[second]),
        events.seat_changed(second, seats[first]),
    )
    if host != room.record.host:
        changed = (*changed, events.host_changed(host))
    return Step(room=moved, happenings=changed)


def _told_apart(room: Room) -> Room:
    """The room in which no bot goes by the name of anybody else."""
    names = {seat.name for seat in room.record.seats if not (seat.bot or seat.free)}
    for index, seat in enumerate(room.record.seats):
        if not seat.bot:
            continue
        name = next(name for name in _variants(seat.name) if name not in names)
        names.add(name)
        room = room.with_seat(index, replace(seat, name=name))
    return room


def _variants(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))


def rehosted(room: Room) -> tuple[Room, tuple[Happening, ...]]:
    """The room with a host who sits: the one it has, else the longest seated who could be."""
    record = room.record
    if record.host is not None and _can_host(record.seats[record.host]):
        return room, ()
    host = first_host(record.seats, record.seniority)
    if host == record.host:
        return room, ()
    return replace(room, record=replace(record, host=host)), (events.host_changed(host),)


def first_host(
    seats: tuple[SeatRecord, ...], seniority: tuple[int, ...] | UnsetType = UNSET
) -> int | None:
    """The longest seated person who stays; None without one."""
    order = range(len(seats)) if seniority is UNSET else seniority
    return next((index for index in order if _can_host(seats[index])), None)


def _can_host(seat: SeatRecord) -> bool:
    return not seat.free and not seat.left and not seat.bot


def _taken(record: RoomRecord) -> list[int]:
    """The taken seats, the longest seated first."""
    order = range(len(record.seats)) if record.seniority is UNSET else record.seniority
    return [index for index in order if not record.seats[index].free]


def _behind_others(record: RoomRecord, index: int) -> tuple[int, ...] | UnsetType:
    """The seniority once somebody sits down at `index`."""
    return _written([*(taken for taken in _taken(record) if taken != index), index])


def _written(seniority: Sequence[int]) -> tuple[int, ...] | UnsetType:
    """As the record has it: unset where the seats are in their own order."""
    return UNSET if list(seniority) == sorted(seniority) else tuple(seniority)
