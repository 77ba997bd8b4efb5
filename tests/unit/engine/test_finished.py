"""What the archive is told of a game that ends, and that nothing else tells it anything."""

from dataclasses import replace

import pytest

from parlor.engine import turns
from parlor.engine.host import Host
from parlor.engine.record import Head, Room, RoomRecord, SeatRecord
from parlor.engine.step import Step
from parlor.rules.catalog import GAMES
from parlor.rules.game import Seat
from parlor.v1.finished_pb2 import FinishedGame, FinishedSeat, FinishedSide
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE

AT = 1_764_000_000_000
HOST = Host(game=GAMES["planes"], wire=WIRE["planes"])


@pytest.fixture
def playing() -> Room:
    """Two at a table of Plane Battle, the game begun."""
    config = WIRE["planes"].config_to(GAMES["planes"].config_type())
    record = RoomRecord(
        room_id="s0-planes-aaaaaa",
        kind="planes",
        rules=1,
        config=GameConfig(planes=config).SerializeToString(),
        seats=(
            SeatRecord(player="ann", name="Ann", online=True),
            SeatRecord(player="r2", name="Robot", bot=True, online=True),
        ),
        heads=(Head(),) * 3,
        seed=b"s" * 32,
    )
    started = turns.start(HOST, Step(room=Room(record=record)), AT)
    assert started.finished == b""
    return started.room


def test_who_leaves_has_lost_and_is_named_all_the_same(playing: Room) -> None:
    step = turns.leave(HOST, playing, Seat(0), AT + 5)
    assert step.room.record.seats[0].player == ""
    game = FinishedGame.FromString(step.finished)
    assert (game.room_id, game.game_no, game.ladder) == ("s0-planes-aaaaaa", 1, "planes")
    assert game.end_time.ToMilliseconds() == AT + 5
    assert list(game.seats) == [
        FinishedSeat(player="ann", name="Ann"),
        FinishedSeat(player="r2", name="Robot", bot=True),
    ]
    assert (game.result.reason, list(game.result.winners)) == ("SURRENDER", [1])
    assert list(game.sides) == [
        FinishedSide(seats=[1], rank=1),
        FinishedSide(seats=[0], rank=2),
    ]


def test_a_dissolved_game_ranks_nobody(playing: Room) -> None:
    game = FinishedGame.FromString(turns.dissolve(HOST, playing, AT + 5).finished)
    assert game.result.reason == "DISSOLVED"
    assert not game.sides


def test_a_step_that_ends_no_game_tells_nothing(playing: Room) -> None:
    seat = replace(playing.record.seats[0], online=False)
    assert turns.presence(HOST, playing, Seat(0), seat, AT + 5).finished == b""
