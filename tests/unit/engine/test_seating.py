"""Who is called what at a table, and who is its host: the longest seated, once the one before has left."""

import pytest
from msgspec import UNSET

from parlor.engine.record import Head, Room, RoomRecord, SeatRecord
from parlor.engine.seating import seated, stood_up, swapped, taken_over
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


def gathered(*places: tuple[int, SeatRecord]) -> Room:
    """A table of four at which these sat down, one after the other."""
    there = room(*(SeatRecord(),) * 4)
    for index, seat in places:
        there = seated(there, index, seat).room
    return there


ANN, BOB, CAT = person("Ann"), person("Bob"), person("Cat")


@pytest.mark.parametrize(
    ("there", "host"),
    [
        pytest.param(gathered((0, ANN), (1, BOB), (2, CAT)), 1, id="in the order of the seats"),
        pytest.param(gathered((0, ANN), (3, BOB), (1, CAT)), 3, id="in another"),
        pytest.param(gathered((0, ANN), (1, bot("Bo")), (3, BOB), (2, CAT)), 3, id="bots are none"),
        pytest.param(
            gathered((0, ANN), (1, bot("Bo")), (3, BOB), (1, CAT)), 3, id="not even their place"
        ),
        pytest.param(
            swapped(gathered((0, ANN), (1, BOB), (2, CAT)), 1, 2).room, 2, id="after a swap"
        ),
        pytest.param(
            seated(stood_up(gathered((0, ANN), (1, BOB), (2, CAT)), (1,)).room, 1, BOB).room,
            2,
            id="who comes back begins anew",
        ),
        pytest.param(gathered((0, ANN)), None, id="nobody else"),
    ],
)
def test_a_host_who_leaves_is_followed_by_the_longest_seated(there: Room, host: int | None) -> None:
    assert there.record.host == 0
    step = stood_up(there, (0,))
    assert step.room.record.host == host
    last = step.happenings[-1]
    assert isinstance(last, Event)
    assert last.HasField("host_changed")


def test_who_takes_a_bots_place_in_a_game_sits_there_from_then_on() -> None:
    there = gathered((0, ANN), (1, bot("Bo")), (2, BOB))
    there = taken_over(there, 1, "person Cat", "Cat").room
    assert stood_up(there, (0,)).room.record.host == 2


def test_the_seniority_is_written_only_where_it_is_not_the_order_of_the_seats() -> None:
    there = gathered((0, ANN), (1, BOB))
    assert there.record.seniority is UNSET
    there = swapped(there, 0, 1).room
    assert there.record.seniority == (1, 0)
    assert swapped(there, 0, 1).room.record.seniority is UNSET
