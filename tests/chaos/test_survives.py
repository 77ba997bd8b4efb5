"""What an acknowledged move survives of Redis, by each durability, as the README's table says it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from parlor.serving.redis import connect
from parlor.serving.redis_server import RedisServer
from tests.chaos.recorded import engine_of, recording
from tests.conftest import Eventually
from tests.integration.redis_forms.support import replica_of, server

UNLIMITED = {"bid_limit": "600s", "play_limit": "600s", "double_limit": "600s"}
MOVES = 4


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


async def test_the_primary_and_every_replica_die_at_once_and_the_primarys_file_comes_back(
    stack: ExitStack, tmp_path: Path
) -> None:
    primary = stack.enter_context(server(tmp_path / "primary"))
    others = [
        stack.enter_context(replica_of(primary, tmp_path / f"replica{number}"))
        for number in range(2)
    ]
    async with engine_of(primary.url, durability="replicated", confirm_ms=20_000) as engine:
        game = await recording(engine, **UNLIMITED)
        await game.play(moves=MOVES, lapse=-1)
        for each in (primary, *others):
            each.kill()
        primary.restart()
        async with connect(primary.url) as client:
            verdict = await game.judged(client)
    assert (verdict.acknowledged, verdict.findings) == (MOVES, ())


async def test_a_server_that_syncs_once_a_second_is_killed_and_has_what_it_had_written(
    stack: ExitStack, tmp_path: Path, eventually: Eventually
) -> None:
    """The system has it, though the disk may not."""
    redis = stack.enter_context(server(tmp_path / "redis", "appendfsync everysec"))
    async with engine_of(redis.url, durability="relaxed") as engine:
        game = await recording(engine, **UNLIMITED)
        await game.play(moves=MOVES, lapse=-1)
        # While the disk is busy with a sync, it keeps back what comes.
        await eventually(lambda: _has_written(redis), timeout=60)
        redis.kill()
        redis.restart()
        async with connect(redis.url) as client:
            verdict = await game.judged(client)
    assert (verdict.acknowledged, verdict.findings) == (MOVES, ())


async def _has_written(redis: RedisServer) -> bool:
    async with connect(redis.url) as client:
        told = await client.info("persistence")
    return int(told["aof_buffer_length"]) == 0
