"""What was acknowledged of rooms and seats and is not there is found, in histories made by hand."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

from parlor.engine.replay import Sitter, Start
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import (
    CloseReason,
    Event,
    GameEnded,
    GameStarted,
    RoomClosed,
    RoomStatus,
    RoomView,
)
from tests.chaos.checker.finding import Kind
from tests.chaos.checker.seats import HELD_MS, check_seats
from tests.chaos.history import GameLog, Gone, Happened, History, Line, Readied, Saw, Stay, Told

ROOM = "s1-planes-r"
PLAYING = RoomStatus.ROOM_STATUS_PLAYING
OPEN = RoomStatus.ROOM_STATUS_OPEN
STARTED = Event(game_started=GameStarted(game_no=1))
ENDED = Event(game_ended=GameEnded())
CLOSED = Event(room_closed=RoomClosed(reason=CloseReason.CLOSE_REASON_IDLE))
OPENED = Told(at=0, request_id="o", accepted=True, room_id=ROOM, opened=True)
SEATED = Told(at=1_000, request_id="j", accepted=True, room_id=ROOM, seat=1)
GONE = Gone(at=5_000, room_id=ROOM, reason="ROOM_NOT_FOUND")
REFUSED = Told(at=5_000, request_id="x", accepted=False, reason="ROOM_NOT_FOUND", room_id=ROOM)


def saw(at: float, message: RoomView | Event) -> Saw:
    if isinstance(message, RoomView):
        frame = ServerFrame(view=message)
    else:
        frame = ServerFrame(entry=Entry(room_id=ROOM, seq=1, events=[message]))
    return Saw(at=at, connection=1, frame=frame.SerializeToString())


def view(at: float, status: RoomStatus.ValueType, *, seat: int | None = None) -> Saw:
    return saw(at, RoomView(room_id=ROOM, status=status, seat=seat))


def left(at: float) -> Stay:
    return Stay(table=0, room_id=ROOM, finished=True, moved_at=at, ended_at=at)


def found(
    happened: Sequence[Happened], logs: Sequence[GameLog] = (), stays: Sequence[Stay] = ()
) -> list[Kind]:
    findings = check_seats([History("ann", list(happened))], logs, stays)
    return [finding.kind for finding in findings]


@pytest.mark.parametrize("gone", [GONE, REFUSED], ids=["followed", "asked"])
@pytest.mark.parametrize(
    "before",
    [
        pytest.param([view(0, PLAYING, seat=1)], id="a view of its game"),
        pytest.param([view(0, OPEN, seat=1), saw(10, STARTED)], id="its game began"),
        pytest.param([OPENED], id="it was opened"),
    ],
)
def test_a_room_that_vanishes_under_its_players_is_lost(
    before: list[Happened], gone: Happened
) -> None:
    assert found([*before, gone, gone]) == [Kind.LOST]
    assert found([*before, gone], stays=[left(6_000)]) == [Kind.LOST]
    assert found([*before, gone], stays=[left(4_000)]) == []
    assert found([*before, saw(20, CLOSED), gone]) == []


def test_a_room_may_go_that_waits_or_whose_game_is_over() -> None:
    assert found([view(0, OPEN, seat=1), GONE]) == []
    assert found([view(0, PLAYING, seat=1), saw(10, ENDED), GONE]) == []
    assert found([view(0, PLAYING, seat=1), replace(GONE, reason="NO_SPECTATORS")]) == []


def test_a_seat_that_was_acknowledged_and_is_not_shown_any_more_is_lost() -> None:
    assert found([SEATED, view(2_000, OPEN)]) == [Kind.LOST]
    assert found([SEATED, view(2_000, OPEN)], stays=[left(1_500)]) == []
    # One that was asked for before the answer.
    assert found([SEATED, view(2_000, OPEN), view(2_100, OPEN, seat=1)]) == []
    # By then its room may have taken it back.
    assert found([SEATED, view(1_000 + HELD_MS, OPEN)]) == []
    assert found([view(500, OPEN), SEATED]) == []
    # Who has left it sits there no more.
    gone = replace(SEATED, at=1_500, request_id="l", seat=None)
    assert found([SEATED, gone, view(2_000, OPEN)]) == []


def log(*, entropy: bytes, sitter: str) -> GameLog:
    start = Start(
        config=b"",
        seed=b"",
        entropy=(b"", entropy),
        offline=(),
        sitters=(Sitter("p0", "bob", False), Sitter("p1", sitter, False)),
    )
    body = msgspec.msgpack.encode(start)
    line = Line(version=1, token=b"t", at=9_000, what="start", seat=-1, body=body)
    return GameLog(room_id=ROOM, game_no=1, lines=(line,), read_at=10_000)


def ready(request_id: str, entropy: bytes, *, accepted: bool = True) -> list[Happened]:
    asked = Readied(
        at=1_000, request_id=request_id, room_id=ROOM, game_no=1, seat=1, entropy=entropy
    )
    return [asked, Told(at=1_100, request_id=request_id, accepted=accepted, room_id=ROOM)]


def test_a_game_that_begins_without_who_was_ready_for_it_has_lost_that() -> None:
    assert found(ready("a", b"mine"), [log(entropy=b"mine", sitter="ann")]) == []
    assert found(ready("a", b"mine"), [log(entropy=b"other", sitter="ann")]) == [Kind.LOST]
    assert found(ready("a", b"mine"), [log(entropy=b"mine", sitter="cat")]) == [Kind.LOST]
    assert found(ready("a", b"mine"), []) == []


def test_what_was_given_last_counts_and_of_what_nobody_answered_nobody_knows() -> None:
    twice = [*ready("a", b"first"), *ready("b", b"last")]
    assert found(twice, [log(entropy=b"last", sitter="ann")]) == []
    assert found(twice, [log(entropy=b"first", sitter="ann")]) == [Kind.LOST]
    unsure = [*ready("a", b"first"), *ready("b", b"last", accepted=False)]
    for either in (b"first", b"last"):
        assert found(unsure, [log(entropy=either, sitter="ann")]) == []
