"""Which replicas live, as those who follow the list know it."""

import msgspec
from redis.asyncio import Redis

from parlor.serving.keys import Keys
from parlor.serving.redis import connect, open_batch, redis_time_ms
from parlor.serving.replicas import DEAD_MS, GAP_MS, LiveReplicas, Replica
from tests.conftest import Eventually

KEYS = Keys("followed:")


async def test_nobody_is_dead_because_the_store_was_away(
    redis_url: str, eventually: Eventually
) -> None:
    """All have been silent for too long when it is back, and have as long again to beat."""
    redis = connect(redis_url)
    batch = open_batch(redis)
    gateway, newcomer = LiveReplicas(batch, KEYS), LiveReplicas(batch, KEYS)
    began = await _beats(redis)
    assert [each.replica for each in await gateway.read()] == ["engine"]

    async def silent() -> bool:
        return await redis_time_ms(redis) > began + DEAD_MS + GAP_MS

    # Nobody reads and nobody beats, as while there is no primary.
    await eventually(silent)
    assert await newcomer.read() == ()
    assert [each.replica for each in await gateway.read()] == ["engine"]

    async def dead() -> bool:
        return await gateway.read() == ()

    # One that does not come back then is dead after all.
    await eventually(dead)
    await _beats(redis)
    assert [each.replica for each in await gateway.read()] == ["engine"]
    await batch.aclose()
    await redis.aclose()


async def _beats(redis: Redis) -> int:
    now = await redis_time_ms(redis)
    replica = Replica(replica="engine", address="127.0.0.1:1", kind="planes", beat_ms=now)
    await redis.hset(KEYS.engines(), replica.replica, msgspec.json.encode(replica))
    return now
