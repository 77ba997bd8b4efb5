"""What later releases know of a room: the first reads its record all the same, and loses as little as can be."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from parlor.engine.formats import RELEASED, Written
from parlor.engine.record import Head, Result, RoomRecord, SeatRecord, Status, Vote
from parlor.engine.snapshot import UnreadableRecord, encode
from tests.first_release import FIELDS, FIRST, names

ANN = SeatRecord(
    player="ann",
    name="Ann",
    bot=True,
    ready=True,
    entropy=b"e",
    online=True,
    connection=7,
    left=True,
    took_over=True,
    ready_due=9_000,
)
FULL = RoomRecord(
    room_id="s1-jinxian-aaaaaa",
    kind="jinxian",
    rules=1,
    config=b"c",
    seats=(ANN, SeatRecord(player="bob", ready_due=8_000), SeatRecord(player="cat")),
    heads=(Head(seq=4, token=b"h"),),
    seed=b"s",
    code="123456",
    link_token="link",
    spectators=False,
    private=True,
    matched=True,
    invited=("ann",),
    host=0,
    status=Status.PLAYING,
    game_no=3,
    seniority=(2, 0, 1),
    ready_due=1,
    idle_due=2,
    still_due=7_000,
    vote=Vote(proposer=0, agreed=(0,), due=3),
    result=Result(game_no=2, reason="r", winners=(1,), scores=(1, -1), seed=b"s", entropy=(b"e",)),
    version=5,
    token=b"5",
    at=4,
    op="o",
    outages=6,
)
"""Every field is set, also those that no room has together."""

NOTHING = replace(
    FULL,
    seats=tuple(replace(seat, took_over=UNSET, ready_due=UNSET) for seat in FULL.seats),
    seniority=UNSET,
    still_due=UNSET,
)
"""The same as the first release knows it."""


def written(record: RoomRecord = FULL) -> Written:
    return RELEASED.encode(record, 1)


def after_the_first_release(**changes: Any) -> RoomRecord:
    """The record as this release reads it after a step of the first, which leaves beside it what it found."""
    before = written()
    record = replace(FIRST.decode(before.record), token=b"6", version=6, **changes)
    return RELEASED.decode(FIRST.encode(record, 1).record, before.added)


def test_the_first_release_finds_its_own_fields_in_any_record() -> None:
    for part in (FULL, FULL.seats[0], FULL.vote, FULL.result):
        assert is_dataclass(part)
        assert UNSET not in {getattr(part, field.name) for field in fields(part)}
    raw = written().record
    assert names(msgspec.msgpack.decode(raw)) == FIELDS
    assert FIRST.decode(raw) == NOTHING


def test_what_later_releases_know_survives_beside_the_record() -> None:
    raw = written()
    assert RELEASED.decode(raw.record, raw.added) == RELEASED.recall(raw) == FULL


def test_nothing_is_kept_beside_a_record_that_says_all() -> None:
    assert written(NOTHING).added == b""
    assert RELEASED.decode(written(NOTHING).record) == NOTHING


def test_a_step_of_the_first_release_leaves_limits_and_seniority_behind() -> None:
    there = after_the_first_release()
    assert there.still_due is there.seniority is UNSET
    assert [seat.ready_due for seat in there.seats] == [UNSET] * 3


@pytest.mark.parametrize(
    ("changes", "took_over"),
    [
        pytest.param({}, True, id="the game runs on"),
        pytest.param({"status": Status.FINISHED}, UNSET, id="the game has ended"),
        pytest.param({"game_no": 4}, UNSET, id="the next game"),
        pytest.param({"seats": (SeatRecord(player="dan"),)}, UNSET, id="another sits there"),
    ],
)
def test_who_took_a_bots_seat_over_did_so_whoever_steps(
    changes: dict[str, Any], took_over: Any
) -> None:
    assert after_the_first_release(**changes).seats[0].took_over is took_over


def test_what_a_later_release_keeps_there_is_no_reason_to_refuse_the_room() -> None:
    raw = written()
    added = encode({**msgspec.msgpack.decode(raw.added), "later": 1})
    assert RELEASED.decode(raw.record, added) == FULL


def test_what_is_none_of_it_is_not_read() -> None:
    with pytest.raises(UnreadableRecord):
        RELEASED.decode(written().record, encode({"token": 1}))
