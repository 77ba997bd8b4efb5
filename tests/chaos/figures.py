"""What players noticed: how long they waited for answers, how long nothing came, how late clocks were."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import RoomStatus
from tests.chaos.faults import Fault
from tests.chaos.history import GameLog, History, Saw, Sent, Told

AFTERMATH_MS: Final = 3_000
"""How long after a fault a wait is put down to it."""


def pauses(histories: Iterable[History], faults: Sequence[Fault]) -> list[float]:
    """The waits from a move to its answer, in ms, of those that a fault of these has met in their game."""
    spans = [(fault.game, fault.at, fault.until + AFTERMATH_MS) for fault in faults]
    return [
        answered - sent.at
        for history in histories
        for sent, answered in _waits(history)
        if any(
            game in sent.room_id and sent.at < end and answered > begin
            for game, begin, end in spans
        )
    ]


def _waits(history: History) -> Iterator[tuple[Sent, float]]:
    """Each move as it was sent first, and when it was answered for good."""
    sent: dict[str, Sent] = {}
    for item in history.happened:
        match item:
            case Sent():
                sent.setdefault(item.request_id, item)
            case Told() if not item.passing and item.request_id in sent:
                yield sent.pop(item.request_id), item.at


def longest_silence(histories: Iterable[History]) -> float:
    """The longest time in ms in which a player of a running game saw nothing."""
    return max((gap for history in histories for gap in _gaps(history)), default=0.0)


def _gaps(history: History) -> Iterator[float]:
    last: float | None = None
    for item in history.happened:
        if not isinstance(item, Saw):
            continue
        if last is not None:
            yield item.at - last
        frame = ServerFrame.FromString(item.frame)
        if frame.HasField("view"):
            plays = frame.view.status == RoomStatus.ROOM_STATUS_PLAYING
            last = item.at if plays else None
        elif any(event.HasField("game_ended") for event in frame.entry.events):
            last = None
        elif last is not None or any(e.HasField("game_started") for e in frame.entry.events):
            last = item.at


def lateness(histories: Iterable[History], logs: Iterable[GameLog]) -> list[float]:
    """From the instant of each clock to when the first client saw what it did, in ms."""
    instants = {line.token: line.at for log in logs for line in log.lines if line.what == "clock"}
    first: dict[bytes, float] = {}
    for history in histories:
        for item in history.happened:
            if isinstance(item, Saw):
                token = ServerFrame.FromString(item.frame).entry.token
                if token in instants:
                    first[token] = min(item.at, first.get(token, item.at))
    return [max(0.0, seen - instants[token]) for token, seen in first.items()]
