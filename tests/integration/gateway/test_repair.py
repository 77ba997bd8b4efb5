"""Redis forgets messages; followers do not notice."""

import asyncio
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving import redis_server as servers
from parlor.v1 import feed_pb2, play_pb2
from parlor.v1.play_pb2 import ServerFrame
from tests.integration.gateway.support import (
    KEYS,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    engine,
    feed_of,
    gateway,
    reason_of,
    redis_of,
    table,
    toggled,
)

Door = App[GatewayConfig]


async def _commit_unheard(redis: Redis, room_id: str, token: bytes) -> int:
    """Adds an entry for everybody to the room's feed without the message about it; gives its number."""
    stored: Any = await redis.xrevrange(KEYS.feed(room_id), count=1)
    last = (await feed_of(redis, room_id))[-1]
    seq = last.spectators.seq + 1
    entry = play_pb2.Entry(room_id=room_id, seq=seq, token=token)
    entry.events.add().host_changed.SetInParent()
    item = feed_pb2.FeedItem()
    item.entry.token = token
    head = feed_pb2.Head(seq=seq, token=token)
    item.entry.seats.extend([head] * 3)
    item.entry.spectators.CopyFrom(head)
    item.entry.deliveries.add(
        seats=range(3), spectators=True, seq=seq, frame=ServerFrame(entry=entry).SerializeToString()
    )
    version = int(stored[0][0].split(b"-")[0]) + 1
    await redis.xadd(KEYS.feed(room_id), {b"e": item.SerializeToString()}, id=f"{version}-0")
    return seq


async def test_an_entry_whose_message_was_lost_comes_from_the_feed(
    door: Door, clients: Clients
) -> None:
    room_id, guests = await table(door, clients, JsonLine, ProtoLine, GrpcLine)
    seq = await _commit_unheard(redis_of(door), room_id, b"unheard")
    for guest in guests:
        assert (await guest.next("entry")).entry.seq == seq
        assert guest.position(room_id).token == b"unheard"


async def test_entries_come_in_order_after_the_connection_for_messages_broke(
    door: Door, clients: Clients
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    before = ann.seq(room_id)
    for _ in range(3):
        await redis_of(door).client_kill_filter(_type="pubsub")
        last = await toggled(bob, room_id, 4)
    await ann.reach(room_id, last)
    numbers = [entry.seq for entry in ann.entries() if entry.seq > before]
    assert numbers == list(range(before + 1, last + 1))


async def test_a_room_that_vanished_is_said_to_be_gone(door: Door, clients: Clients) -> None:
    room_id, (ann, *_) = await table(door, clients)
    tag = room_id.split("-")[0]
    await redis_of(door).delete(*await redis_of(door).keys(f"{{{tag}}}:*{room_id}*"))
    refusal = (await ann.next("refusal")).refusal
    assert (reason_of(refusal), refusal.metadata["room_id"]) == ("ROOM_NOT_FOUND", room_id)
    assert list((await ann.synced()).heads) == []


async def test_sessions_outlive_a_restart_of_redis(tmp_path: Path, clients: Clients) -> None:
    server = servers.start(tmp_path, append_only=True)
    try:
        async with engine(server.url), gateway(server.url) as door:
            room_id, (ann, bob, _) = await table(door, clients)
            before = ann.seq(room_id)
            await asyncio.to_thread(server.restart)
            last = before + 2
            while bob.seq(room_id) < last:
                request = play_pb2.Ready(ready=(bob.seq(room_id) - before) % 2 == 0)
                await bob.command(room_id, ready=request)
                await bob.synced()
            await ann.reach(room_id, last)
            numbers = [entry.seq for entry in ann.entries() if entry.seq > before]
            assert numbers == list(range(before + 1, numbers[-1] + 1))
    finally:
        server.stop()
