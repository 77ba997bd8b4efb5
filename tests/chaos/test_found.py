"""What campaigns have found, each made to happen at once."""

import asyncio

import pytest

from parlor.gateway.feeds import Feeds
from parlor.v1.feed_pb2 import FeedEntry
from tests.integration.gateway.support import Clients, engine, gateway, redis_of, table, toggled


async def test_an_entry_that_comes_while_the_feed_is_read_takes_nothing_back(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a lost subscription a room was said to have gone back, for its feed was read too early."""
    clients, true_read, overtaken = Clients(), Feeds.read, asyncio.Event()
    try:
        async with engine(redis_url), gateway(redis_url) as door:
            room_id, (ann, bob, _) = await table(door, clients)

            async def read(self: Feeds, room_id: str) -> list[FeedEntry]:
                feed = await true_read(self, room_id)
                if not overtaken.is_set():
                    await ann.reach(room_id, await toggled(bob, room_id, 1))
                    overtaken.set()
                return feed

            monkeypatch.setattr(Feeds, "read", read)
            seen = len(ann.seen)
            await redis_of(door).client_kill_filter(_type="pubsub")
            async with asyncio.timeout(60):
                await overtaken.wait()
            await ann.reach(room_id, await toggled(bob, room_id, 2))
            await ann.synced()
            assert not any(frame.HasField("view") for frame in ann.seen[seen:])
    finally:
        await clients.aclose()
