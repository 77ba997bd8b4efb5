"""A planted bug: WAIT over a connection that did not write. The checker finds what that acknowledges."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlor.serving.batch import ServerBatch
from parlor.serving.redis import connect
from parlor.serving.redis_server import RedisServer
from parlor.v1.play_pb2 import Answer
from tests.chaos.checker import Kind, Verdict
from tests.chaos.recorded import engine_of, recording
from tests.integration.redis_forms.support import replica_of, server


@pytest.fixture
def primary(tmp_path: Path) -> Iterator[RedisServer]:
    with server(tmp_path / "primary") as running:
        yield running


@pytest.fixture
def standby(primary: RedisServer, tmp_path: Path) -> Iterator[RedisServer]:
    with replica_of(primary, tmp_path / "standby") as running:
        yield running


async def failed_over(primary: RedisServer, standby: RedisServer) -> tuple[Answer, Verdict]:
    """The answer to the last move before a failover that no replica was told of, and the verdict.

    The replica is frozen before that move, and has afterwards what is in its file: as one has that
    the network did not reach.
    """
    async with engine_of(primary.url, durability="replicated", confirm_ms=1_000) as engine:
        game = await recording(engine, bid_limit="600s", play_limit="600s", double_limit="600s")
        await game.play(moves=2, lapse=-1)
        seat, view = await game.awaited()
        async with connect(primary.url) as client:
            await client.set("written", "last")
            assert await client.wait(1, 5_000) == 1
        os.kill(standby.pid, signal.SIGSTOP)
        answer = await game.answer(seat, view)
    primary.kill()
    standby.kill()
    standby.restart()
    async with connect(standby.url) as promoted:
        return answer, await game.judged(promoted)


async def test_what_is_not_confirmed_is_not_acknowledged_and_so_not_lost(
    primary: RedisServer, standby: RedisServer
) -> None:
    answer, verdict = await failed_over(primary, standby)
    assert answer.HasField("refused")
    assert (verdict.acknowledged, verdict.findings) == (2, ())


async def test_a_wait_on_another_connection(
    primary: RedisServer, standby: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_call, others = ServerBatch.call, dict[ServerBatch, ServerBatch]()

    def call(self: ServerBatch, *command: Any) -> Any:
        if command[0] == "WAIT":
            self = others.setdefault(self, ServerBatch(self._redis))
        return true_call(self, *command)

    monkeypatch.setattr(ServerBatch, "call", call)
    answer, verdict = await failed_over(primary, standby)
    for other in others.values():
        await other.aclose()
    assert answer.HasField("accepted")
    assert verdict.acknowledged == 3
    assert verdict.kinds == {Kind.LOST}
