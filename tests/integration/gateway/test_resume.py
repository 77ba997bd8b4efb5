"""A client comes back, on whatever gateway, and gets exactly what it has missed."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import play_pb2, room_pb2
from tests.integration.gateway.support import (
    KEYS,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    gateway,
    reason_of,
    table,
    toggled,
)

Door = App[GatewayConfig]


@pytest.fixture
async def other_door(redis_url: str, door: Door) -> AsyncIterator[Door]:
    """A second gateway before the same engine."""
    async with gateway(redis_url) as app:
        yield app


@pytest.mark.parametrize(
    ("line", "missed"), [(JsonLine, 5), (ProtoLine, 5), (GrpcLine, 5), (ProtoLine, 40)]
)
async def test_a_resumed_client_gets_exactly_the_missed_entries(
    door: Door, other_door: Door, clients: Clients, line: object, missed: int
) -> None:
    room_id, (ann, bob, _) = await table(door, clients, line)
    await ann.reach(room_id, await toggled(bob, room_id, 2))
    position = ann.position(room_id)
    last = await toggled(bob, room_id, missed)

    back = await clients.connect(other_door, line=line, like=ann, positions=(position,))
    # Its own return to the table follows what it missed.
    await back.reach(room_id, last)

    assert [entry.seq for entry in back.entries()] == list(range(position.seq + 1, last + 1))
    assert not [frame for frame in back.seen if frame.WhichOneof("frame") == "view"]


async def test_a_client_that_missed_nothing_gets_nothing(
    door: Door, other_door: Door, clients: Clients
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    await ann.reach(room_id, await toggled(bob, room_id, 1))
    back = await clients.connect(other_door, like=ann, positions=(ann.position(room_id),))
    heads = (await back.synced()).heads
    while not heads:
        heads = (await back.synced()).heads
    assert list(heads) == [ann.position(room_id)]
    assert [frame.WhichOneof("frame") for frame in back.seen if frame.HasField("view")] == []


async def test_a_resumed_client_hears_what_was_said_meanwhile(
    door: Door, other_door: Door, clients: Clients
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    await ann.reach(room_id, await toggled(bob, room_id, 1))
    position = ann.position(room_id)
    for text in ("one", "two"):
        await bob.accepted(room_id, say=play_pb2.Say(text=text))
    back = await clients.connect(other_door, like=ann, positions=(position,))
    lines = [(await back.next("chat")).chat.line for _ in range(2)]
    assert [(line.number, line.text) for line in lines] == [(1, "one"), (2, "two")]
    assert not [frame for frame in back.seen if frame.HasField("view")]


async def test_a_token_that_was_never_given_gives_a_view_that_goes_back(
    door: Door, clients: Clients
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    await ann.reach(room_id, await toggled(bob, room_id, 2))
    position = ann.position(room_id)

    other_life = room_pb2.Position(room_id=room_id, seq=position.seq, token=b"other life")
    view = (await ann.watch(room_id, other_life)).view
    assert (view.seq, view.rewound) == (position.seq, True)

    ahead = room_pb2.Position(room_id=room_id, seq=position.seq + 3, token=b"lost again")
    view = (await ann.watch(room_id, ahead)).view
    assert (view.seq, view.rewound) == (position.seq, True)


async def test_a_position_older_than_the_feed_gives_a_view(
    door: Door, clients: Clients, redis: Redis
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    await ann.reach(room_id, await toggled(bob, room_id, 1))
    position = ann.position(room_id)
    await ann.reach(room_id, await toggled(bob, room_id, 4))
    await redis.xtrim(KEYS.feed(room_id), maxlen=2, approximate=False)
    view = (await ann.watch(room_id, position)).view
    assert (view.seq, view.rewound) == (ann.entries()[-1].seq, False)


async def test_a_player_who_takes_a_seat_gets_its_view_and_one_who_leaves_a_spectators(
    door: Door, clients: Clients
) -> None:
    ann = await clients.connect(door, "Ann")
    room = await ann.open_room(join=False)
    view = (await ann.watch(room.room_id)).view
    assert not view.HasField("seat")
    await ann.send(
        command=play_pb2.Command(request_id="a", room_id=room.room_id, join=play_pb2.Join(seat=2))
    )
    assert (await ann.next("view")).view.seat == 2
    await ann.send(
        command=play_pb2.Command(request_id="b", room_id=room.room_id, leave=play_pb2.Leave())
    )
    assert not (await ann.next("view")).view.HasField("seat")


async def test_a_seat_given_up_where_nobody_may_watch_is_followed_no_more(
    door: Door, clients: Clients
) -> None:
    ann = await clients.connect(door, "Ann")
    room = await ann.open_room(spectators=False)
    await ann.next("view")
    await ann.send(
        command=play_pb2.Command(request_id="b", room_id=room.room_id, leave=play_pb2.Leave())
    )
    refusal = (await ann.next("refusal")).refusal
    assert reason_of(refusal) == "NO_SPECTATORS"
    assert refusal.metadata["room_id"] == room.room_id
    assert list((await ann.synced()).heads) == []
