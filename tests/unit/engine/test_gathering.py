"""A table that gathers: which limits run before a game, for whom, and what comes when they are over."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from parlor.engine import room_clocks
from parlor.engine.commands import carried_out
from parlor.engine.formats import RELEASED
from parlor.engine.founding import asked, founded
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord, SeatRecord, Status
from parlor.engine.sealing import sealed
from parlor.engine.step import Step
from parlor.rules.catalog import GAMES
from parlor.rules.jinxian.config import Config
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest, Player
from parlor.v1.feed_pb2 import FeedItem
from parlor.v1.room_pb2 import CloseReason, Event, GameConfig, RoomOptions
from parlor.wire.catalog import WIRE

AT = 1_764_000_000_000
LIMIT = 300_000
STILL = 1_800_000
READY = play_pb2.Ready(ready=True)
NOT_READY = play_pb2.Ready(ready=False)
LEAVE = play_pb2.Leave()
JOIN = play_pb2.Join()


def host(kind: str) -> Host:
    return Host(game=GAMES[kind], wire=WIRE[kind], seed=lambda: b"s" * 32)


def table(kind: str = "jinxian", **fields: Any) -> Room:
    """A room that Ann opened at `AT`."""
    default = GAMES[kind].config_type()
    request = EngineServiceOpenRoomRequest(
        request_id="r",
        opener="ann",
        config=fields.pop("config", GameConfig(**{kind: WIRE[kind].config_to(default)})),
        players=[Player(player="ann", name="Ann")],
        **fields,
    )
    served = host(kind)
    return founded(served, asked(served, request, shards=64), code="", at=AT, outages=0).room


def stepped(room: Room, player: str, after: int, **command: Any) -> Step:
    """What a player's command makes, `after` ms from the opening; the room in it as it is committed."""
    served = host(room.record.kind)
    asks = play_pb2.Command(**command)
    step = carried_out(served, room, Player(player=player, name=player), asks, AT + after)
    seal = sealed(served, room.record, step, at=AT + after, op=f"{player} {after}")
    return replace(step, room=seal.room)


def told(step: Step) -> list[Event]:
    return [happening for happening in step.happenings if isinstance(happening, Event)]


def limits(room: Room) -> list[int | None]:
    """By seat, when its limit is over, in ms from the opening."""
    dues = [seat.ready_due for seat in room.record.seats]
    return [None if due is UNSET else due - AT for due in dues]


def earliest(room: Room) -> tuple[str, int] | None:
    due = room_clocks.earliest(host(room.record.kind), room)
    return (due.clock, due.at - AT) if due else None


def run_out(room: Room) -> Step:
    """What follows when the earliest limit is over."""
    served = host(room.record.kind)
    due = room_clocks.earliest(served, room)
    assert due is not None
    return room_clocks.run_out(served, room, due)


def test_each_seat_has_its_limit_from_sitting_down_and_everybody_is_told() -> None:
    step = stepped(table(), "bob", 1_000, join=JOIN)
    assert limits(step.room) == [LIMIT, LIMIT + 1_000, None, None]
    (sat,) = told(step)
    assert sat.seat_changed.content.ready_time.ToMilliseconds() == AT + LIMIT + 1_000
    assert earliest(step.room) == ("seat", LIMIT)


def test_the_limit_ends_with_being_ready_and_begins_anew_with_taking_that_back() -> None:
    ready = stepped(table(), "ann", 1_000, ready=READY)
    assert limits(ready.room) == [None] * 4
    again = stepped(ready.room, "ann", 400_000, ready=NOT_READY)
    assert limits(again.room) == [400_000 + LIMIT, None, None, None]
    # Who says so again is not given more time.
    assert limits(stepped(again.room, "ann", 500_000, ready=NOT_READY).room) == limits(again.room)


def test_only_who_is_late_is_freed_and_the_host_follows() -> None:
    room = stepped(table(), "bob", 1_000, join=JOIN).room
    room = stepped(room, "cat", 2_000, join=JOIN).room
    room = stepped(room, "cat", 3_000, ready=READY).room
    step = run_out(room)
    assert [seat.player for seat in step.room.record.seats] == ["", "bob", "cat", ""]
    assert (step.freed, step.room.record.host) == (("ann",), 1)
    assert earliest(step.room) == ("seat", LIMIT + 1_000)


def test_the_limit_is_an_option_of_the_game() -> None:
    config = WIRE["jinxian"].config_to(Config(ready_ms=5_000))
    assert limits(table(config=GameConfig(jinxian=config))) == [5_000, None, None, None]


def test_other_options_are_another_question_with_the_whole_time() -> None:
    room = stepped(table(), "bob", 1_000, join=JOIN).room
    room = stepped(room, "bob", 2_000, ready=READY).room
    changes = play_pb2.SetOptions(options=RoomOptions(private=True))
    step = stepped(room, "ann", 9_000, set_options=changes)
    assert limits(step.room) == [LIMIT + 9_000, LIMIT + 9_000, None, None]
    seats = {e.seat_changed.seat for e in told(step) if e.HasField("seat_changed")}
    assert seats == {0, 1}


def test_the_limit_goes_with_the_player_to_another_seat() -> None:
    step = stepped(table(), "ann", 1_000, swap_seats=play_pb2.SwapSeats(first=0, second=3))
    assert limits(step.room) == [None, None, None, LIMIT]


@pytest.mark.parametrize("kind", ["doudizhu", "planes"])
def test_other_games_gather_for_as_long_as_they_like(kind: str) -> None:
    room = stepped(table(kind), "bob", 1_000, join=JOIN).room
    assert limits(room) == [None] * len(room.record.seats)
    assert room.record.still_due is UNSET
    assert earliest(room) == ("idle", room.record.idle_due - AT)


def test_matched_players_have_the_time_to_connect_instead() -> None:
    room = table(matched=True)
    assert (limits(room), room.record.still_due) == ([None] * 4, UNSET)
    assert earliest(room) == ("ready", 20_000)


def test_a_room_is_still_from_when_somebody_last_sat_down_or_stood_up() -> None:
    room = table()
    assert room.record.still_due == AT + STILL
    room = stepped(room, "ann", 1_000, ready=READY).room
    assert room.record.still_due == AT + STILL
    room = stepped(room, "bob", 2_000, join=JOIN).room
    assert room.record.still_due == AT + 2_000 + STILL
    room = stepped(room, "bob", 3_000, leave=LEAVE).room
    assert room.record.still_due == AT + 3_000 + STILL


def used(room: Room) -> Room:
    """The room while its only player is connected and ready."""
    (ann, *others) = stepped(room, "ann", 1_000, ready=READY).room.record.seats
    seats = (replace(ann, online=True), *others)
    return room.but(seats=seats, idle_due=0)


def test_a_still_room_closes_although_it_is_used() -> None:
    room = used(table())
    assert earliest(room) == ("still", STILL)
    step = run_out(room)
    assert (step.closes, step.freed) == (CloseReason.CLOSE_REASON_IDLE, ("ann",))
    (closed,) = told(step)
    assert closed.room_closed.reason == CloseReason.CLOSE_REASON_IDLE


def test_an_outage_moves_the_limits_and_everybody_is_told() -> None:
    room = stepped(table(), "bob", 1_000, join=JOIN).room
    room = stepped(room, "bob", 2_000, ready=READY).room
    step = room_clocks.moved(room, 7_000)
    assert limits(step.room) == [LIMIT + 7_000, None, None, None]
    assert step.room.record.still_due == AT + 1_000 + STILL + 7_000
    (later,) = told(step)
    assert later.seat_changed.content.ready_time.ToMilliseconds() == AT + LIMIT + 7_000


def full_and_ready() -> Room:
    room = table()
    for after, name in enumerate(("bob", "cat", "dan"), start=1):
        room = stepped(room, name, after, join=JOIN).room
    for after, name in enumerate(("ann", "bob", "cat", "dan"), start=10):
        room = stepped(room, name, after, ready=READY).room
    return room


def names_in(value: Any) -> set[str]:
    """Every name of a field in a written record."""
    match value:
        case dict():
            return {*value, *(name for inner in value.values() for name in names_in(inner))}
        case list():
            return {name for inner in value for name in names_in(inner)}
        case _:
            return set()


def written(record: RoomRecord) -> set[str]:
    """The fields with which Redis has it."""
    return names_in(msgspec.msgpack.decode(RELEASED.encode(record, RELEASED.writes)))


def test_the_release_before_reads_the_room_of_a_running_game() -> None:
    """It knows neither the limits of a table that gathers nor the seniority, and refuses what it does not know."""
    room = full_and_ready()
    assert room.record.status is Status.PLAYING
    assert written(room.record).isdisjoint({"still_due", "seniority"})
    seats = msgspec.msgpack.decode(RELEASED.encode(room.record, 1))["seats"]
    assert all("ready_due" not in seat for seat in seats)


def test_what_a_table_that_gathers_waits_for_survives_its_record() -> None:
    room = stepped(table(), "bob", 1_000, join=JOIN).room
    room = stepped(room, "ann", 2_000, swap_seats=play_pb2.SwapSeats(first=0, second=1)).room
    assert {"still_due", "seniority"} <= written(room.record)
    assert RELEASED.decode(RELEASED.encode(room.record, RELEASED.writes)) == room.record


def test_a_table_of_the_release_before_has_its_limits_from_its_next_step() -> None:
    old = table()
    (ann, *others) = old.record.seats
    seats: tuple[SeatRecord, ...] = (replace(ann, ready_due=UNSET), *others)
    old = old.but(seats=seats, still_due=UNSET)
    assert earliest(old) == ("idle", 600_000)
    served, bobs = host("jinxian"), Player(player="bob")
    step = carried_out(served, old, bobs, play_pb2.Command(join=JOIN), AT + 5_000)
    seal = sealed(served, old.record, step, at=AT + 5_000, op="o")
    assert seal.room.record.still_due == AT + 5_000 + STILL
    assert limits(seal.room) == [LIMIT + 5_000, LIMIT + 5_000, None, None]
    # Everybody is told of both seats, in this step.
    (delivery,) = FeedItem.FromString(seal.item).entry.deliveries
    told_of = [
        event.seat_changed.seat
        for event in play_pb2.ServerFrame.FromString(delivery.frame).entry.events
    ]
    assert sorted(told_of) == [0, 1]
