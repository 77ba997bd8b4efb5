"""What players noticed: how long they waited for answers, how long nothing came, how late clocks were."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate
from typing import Final

from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import RoomStatus
from tests.chaos.faults import Fault
from tests.chaos.history import Dropped, GameLog, History, Saw, Sent, Told

AFTERMATH_MS: Final = 3_000
"""How long after a fault a wait is put down to it."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A move that met a fault, or several."""

    player: str
    room_id: str
    at: float
    """When the move was sent, in ms since the epoch."""
    length: float
    """From the move to its answer, in ms, less the time in which a fault of its own kept the client from reading."""
    met: tuple[Fault, ...]
    """Those that concern the player or the game, and had not been over for `AFTERMATH_MS`."""

    def __str__(self) -> str:
        """What the move met, and when, in ms after it was sent."""
        met = ", ".join(
            f"{fault.kind} {fault.at - self.at:.0f} to {fault.until - self.at:.0f}"
            for fault in self.met
        )
        return f"{self.length:.0f} ms from {self.at:.0f}, {self.player} in {self.room_id}: {met}"

    @property
    def met_engines_end(self) -> bool:
        return any(fault.is_engines_end for fault in self.met)

    @property
    def met_store(self) -> bool:
        return any(fault.is_of_store for fault in self.met)


@dataclass(frozen=True, slots=True)
class Pauses:
    """All pauses, and those that engines and Redis have to do with; none is in two of the three."""

    each: list[Pause]
    all: list[float]
    """Their lengths in ms."""
    engine: list[float]
    """Of moves whose engine ended, whatever else was broken but Redis."""
    engine_and_redis: list[float]
    """Of moves whose engine ended while Redis was away, or soon before or after."""
    redis: list[float]
    """Of moves that met a Redis that was away, and no end of their engine."""

    def longest(self, count: int) -> list[str]:
        """The longest ones, in words."""
        return [str(pause) for pause in nlargest(count, self.each, lambda pause: pause.length)]


def pauses(histories: Iterable[History], faults: Sequence[Fault]) -> Pauses:
    """How long players waited for the answers to those moves that met a fault.

    No engine can commit while Redis is away, so a take-over then is a figure of its own: with the time
    that the failover took it would say nothing of engines, and left out it could hide a slow one.
    """
    each = [pause for history in histories for pause in _paused(history, faults)]
    return Pauses(
        each=each,
        all=[pause.length for pause in each],
        engine=[p.length for p in each if p.met_engines_end and not p.met_store],
        engine_and_redis=[p.length for p in each if p.met_engines_end and p.met_store],
        redis=[p.length for p in each if p.met_store and not p.met_engines_end],
    )


def _paused(history: History, faults: Sequence[Fault]) -> Iterator[Pause]:
    mine = sorted(
        (fault for fault in faults if fault.player in ("", history.player)),
        key=lambda fault: fault.at,
    )
    begins = [fault.at for fault in mine]
    # How far those up to each reach: where a move comes later, none of them concerns it.
    reach = [*accumulate((fault.until + AFTERMATH_MS for fault in mine), max)]
    own = _own(history, faults)
    for sent, answered in _waits(history):
        near = slice(bisect_right(reach, sent.at), bisect_left(begins, answered))
        met = tuple(
            fault
            for fault in mine[near]
            if fault.game in sent.room_id and sent.at < fault.until + AFTERMATH_MS
        )
        if met:
            deaf = sum(max(0.0, min(answered, end) - max(sent.at, begin)) for begin, end in own)
            length = answered - sent.at - deaf
            yield Pause(history.player, sent.room_id, sent.at, length, met)


def _own(history: History, faults: Iterable[Fault]) -> list[tuple[float, float]]:
    """When a fault of its own kept the client from reading, in spans that do not overlap."""
    spans = sorted((fault.at, fault.until) for fault in faults if fault.player == history.player)
    joined: list[tuple[float, float]] = []
    for begin, end in spans:
        if joined and begin <= joined[-1][1]:
            begin, earlier_end = joined.pop()
            end = max(end, earlier_end)
        joined.append((begin, end))
    return joined


def _waits(history: History) -> Iterator[tuple[Sent, float]]:
    """Each move as it was sent first, and when it was answered for good or not waited for any more.

    Of one that nobody answered, the wait was as long at least: left out, the longest waits would not count.
    """
    sent: dict[str, Sent] = {}
    for item in history.happened:
        match item:
            case Sent():
                sent.setdefault(item.request_id, item)
            case Told() if not item.passing and item.request_id in sent:
                yield sent.pop(item.request_id), item.at
            case Dropped() if item.request_id in sent:
                yield sent.pop(item.request_id), item.at
    for unanswered in sent.values():
        yield unanswered, history.happened[-1].at


def longest_silence(histories: Iterable[History], faults: Sequence[Fault]) -> float:
    """The longest time in ms in which a player of a running game saw nothing, and would have."""
    return max(
        (
            until - since
            for history in histories
            for own in [_own(history, faults)]
            for since, until in _gaps(history)
            if not _touches(own, since, until)
        ),
        default=0.0,
    )


def _touches(spans: Iterable[tuple[float, float]], since: float, until: float) -> bool:
    return any(begin <= until and since <= end for begin, end in spans)


def _gaps(history: History) -> Iterator[tuple[float, float]]:
    last: float | None = None
    for item in history.happened:
        if not isinstance(item, Saw):
            continue
        if last is not None:
            yield last, item.at
        frame = ServerFrame.FromString(item.frame)
        if frame.HasField("view"):
            plays = frame.view.status == RoomStatus.ROOM_STATUS_PLAYING
            last = item.at if plays else None
        elif any(event.HasField("game_ended") for event in frame.entry.events):
            last = None
        elif last is not None or any(e.HasField("game_started") for e in frame.entry.events):
            last = item.at


def lateness(
    histories: Iterable[History], logs: Iterable[GameLog], faults: Sequence[Fault]
) -> list[float]:
    """From the instant of each clock to when the first client saw what it did, in ms.

    Who could not see it when it happened, for a fault of its own, is no witness.
    """
    instants = {line.token: line.at for log in logs for line in log.lines if line.what == "clock"}
    first: dict[bytes, float] = {}
    for history in histories:
        own = _own(history, faults)
        for item in history.happened:
            if isinstance(item, Saw):
                token = ServerFrame.FromString(item.frame).entry.token
                if token in instants and not _touches(own, instants[token], item.at):
                    first[token] = min(item.at, first.get(token, item.at))
    return [max(0.0, seen - instants[token]) for token, seen in first.items()]
