"""What a room begins as is what its first step would make of an empty one."""

from dataclasses import replace

import pytest

from parlor.engine import events
from parlor.engine.founding import asked, founded
from parlor.engine.host import Host
from parlor.engine.record import Head, Room
from parlor.engine.sealing import sealed
from parlor.engine.step import Step
from parlor.rules.catalog import GAMES
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest, Player
from parlor.v1.feed_pb2 import FeedItem
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import GameConfig, RoomOptions
from parlor.wire.catalog import WIRE

HOST = Host(game=GAMES["doudizhu"], wire=WIRE["doudizhu"], seed=lambda: b"s" * 32)
AT = 1_700_000_000_123


def request(*players: Player, **fields: object) -> EngineServiceOpenRoomRequest:
    return EngineServiceOpenRoomRequest(
        request_id="r",
        opener="ann",
        config=GameConfig(doudizhu=DouDizhuConfig()),
        options=RoomOptions(spectators=True),
        players=players,
        **fields,  # type: ignore[arg-type]
    )


def item_of(encoded: bytes, token: bytes) -> FeedItem:
    """The item as if the step had this token."""
    item = FeedItem.FromString(encoded)
    own = item.entry.token
    for head in (*item.entry.seats, item.entry.spectators):
        assert head.token == own
        head.token = token
    item.entry.token = token
    for delivery in item.entry.deliveries:
        frame = ServerFrame.FromString(delivery.frame)
        assert frame.entry.token == own
        frame.entry.token = token
        delivery.frame = frame.SerializeToString()
    return item


@pytest.mark.parametrize(
    "asks",
    [
        pytest.param(request(), id="nobody sits"),
        pytest.param(request(Player(player="ann", name="Ann")), id="its opener sits"),
        pytest.param(request(Player(player="bo", bot=True), Player(player="ann")), id="a bot, ann"),
        pytest.param(request(*(Player(player=p) for p in "abc"), matched=True), id="matched"),
    ],
)
def test_a_room_begins_as_its_first_step_would_leave_it(asks: EngineServiceOpenRoomRequest) -> None:
    begun = founded(HOST, asked(HOST, asks, shards=64), code="123456", at=AT, outages=3)
    record = begun.room.record
    empty = replace(record, version=0, token=b"", op="", idle_due=0, heads=(Head(),) * 4)
    first = Step(room=Room(record=empty), happenings=(events.ready_opened(empty),))
    by_step = sealed(HOST, empty, first, at=AT, op="r")
    token = by_step.room.record.token
    heads = tuple(replace(head, token=token) for head in record.heads)
    assert replace(record, token=token, heads=heads) == by_step.room.record
    assert {head.token for head in record.heads} == {record.token}
    assert begun.due == by_step.due
    assert item_of(begun.item, token) == FeedItem.FromString(by_step.item)


@pytest.mark.parametrize(
    ("asks", "host"),
    [
        pytest.param(request(), None, id="nobody"),
        pytest.param(request(Player(player="bo", bot=True), Player(player="ann")), 1, id="no bot"),
        pytest.param(request(Player(), Player(), Player(player="ann")), 2, id="no free seat"),
    ],
)
def test_the_first_person_who_sits_is_host(
    asks: EngineServiceOpenRoomRequest, host: int | None
) -> None:
    begun = founded(HOST, asked(HOST, asks, shards=64), code="", at=AT, outages=0)
    assert begun.room.record.host == host
