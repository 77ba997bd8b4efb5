"""Ended games as everybody at the table saw them: executed again from their logs.

What a seat saw follows from the log, so nothing is stored twice, and what a client folds is what its
feed had.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from parlor.engine.events import result_message
from parlor.engine.host import Host
from parlor.engine.record import Result, RoomRecord
from parlor.engine.replay import Executed, Sitter, Start, executed, start_as_ended, start_of
from parlor.engine.step import Refused
from parlor.engine.store import RoomGone, RoomStore
from parlor.rules.chance import commitment
from parlor.rules.game import Outcome, Seat
from parlor.serving.keys import is_room_id, kind_of
from parlor.v1.archive_service_pb2 import GetLogResponse, LogLine
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.replay_pb2 import (
    ReplayPart,
    ReplaySeat,
    ReplaySight,
    ReplayStart,
    ReplayStep,
    ReplaySteps,
)
from parlor.v1.room_pb2 import Event, GameConfig
from parlor.wire.times import timestamp

PART_BYTES = 8 * 1024
"""About how much one part carries: a gateway makes JSON of it in some milliseconds."""
MOST_AT_ONCE = 4
"""Replays that are being given; more are refused, and the gateway asks another replica."""

Line = Mapping[bytes, bytes]


class Replays:
    """The ended games of one kind."""

    def __init__(self, host: Host, store: RoomStore) -> None:
        self._host = host
        self._store = store
        self._given = 0

    async def give(
        self, room_id: str, game_no: int, archived: GetLogResponse | None = None
    ) -> AsyncIterator[ReplayPart]:
        """The parts of one game, which may come from the archive; raises Refused or RoomGone before the first."""
        if not is_room_id(room_id) or kind_of(room_id) != self._host.game.kind:
            raise RoomGone(room_id)
        if self._given >= MOST_AT_ONCE:
            raise Refused(
                ErrorReason.ERROR_REASON_OVERLOADED,
                "too many replays are being given",
                {"retry_after_ms": "500"},
            )
        self._given += 1
        try:
            if archived is None:
                lines = await self._kept(room_id, game_no)
                start = start_as_ended(lines)
            else:
                lines = [_line(line) for line in archived.log.lines]
                # The archive keeps names apart from logs.
                start = msgspec.structs.replace(start_of(lines[0]), sitters=_sitters(archived))
            async for part in self._parts(room_id, game_no, lines, start):
                yield part
        finally:
            self._given -= 1

    async def _kept(self, room_id: str, game_no: int) -> Sequence[Line]:
        """The log that the room keeps."""
        record = (await self._store.load(room_id)).room.record
        _refuse_what_has_not_ended(record, game_no)
        lines = await self._store.log(room_id, game_no)
        if not lines:
            raise _no_game()
        return lines

    async def _parts(
        self, room_id: str, game_no: int, lines: Sequence[Line], start: Start
    ) -> AsyncIterator[ReplayPart]:
        host = self._host
        if start.rules not in (0, host.game.rules):
            raise Refused(ErrorReason.ERROR_REASON_NO_ENGINE, "the game was played by other rules")
        yield ReplayPart(start=_start(host, start, room_id, game_no, int(lines[0][b"at"])))
        steps, size, state = ReplaySteps(), 0, None
        for step in executed(host, lines):
            state = step.state
            seen = _seen(host, step, len(start.entropy))
            if any(sight.events for sight in seen.seats):
                steps.steps.append(seen)
                size += seen.ByteSize()
            if size >= PART_BYTES:
                yield ReplayPart(steps=steps)
                steps, size = ReplaySteps(), 0
            # A whole game takes longer than the event loop may be held up.
            await asyncio.sleep(0)
        if steps.steps:
            yield ReplayPart(steps=steps)
        outcome = host.game.outcome(state)
        if outcome is None:
            raise ValueError("the log of an ended game leads to no outcome")
        yield ReplayPart(result=result_message(_result(start, game_no, outcome)))


def _refuse_what_has_not_ended(record: RoomRecord, game_no: int) -> None:
    if not 1 <= game_no <= record.game_no:
        raise _no_game()
    has_ended = record.result is not None and game_no <= record.result.game_no
    if not has_ended:
        raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "the game has not ended")


def _no_game() -> Refused:
    return Refused(ErrorReason.ERROR_REASON_GAME_NOT_FOUND, "the room keeps no game of this number")


def _line(line: LogLine) -> Line:
    return {
        b"at": b"%d" % line.at,
        b"what": line.what.encode(),
        b"seat": b"%d" % line.seat,
        b"body": line.body,
    }


def _sitters(archived: GetLogResponse) -> tuple[Sitter, ...]:
    return tuple(Sitter(seat.player, seat.name, seat.bot) for seat in archived.seats)


def _start(host: Host, start: Start, room_id: str, game_no: int, at: int) -> ReplayStart:
    return ReplayStart(
        room_id=room_id,
        game_no=game_no,
        config=GameConfig.FromString(start.config),
        start_time=timestamp(at),
        commitment=commitment(start.seed),
        seats=_seats(host, start),
    )


def _seats(host: Host, start: Start) -> Iterable[ReplaySeat]:
    config: Any = host.config(start.config)
    for index in range(len(start.entropy)):
        seat = ReplaySeat()
        if start.sitters:
            sitter = start.sitters[index]
            seat.player, seat.name, seat.bot = sitter.player, sitter.name, sitter.bot
        before = host.wire.view_to(host.game.before(config, Seat(index)))
        getattr(seat, host.game.kind).CopyFrom(before)
        yield seat


def _seen(host: Host, step: Executed, seats: int) -> ReplayStep:
    sights = (ReplaySight(events=_observed(host, step, Seat(index))) for index in range(seats))
    return ReplayStep(commit_time=timestamp(step.at), seats=sights)


def _observed(host: Host, step: Executed, seat: Seat) -> Iterable[Event]:
    for event in step.events:
        seen = host.game.observe(event, seat)
        if seen is not None:
            yield Event(**{host.game.kind: host.wire.event_to(seen)})


def _result(start: Start, game_no: int, outcome: Outcome) -> Result:
    return Result(
        game_no=game_no,
        reason=outcome.reason,
        winners=tuple(outcome.winners),
        scores=tuple(outcome.scores),
        seed=start.seed,
        entropy=start.entropy,
    )
