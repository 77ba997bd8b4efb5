"""Maintenance on a Cluster: one plan for all, and everything that runs is counted, wherever it is."""

from parlor.cli.census import census
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Plan, call_off, plan, planned_now
from parlor.serving.redis import Batch, Cluster
from parlor.v1 import play_pb2
from tests.integration.engine.support import playing, replica
from tests.integration.redis_forms.cluster import RunningCluster

KEYS = Keys()


def _names(number: int) -> tuple[str, ...]:
    return tuple(f"{name}{number}" for name in ("ann", "bob", "cat"))


async def test_a_plan_is_one_for_all(batch: Batch) -> None:
    assert await planned_now(batch, KEYS) is None
    await plan(batch, KEYS, Plan(at_ms=5, until_ms=7))
    assert await planned_now(batch, KEYS) == Plan(at_ms=5, until_ms=7)
    assert await call_off(batch, KEYS)
    assert await planned_now(batch, KEYS) is None


async def test_what_another_release_has_written_is_no_plan(batch: Batch) -> None:
    await batch.call("SET", KEYS.maintenance(), b"from three on")
    assert await planned_now(batch, KEYS) is None


async def test_games_and_tickets_of_all_servers_are_counted(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch
) -> None:
    async with replica(servers.url) as engine:
        # Open, but not played in.
        await engine.open()
        tables = [await playing(engine, names=_names(number)) for number in range(5)]
        for pool in "abcd":
            await batch.call("ZADD", KEYS.pool(pool, "people"), 1, "one", 2, "two")
            await batch.call("ZADD", KEYS.pool(pool, "bots"), 1, "three")
        counted = await census(redis_cluster, batch, KEYS)
        assert (counted.games, counted.tickets) == ({"doudizhu": 5}, 8)
        # Another Parlor's prefix sees none of it.
        assert (await census(redis_cluster, batch, Keys("other:"))).is_idle
        for guest in tables[0]:
            await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
        assert (await census(redis_cluster, batch, KEYS)).games == {"doudizhu": 4}
