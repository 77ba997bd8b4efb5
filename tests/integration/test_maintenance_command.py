"""`parlor maintenance`, as an operator types it."""

import asyncio
import sys
import time

import pytest
from redis.asyncio import Redis

from parlor.matchmaking.store import QUEUED
from parlor.serving.keys import Keys
from parlor.serving.maintenance import LOOK_S, Plan, plan
from parlor.serving.redis import Batch
from parlor.v1 import play_pb2
from tests.conftest import Eventually
from tests.integration.engine.support import playing, replica

KEYS = Keys()


async def parlor(redis_url: str, *words: str) -> tuple[int, str, str]:
    """What `parlor maintenance` ends with, prints, and complains of."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "parlor.cli", "maintenance", *words),
        env={"PYTHONPATH": "services", "PARLOR_REDIS_URL": redis_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(120):
        said, complaint = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode(), complaint.decode()


async def test_it_is_planned_moved_and_called_off(redis_url: str, redis: Redis) -> None:
    code, said, _ = await parlor(
        redis_url, "on", "--at", "2999-12-01T03:00+01:00", "--until", "2999-12-01T03:00Z"
    )
    assert code == 0
    assert said == "maintenance from 2999-12-01 02:00:00 UTC until 2999-12-01 03:00:00 UTC\n"
    code, said, _ = await parlor(redis_url, "on")
    assert (code, said[:17]) == (0, "maintenance since")
    code, said, _ = await parlor(redis_url, "status")
    assert code == 0
    assert said.splitlines()[1:] == ["games: none", "tickets: none"]
    assert await parlor(redis_url, "off") == (0, "maintenance is over\n", "")
    assert await redis.exists(KEYS.maintenance()) == 0
    assert (await parlor(redis_url, "off"))[1] == "no maintenance was planned\n"


async def test_a_wait_ends_when_the_last_game_has(
    redis_url: str, batch: Batch, redis: Redis, eventually: Eventually
) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine)
        await redis.zadd(KEYS.pool("doudizhu-standard-0000", QUEUED), {"a-ticket": 1})
        await plan(batch, KEYS, Plan(at_ms=1))
        _, said, _ = await parlor(redis_url, "status")
        assert said.splitlines()[1:] == ["games: doudizhu 1", "tickets: 1"]

        code, _, complaint = await parlor(redis_url, "status", "--wait", "--limit", "1")
        assert (code, complaint) == (1, "parlor: not idle in time\n")

        waiting = asyncio.create_task(parlor(redis_url, "status", "--wait"))
        await redis.delete(KEYS.pool("doudizhu-standard-0000", QUEUED))
        for guest in guests:
            await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
        code, said, _ = await waiting
        assert code == 0
        assert said.splitlines()[-2:] == ["games: none", "tickets: none"]


async def test_a_wait_for_one_that_is_planned_lasts_until_it_has_begun(
    redis_url: str, batch: Batch
) -> None:
    at_ms = int(time.time() * 1000) + 3_000
    await plan(batch, KEYS, Plan(at_ms=at_ms))
    code, _, _ = await parlor(redis_url, "status", "--wait")
    assert code == 0
    # Services have noticed by then that nothing may begin.
    assert time.time() * 1000 >= at_ms + 1000 * LOOK_S


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("on", "--at", "tomorrow"), 2, "'tomorrow': expected now, +30m"),
        (("on", "--at", "2999-12-01T03:00"), 2, "expected now, +30m"),
        (("on", "--at", "+2h", "--until", "+1h"), 2, "--until: expected a time after"),
        (("status", "--wait"), 1, "nothing to wait for"),
    ],
)
async def test_what_cannot_be_done_is_said(
    redis_url: str, redis: Redis, words: tuple[str, ...], code: int, complaint: str
) -> None:
    ended, _, complained = await parlor(redis_url, *words)
    assert ended == code
    assert complaint in complained
    assert await redis.exists(KEYS.maintenance()) == 0


async def test_without_a_redis_it_fails() -> None:
    code, said, complaint = await parlor("redis://127.0.0.1:1/0", "on")
    assert (code, said) == (1, "")
    assert complaint.startswith("parlor: ")
