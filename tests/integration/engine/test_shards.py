"""Replicas share the shards, and take over from those that leave or die."""

from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
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
        if fields and int(fields[b"until"]) > seconds * 1000 + micros // 1000:
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
    """A lease that nobody renews: overdue rooms are woken by any replica, before a new owner is."""
    async with replica(redis_url) as engine:
        await engine.redis.hset(
            KEYS.engines(),
            "dead",
            b'{"replica":"dead","address":"127.0.0.1:1","kind":"doudizhu","beat_ms":%d}' % (2**52),
        )
        ann, *_ = await playing(engine, **QUICK)
        await eventually(lambda: finished(ann), timeout=30)


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
        batch = Batch(engine.redis)
        (only,) = await live_replicas(batch, Keys())
        await batch.aclose()
    import msgspec

    leaving = msgspec.structs.replace(only, draining=True, replica="leaving")
    assert all(ranked(s, KIND, [leaving, only])[0] == only for s in range(64))
    assert ranked(0, "planes", [only]) == []
