"""Replicas share the shards, and take over from those that leave or die."""

from itertools import count

import msgspec

from parlor.serving.keys import Keys, shard_of
from parlor.serving.redis import open_batch
from parlor.serving.replicas import Replica as Announced
from parlor.serving.replicas import live_replicas, ranked
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS, KIND, Replica, playing, replica
from tests.integration.engine.test_clocks import QUICK, finished


async def owners(engine: Replica) -> dict[str, int]:
    """Shards held by each replica."""
    held: dict[str, int] = {}
    seconds, micros = await engine.redis.time()
    for shard in range(64):
        fields = await engine.redis.hgetall(KEYS.owner(shard, KIND))
        if int(fields.get(b"until", 0)) > seconds * 1000 + micros // 1000:
            name = fields[b"replica"].decode()
            held[name] = held.get(name, 0) + 1
    return held


async def test_two_replicas_share_the_shards_and_one_that_drains_gives_them_up(
    redis_url: str, eventually: Eventually
) -> None:
    async with replica(redis_url) as one:

        async def shared() -> bool:
            held = await owners(one)
            return len(held) == 2 and sum(held.values()) == 64 and min(held.values()) > 15

        async def alone() -> bool:
            return list((await owners(one)).values()) == [64]

        async with replica(redis_url):
            await eventually(shared)
        await eventually(alone)


async def test_the_clocks_of_a_dead_replica_are_kept_by_the_others(
    redis_url: str, eventually: Eventually
) -> None:
    """A shard whose owner never comes: overdue rooms are woken by any replica, and nothing is lost to an outage."""
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, **QUICK)
        shard = shard_of(ann.room_id)
        batch = open_batch(engine.redis)
        (alive,) = await live_replicas(batch, KEYS)
        await batch.aclose()
        dead = next(d for d in map(_dead, count()) if ranked(shard, KIND, [alive, d])[0] is d)
        await engine.redis.hset(KEYS.engines(), dead.replica, msgspec.json.encode(dead))
        await eventually(lambda: finished(ann))
        assert await engine.redis.hget(KEYS.owner(shard, KIND), "until") == b"0"
        assert not await engine.redis.exists(KEYS.outages(shard, KIND))


def _dead(number: int) -> Announced:
    """A replica that was announced for ever and takes nothing."""
    return Announced(replica=f"dead-{number}", address="127.0.0.1:1", kind=KIND, beat_ms=2**52)


async def test_a_lease_is_fenced_by_a_rising_number(redis_url: str, eventually: Eventually) -> None:
    fences = []
    for _ in range(2):
        async with replica(redis_url) as engine:

            async def owned(engine: Replica = engine) -> bool:
                return bool(await owners(engine))

            await eventually(owned)
            fences.append(int(await engine.redis.hget(KEYS.owner(0, KIND), "fence")))
    assert fences == [1, 2]


async def test_draining_replicas_are_ranked_last(redis_url: str) -> None:
    async with replica(redis_url) as engine:
        batch = open_batch(engine.redis)
        (only,) = await live_replicas(batch, Keys())
        await batch.aclose()
    leaving = msgspec.structs.replace(only, draining=True, replica="leaving")
    assert all(ranked(s, KIND, [leaving, only])[0] == only for s in range(64))
    assert ranked(0, "planes", [only]) == []
