"""How often is often enough."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from parlor.gateway import limits
from parlor.gateway.limits import Bucket, FleetLimit, Rate
from parlor.serving import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, connect, open_batch
from parlor.v1.error_reason_pb2 import ErrorReason

TOO_FAST: Final = ErrorReason.ERROR_REASON_TOO_FAST


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
        FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=16), block=6) for _ in range(2)
    )
    leased = [await limit.lease("ann") for limit in (here, there, here, there)]
    # A quarter of what there is at once, however large a block would be.
    assert leased == [(4, 0)] * 4
    given, wait_ms = await here.lease("ann")
    assert given == 0
    assert 0 < wait_ms <= 1_000_000
    assert await here.lease("bob") == (4, 0)


async def test_a_fleets_bucket_is_forgotten_when_it_is_full_again(
    batch: Batch, redis: Redis
) -> None:
    await FleetLimit(batch, Keys(), "frames", Rate(per_s=2, burst=16), block=4).lease("ann")
    assert 0 < await redis.pttl("limit:frames:{ann}") <= 3_000


async def test_a_purse_spends_what_was_leased_without_waiting(batch: Batch) -> None:
    work: list[Callable[[], Coroutine[Any, Any, None]]] = []
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=16), block=4)
    purse = limit.purse("ann")
    spent = 0
    for _ in range(40):
        spent += purse.take(work.append) == 0
        await asyncio.gather(*(each() for each in work))
        work.clear()
    assert spent == 16


async def test_sessions_and_calls_of_a_player_spend_from_one_purse(batch: Batch) -> None:
    """Or everybody who comes again would be owed the first ones again."""
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=16), block=4)
    spent = 0
    for _ in range(9):
        work: list[Callable[[], Coroutine[Any, Any, None]]] = []
        session = limit.purse("ann")
        spent += sum(session.take(work.append) == 0 for _ in range(2))
        await asyncio.gather(*(each() for each in work))
        with suppress(ServiceError):
            await limit.spend("ann")
            spent += 1
    assert 16 <= spent <= 16 + limit.block


async def test_many_calls_cost_a_round_trip_for_each_block(batch: Batch, redis: Redis) -> None:
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=1_000), block=20)
    before = await _scripts_run(redis)
    for _ in range(10):
        await asyncio.gather(*(limit.spend("ann") for _ in range(20)))
    for _ in range(200):
        await limit.spend("ann")
    assert await _scripts_run(redis) - before == 400 / 20


async def test_a_refused_player_who_goes_on_costs_no_more_round_trips(
    batch: Batch, redis: Redis
) -> None:
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=16), block=4)
    before = await _scripts_run(redis)
    ends = await asyncio.gather(*(limit.spend("ann") for _ in range(50)), return_exceptions=True)
    assert ends.count(None) == 16
    for end in ends:
        assert end is None or (isinstance(end, ServiceError) and end.reason == TOO_FAST)
    assert await _scripts_run(redis) - before == 5


async def test_a_limit_holds_over_gateways_that_spend_at_once(batch: Batch) -> None:
    gateways = [
        FleetLimit(batch, Keys(), "frames", Rate(per_s=0.001, burst=100), block=20)
        for _ in range(2)
    ]
    ends = await asyncio.gather(
        *(gateway.spend("ann") for gateway in gateways for _ in range(90)), return_exceptions=True
    )
    assert ends.count(None) == 100


async def test_who_was_longest_away_is_forgotten(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PURSES", 2)
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=1, burst=8), block=4)
    ann, bob = limit.purse("ann"), limit.purse("bob")
    assert limit.purse("ann") is ann
    limit.purse("cid")
    assert limit.purse("ann") is ann
    assert limit.purse("bob") is not bob


async def test_a_store_that_is_away_limits_nobody() -> None:
    nowhere = open_batch(connect("redis://127.0.0.1:1/0"))
    limit = FleetLimit(nowhere, Keys(), "frames", Rate(per_s=1, burst=16), block=4)
    assert await limit.lease("ann") == (4, 0)
    await nowhere.aclose()


async def test_a_limit_that_is_broken_is_told_and_lets_nobody_pass(
    batch: Batch, redis: Redis
) -> None:
    await redis.set("limit:frames:{ann}", "something else")
    limit = FleetLimit(batch, Keys(), "frames", Rate(per_s=1, burst=8), block=4)
    with pytest.raises(ResponseError):
        await limit.spend("ann")


async def _scripts_run(redis: Redis) -> int:
    """How many scripts the server has run so far; one that it had to be sent first has run once."""
    stats = await redis.info("commandstats")
    ran = [stats[name] for name in ("cmdstat_eval", "cmdstat_evalsha") if name in stats]
    return sum(each["calls"] - each["failed_calls"] for each in ran)
