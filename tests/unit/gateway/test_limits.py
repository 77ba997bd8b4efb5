"""How often is often enough."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from parlor.gateway.limits import Bucket, FleetLimit, Purse, Rate
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, connect, open_batch


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    now = 0.0
    bucket = Bucket(Rate(per_s=10, burst=3), lambda: now)
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 100]
    now += 0.05
    assert bucket.take() == 50
    now += 0.05
    assert bucket.take() == 0
    now += 60
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 100]


def test_a_burst_goes_faster_than_its_rate_and_not_all_at_once() -> None:
    now = 0.0
    bucket = Bucket(Rate(per_s=20, burst=60), lambda: now)
    pauses = []
    while not bucket.take():
        pauses.append(bucket.pause_s)
        now += pauses[-1]
    # The first ones of a client that has just come are not held up.
    assert pauses[:5] == [0] * 5
    assert set(pauses[6:]) == {0.02}
    assert 60 < len(pauses) < 120


async def test_a_fleets_bucket_is_one_for_all_who_lease_from_it(batch: Batch) -> None:
    here, there = (
        FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=10), block=6) for _ in range(2)
    )
    assert await here.lease("ann") == (6, 0)
    given, _ = await there.lease("ann")
    assert given == 4
    given, wait_ms = await here.lease("ann")
    assert given == 0
    assert 0 < wait_ms <= 1_000_000
    assert await here.lease("bob") == (6, 0)


async def test_a_fleets_bucket_is_forgotten_when_it_is_full_again(
    batch: Batch, redis: Redis
) -> None:
    await FleetLimit(batch, Keys(), "frames", Rate(per_s=2, burst=10)).lease("ann", 4)
    assert 0 < await redis.pttl("limit:frames:{ann}") <= 3_000


async def test_a_purse_spends_what_was_leased_without_waiting(batch: Batch) -> None:
    work: list[Callable[[], Coroutine[Any, Any, None]]] = []
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=8), block=4)
    purse = Purse(limit, "ann", work.append)
    spent = 0
    for _ in range(20):
        spent += purse.take() == 0
        await asyncio.gather(*(each() for each in work))
        work.clear()
    assert spent == 8


async def test_a_store_that_is_away_limits_nobody() -> None:
    nowhere = open_batch(connect("redis://127.0.0.1:1/0"))
    limit = FleetLimit(nowhere, Keys(), "frames", Rate(per_s=1, burst=8), block=4)
    assert await limit.lease("ann") == (4, 0)
    await nowhere.aclose()


async def test_a_limit_that_is_broken_is_told_and_lets_nobody_pass(
    batch: Batch, redis: Redis
) -> None:
    await redis.set("limit:frames:{ann}", "something else")
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=1, burst=8), block=4)
    with pytest.raises(ResponseError):
        await limit.spend("ann")
