"""Who is called what at a table: a bot never goes by the name of somebody else there."""

import pytest

from parlor.engine.record import Head, Room, RoomRecord, SeatRecord
from parlor.engine.seating import seated
from parlor.v1.room_pb2 import Event


def room(*seats: SeatRecord) -> Room:
    record = RoomRecord(
        room_id="s0-doudizhu-aaaaaa",
        kind="doudizhu",
        rules=1,
        config=b"",
        seats=seats,
        heads=(Head(),) * (len(seats) + 1),
        seed=b"s" * 32,
    )
    return Room(record=record)


def person(name: str) -> SeatRecord:
    return SeatRecord(player=f"person {name}", name=name)


def bot(name: str, number: int = 0) -> SeatRecord:
    return SeatRecord(player=f"bot {name} {number}", name=name, bot=True)


@pytest.mark.parametrize(
    ("seats", "index", "comes", "names"),
    [
        pytest.param((person("Ada"), SeatRecord()), 1, bot("Ada"), ("Ada", "Ada 2"), id="a person"),
        pytest.param((bot("Ada", 1), SeatRecord()), 1, bot("Ada"), ("Ada", "Ada 2"), id="a bot"),
        pytest.param(
            (person("Ada"), person("Ada 2"), SeatRecord()),
            2,
            bot("Ada"),
            ("Ada", "Ada 2", "Ada 3"),
            id="two",
        ),
        pytest.param(
            (bot("Ada"), SeatRecord()),
            1,
            person("Ada"),
            ("Ada 2", "Ada"),
            id="a person comes later",
        ),
        pytest.param((bot("Ada"), bot("Bo")), 0, person("Ada"), ("Ada", "Bo"), id="in its place"),
        pytest.param((person("Ada"), SeatRecord()), 1, person("Ada"), ("Ada", "Ada"), id="people"),
    ],
)
def test_a_bot_is_told_apart_from(
    seats: tuple[SeatRecord, ...], index: int, comes: SeatRecord, names: tuple[str, ...]
) -> None:
    step = seated(room(*seats), index, comes)
    assert tuple(seat.name for seat in step.room.record.seats) == names
    told = [seat.name for seat in seats]
    for happening in step.happenings:
        if isinstance(happening, Event) and happening.HasField("seat_changed"):
            told[happening.seat_changed.seat] = happening.seat_changed.content.name
    assert tuple(told) == names
