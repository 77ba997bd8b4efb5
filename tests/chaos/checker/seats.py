"""What was acknowledged of rooms and seats lasts: who sits there plays there, and no room goes under them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from parlor.engine.replay import Start
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import RoomStatus, RoomView
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import GameLog, Gone, History, Readied, Saw, Stay, Told

HELD_MS: Final = 15_000
"""How long a seat is its player's at least: shorter than any limit after which a room takes it back."""

NOT_FOUND: Final = "ROOM_NOT_FOUND"


def check_seats(
    histories: Sequence[History], logs: Sequence[GameLog], stays: Sequence[Stay]
) -> Iterable[Finding]:
    """Openings, seats and readiness that were acknowledged and are not there."""
    # What becomes of a room that its table has left, nobody was promised.
    left = {stay.room_id: stay.ended_at for stay in stays}
    opened = {
        item.room_id
        for history in histories
        for item in history.happened
        if isinstance(item, Told) and item.opened
    }
    starts = {
        (log.room_id, log.game_no): msgspec.msgpack.decode(log.lines[0].body, type=Start)
        for log in logs
        if log.lines and log.lines[0].what == "start"
    }
    for history in histories:
        yield from _vanished(history, opened, left)
        yield from _stood_up(history, left)
        yield from _not_dealt(history, starts)


def _vanished(history: History, opened: set[str], left: Mapping[str, float]) -> Iterator[Finding]:
    """Rooms that are not found though their opening was acknowledged, or their game was under way."""
    closed: set[str] = set()
    status: dict[str, RoomStatus.ValueType] = {}
    for item in history.happened:
        match item:
            case Saw():
                frame = ServerFrame.FromString(item.frame)
                _note(frame, status, closed)
            case Gone() | Told() if item.reason == NOT_FOUND and item.room_id not in closed:
                room_id = item.room_id
                plays = status.get(room_id) == RoomStatus.ROOM_STATUS_PLAYING
                if (room_id in opened or plays) and item.at < left.get(room_id, item.at + 1):
                    closed.add(room_id)
                    what = "its game was under way" if plays else "its opening was acknowledged"
                    where = f"{room_id} {history.player}"
                    yield Finding(Kind.LOST, where, f"the room is not found, and {what}")


def _note(frame: ServerFrame, status: dict[str, RoomStatus.ValueType], closed: set[str]) -> None:
    """Takes what a frame says of its room as such."""
    if frame.HasField("view"):
        status[frame.view.room_id] = frame.view.status
    for event in frame.entry.events:
        match event.WhichOneof("event"):
            case "game_started":
                status[frame.entry.room_id] = RoomStatus.ROOM_STATUS_PLAYING
            case "game_ended":
                status[frame.entry.room_id] = RoomStatus.ROOM_STATUS_FINISHED
            case "room_closed":
                closed.add(frame.entry.room_id)


def _stood_up(history: History, left: Mapping[str, float]) -> Iterator[Finding]:
    """Seats that an answer named, and that the last view soon after does not show.

    The last one: a view that was asked for before may come behind the answer.
    """
    seated: dict[str, Told] = {}
    without: dict[str, RoomView] = {}
    for item in history.happened:
        match item:
            case Told() if item.accepted and item.room_id:
                # An answer without a seat is one to who has left it, or only opened the room.
                seated.pop(item.room_id, None)
                if item.seat is not None:
                    seated[item.room_id] = item
                without.pop(item.room_id, None)
            case Saw():
                view = ServerFrame.FromString(item.frame).view
                told = seated.get(view.room_id)
                if view.HasField("seat"):
                    without.pop(view.room_id, None)
                elif (
                    told is not None
                    and item.at - told.at < HELD_MS
                    and item.at < left.get(view.room_id, item.at + 1)
                ):
                    without[view.room_id] = view
    for room_id, view in without.items():
        what = f"seat {seated[room_id].seat} was acknowledged, and a view of {view.seq} has none"
        yield Finding(Kind.LOST, f"{room_id} {history.player}", what)


def _not_dealt(history: History, starts: Mapping[tuple[str, int], Start]) -> Iterator[Finding]:
    """Games that began without those who were told that they are ready for it, or without what they gave."""
    asked: dict[tuple[str, int, int], list[Readied]] = {}
    accepted = {
        item.request_id for item in history.happened if isinstance(item, Told) and item.accepted
    }
    for item in history.happened:
        if isinstance(item, Readied):
            asked.setdefault((item.room_id, item.game_no, item.seat), []).append(item)
    for (room_id, game_no, seat), requests in asked.items():
        start = starts.get((room_id, game_no))
        told = [place for place, each in enumerate(requests) if each.request_id in accepted]
        if start is None or not told:
            continue
        where = f"{room_id}.{game_no} seat {seat}"
        # The last word stands, or one behind it that was heard, and whose answer was lost.
        if start.entropy[seat] not in [each.entropy for each in requests[told[-1] :]]:
            yield Finding(Kind.LOST, where, "it was ready, and the draws have not what it gave")
        sitters = start.sitters[seat : seat + 1]
        if any(history.player not in (sitter.player, sitter.name) for sitter in sitters):
            what = f"{history.player} was ready, and {sitters[0].name} was dealt to"
            yield Finding(Kind.LOST, where, what)
