"""The clocks of a room: its game's and its own, the earliest first."""

from dataclasses import dataclass, replace

from parlor.engine import events, gathering, turns, votes
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord, Status
from parlor.engine.seating import stood_up
from parlor.engine.step import Happening, LogLine, Step
from parlor.v1.room_pb2 import CloseReason


@dataclass(frozen=True, slots=True)
class Due:
    """The earliest clock of a room."""

    at: int
    """Its instant in ms."""
    clock: str
    """`game`, `vote`, `ready`, `seat`, `idle` or `still`."""


def earliest(host: Host, room: Room) -> Due | None:
    """The clock that runs out first; None where nothing runs. Equal instants keep the order of `Due.clock`."""
    record = room.record
    if record.status is Status.FAULTED:
        return None
    running = []
    if record.status is Status.PLAYING:
        running += [Due(clock.due, "game") for clock in host.game.clocks(room.state)[:1]]
    if record.vote is not None:
        running.append(Due(record.vote.due, "vote"))
    if record.ready_due:
        running.append(Due(record.ready_due, "ready"))
    if record.status is not Status.PLAYING and (seat_due := gathering.earliest_ready_due(record)):
        running.append(Due(seat_due, "seat"))
    if record.idle_due:
        running.append(Due(record.idle_due, "idle"))
    if record.still_due:
        running.append(Due(record.still_due, "still"))
    return min(running, key=lambda due: due.at, default=None)


def run_out(host: Host, room: Room, due: Due) -> Step:
    """What follows when `due`, the room's earliest clock, runs out, dated at its instant."""
    record = room.record
    match due.clock:
        case "game":
            transition = host.game.advance(room.state, due.at)
            line = LogLine(what="clock", game_no=record.game_no)
            return turns.moved(host, room, transition, line, due.at)
        case "vote" if record.vote is not None:
            return votes.run_out(host, room, record.vote, due.at)
        case "ready":
            late = tuple(
                index for index, seat in enumerate(record.seats) if not seat.free and not seat.ready
            )
            return stood_up(room.but(ready_due=0), late)
        case "seat":
            return stood_up(room, gathering.late(record, due.at))
        case "idle" | "still":
            reason = CloseReason.CLOSE_REASON_IDLE
            closed = events.room_closed(reason)
            freed = tuple(seat.player for seat in record.seats if not seat.free and not seat.left)
            return Step(room=room, happenings=(closed,), freed=freed, closes=reason)
        case _:
            raise AssertionError(due.clock)


def moved(room: Room, lost_ms: int) -> Step:
    """The room's own limits that wait for players, moved by a time in which nobody could act.

    Not that of the unused room: it waits for nobody.
    """
    record = room.record
    happenings: tuple[Happening, ...] = ()
    if record.vote is not None:
        vote = replace(record.vote, due=record.vote.due + lost_ms)
        room, happenings = room.but(vote=vote), (events.dissolve_changed(vote),)
    if record.still_due:
        room = room.but(still_due=record.still_due + lost_ms)
    if record.ready_due:
        room = room.but(ready_due=record.ready_due + lost_ms)
        # The phase opens anew with the later limit, and who was ready still is.
        ready = (
            events.seat_changed(index, seat)
            for index, seat in enumerate(record.seats)
            if seat.ready
        )
        happenings = (*happenings, events.ready_opened(room.record), *ready)
    seats = tuple(gathering.moved(seat, lost_ms) for seat in record.seats)
    later = tuple(
        events.seat_changed(index, seat) for index, seat in enumerate(seats) if seat.ready_due
    )
    if later:
        room, happenings = room.but(seats=seats), (*happenings, *later)
    return Step(room=room, happenings=happenings)


def idle_due(host: Host, record: RoomRecord, at: int) -> int:
    """When the room closes unless it is used; 0 while a game runs or a person is connected."""
    used = record.status is Status.PLAYING or any(s.online and not s.bot for s in record.seats)
    if used or record.status is Status.FAULTED:
        return 0
    limits = host.limits
    limit = limits.open_idle_ms if record.status is Status.OPEN else limits.finished_idle_ms
    return record.idle_due or at + limit
