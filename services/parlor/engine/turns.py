"""What happens to a running game: it starts, seats act, clocks run out or move, connections come and go, it ends."""

from dataclasses import replace
from typing import Any

import msgspec
from msgspec import UNSET

from parlor.engine import events
from parlor.engine.finished import finished_game
from parlor.engine.host import Host
from parlor.engine.record import Result, Room, RoomRecord, SeatRecord, Status
from parlor.engine.replay import Start, begun, sitters_of
from parlor.engine.seating import rehosted
from parlor.engine.step import GameEvent, Happening, LogLine, Step
from parlor.rules.game import Outcome, Seat, Transition


def start(host: Host, step: Step, at: int) -> Step:
    """The next game begins, dealt from the committed seed and what the seats contributed."""
    record = step.room.record
    begin = Start(
        config=record.config,
        seed=record.seed,
        entropy=tuple(seat.entropy for seat in record.seats),
        offline=tuple(index for index, seat in enumerate(record.seats) if not seat.online),
        rules=host.game.rules,
        sitters=sitters_of(record.seats),
    )
    state, happened = begun(host, begin, at)
    room = replace(
        step.room.but(
            status=Status.PLAYING,
            game_no=record.game_no + 1,
            rules=host.game.rules,
            ready_due=0,
        ),
        state=state,
    )
    line = LogLine(what="start", game_no=room.record.game_no, body=msgspec.msgpack.encode(begin))
    started = replace(
        step,
        room=room,
        happenings=(*step.happenings, events.game_started(room.record), *map(GameEvent, happened)),
        line=line,
    )
    return _settled(host, started, at)


def moved(host: Host, room: Room, transition: Transition[Any, Any], line: LogLine, at: int) -> Step:
    """The step that a transition of the game makes, with the end of the game where it is one."""
    step = Step(
        room=replace(room, state=transition.state),
        happenings=tuple(map(GameEvent, transition.events)),
        line=line,
    )
    return _settled(host, step, at)


def act(host: Host, room: Room, seat: Seat, action: Any, encoded: bytes, at: int) -> Step:
    """A seat acts; raises IllegalAction where the rules refuse."""
    transition = host.game.apply(room.state, seat, action, at)
    line = LogLine(what="act", game_no=room.record.game_no, seat=seat, body=encoded)
    return moved(host, room, transition, line, at)


def presence(host: Host, room: Room, seat: Seat, content: SeatRecord, at: int) -> Step:
    """A seat's connection came or went: `content` is the seat as it is now."""
    was = room.record.seats[seat]
    room = room.with_seat(seat, content)
    if was.online == content.online:
        # Only the number of the connection is new: kept, so that the end of an older one is ignored.
        return Step(room=room)
    seen: tuple[Happening, ...] = (events.seat_changed(seat, content),)
    if room.record.status is not Status.PLAYING:
        return Step(room=room, happenings=seen)
    transition = host.game.on_presence(room.state, seat, content.online, at)
    line = LogLine(
        what="presence", game_no=room.record.game_no, seat=seat, body=bytes([content.online])
    )
    step = moved(host, room, transition, line, at)
    return replace(step, happenings=seen + step.happenings)


def leave(host: Host, room: Room, seat: Seat, at: int) -> Step:
    """A player leaves a running game for good; the name stays until it ends."""
    gone = replace(room.record.seats[seat], left=True, online=False)
    transition = host.game.on_leave(room.state, seat, at)
    line = LogLine(what="leave", game_no=room.record.game_no, seat=seat)
    step = moved(host, room.with_seat(seat, gone), transition, line, at)
    return replace(step, happenings=(events.seat_changed(seat, gone), *step.happenings))


def outage(host: Host, room: Room, lost_ms: int, at: int) -> Step:
    """The game's limits move by a time in which nobody could act."""
    transition = host.game.on_outage(room.state, lost_ms, at)
    line = LogLine(what="outage", game_no=room.record.game_no, body=str(lost_ms).encode())
    return moved(host, room, transition, line, at)


def dissolve(host: Host, room: Room, at: int) -> Step:
    """The game ends by the players' vote."""
    line = LogLine(what="stop", game_no=room.record.game_no)
    return moved(host, room, host.game.dissolve(room.state, at), line, at)


def _settled(host: Host, step: Step, at: int) -> Step:
    outcome = host.game.outcome(step.room.state)
    return step if outcome is None else _ended(host, step, outcome, at)


def _ended(host: Host, step: Step, outcome: Outcome, at: int) -> Step:
    """The game is over: its seed is revealed, a new one committed to, and a ready phase opens."""
    record = step.room.record
    result = Result(
        game_no=record.game_no,
        reason=outcome.reason,
        winners=tuple(outcome.winners),
        scores=tuple(outcome.scores),
        seed=record.seed,
        entropy=tuple(seat.entropy for seat in record.seats),
    )
    room = step.room.but(
        status=Status.FINISHED,
        result=result,
        seed=host.seed(),
        seats=tuple(_after_game(seat) for seat in record.seats),
        ready_due=at + host.game.ready_ms(host.config(record.config)),
        vote=None,
    )
    emptied = tuple(
        events.seat_changed(index, room.record.seats[index])
        for index, seat in enumerate(record.seats)
        if seat.left
    )
    room, hosted = rehosted(room)
    happenings = (
        *step.happenings,
        events.game_ended(result),
        events.ready_opened(room.record),
        *emptied,
        *hosted,
    )
    finished = finished_game(host, record, outcome, result, at)
    return replace(
        step, room=room, happenings=happenings, finished=finished, line=_last(step.line, record)
    )


def _last(line: LogLine | None, record: RoomRecord) -> LogLine | None:
    """The line that ended the game: it says who sat, where the first one does not."""
    if line is None or not any(seat.took_over for seat in record.seats):
        return line
    return replace(line, sitters=msgspec.msgpack.encode(sitters_of(record.seats)))


def _after_game(seat: SeatRecord) -> SeatRecord:
    if seat.left:
        return SeatRecord()
    return replace(seat, ready=False, entropy=b"", took_over=UNSET)
