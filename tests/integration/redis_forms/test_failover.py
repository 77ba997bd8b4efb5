"""The primary is killed under Sentinel, and everything finds the next one."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from structlog.testing import capture_logs

from parlor.serving.duplex import Duplex, packed
from parlor.serving.redis import connect, open_batch, open_subscriber
from parlor.serving.redis_server import RedisServer
from parlor.serving.sentinel import Replaced
from parlor.v1 import play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS, Guest, Replica, config, replica
from tests.integration.redis_forms.support import Watched, watched

PASSING = {
    ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
    ErrorReason.ERROR_REASON_COMMIT_UNCONFIRMED,
    ErrorReason.ERROR_REASON_CONFLICT,
}


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Watched]:
    """A primary with two replicas, and three sentinels."""
    with watched(tmp_path, replicas=2) as running:
        yield running


async def test_commands_messages_and_the_client_go_to_the_new_primary(
    deployment: Watched, eventually: Eventually
) -> None:
    client = connect(deployment.url)
    batch, heard = open_batch(client), []
    async with open_subscriber(client) as subscriber:
        await subscriber.subscribe("news", lambda _, data: heard.append(data))
        before = await client.info("server")
        deployment.primary.kill()

        async def is_told() -> bool:
            try:
                await batch.call("SPUBLISH", "news", "again")
                return bool(heard) and bool(await client.ping())
            except RedisError:
                return False

        await eventually(is_told, timeout=60)
        after = await client.info("server")
        assert before["tcp_port"] == deployment.primary.port != after["tcp_port"]
        assert (await client.info("replication"))["role"] == "master"
    await batch.aclose()
    await client.aclose()


async def test_who_waits_for_a_frozen_primary_turns_to_the_next_one_as_soon_as_there_is_one(
    deployment: Watched, eventually: Eventually
) -> None:
    """Long before the silence alone would be taken for a break."""
    gaps: list[None] = []
    client = connect(deployment.url)
    batch = open_batch(client, timeout_ms=600_000)
    await batch.call("PING")
    with capture_logs() as logs:
        async with open_subscriber(
            client, on_reconnect=lambda: gaps.append(None), heartbeat_ms=4_000
        ):
            with _frozen(deployment.primary):
                with pytest.raises(Replaced):
                    await batch.call("PING")
                assert await batch.call("INCR", "key") == 1
                await eventually(lambda: bool(gaps), timeout=60)
    ends = [each["error"] for each in logs if each["event"] == "subscriber_disconnected"]
    assert set(ends) == {"Replaced"}
    await batch.aclose()
    await client.aclose()


async def test_a_frozen_server_takes_connections_and_holds_nobody_once_it_is_replaced(
    deployment: Watched,
) -> None:
    client = connect(deployment.url)
    with _frozen(deployment.primary):
        async with asyncio.timeout(60):
            connection = await Duplex.open(client, timeout_s=600)
        roles: list[Any] = []

        def said(role: Any) -> None:
            roles.append(role)
            raise RedisConnectionError("enough")

        connection.send(packed("ROLE"))
        with pytest.raises(RedisConnectionError, match="enough"):
            await connection.run(said)
    assert roles[0][0] == b"master"
    await client.aclose()


@contextmanager
def _frozen(server: RedisServer) -> Iterator[None]:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


async def test_a_primary_without_replicas_may_have_been_replaced_and_is_asked_for_anew(
    deployment: Watched,
) -> None:
    """A frozen one that comes back is still a primary, until Sentinel tells it some ten seconds later."""
    client = connect(deployment.url)
    batch = open_batch(client)
    first = await batch.call("CLIENT", "ID")
    await client.config_set("min-replicas-to-write", 3)
    with pytest.raises(RedisConnectionError):
        await batch.call("SET", "key", "value")
    assert await batch.call("CLIENT", "ID") != first
    await batch.aclose()
    await client.aclose()


async def test_an_engine_plays_on_with_the_new_primary(
    deployment: Watched, eventually: Eventually
) -> None:
    async with replica(deployment.url) as engine:
        ticking = await _left_alone(engine)
        await _replicated(engine)
        deployment.primary.kill()
        await _persistently(ticking, say=play_pb2.Say(text="again"))

        async def clocks() -> int:
            log = await engine.redis.xrange(KEYS.log(ticking.room_id, 1))
            return sum(fields[b"what"] == b"clock" for _, fields in log)

        ticks = await clocks() + 2

        async def clocks_act() -> bool:
            return await clocks() > ticks

        await eventually(clocks_act, timeout=60)
        await eventually(engine.app.ready_checks["expirations"], timeout=60)


async def _replicated(engine: Replica) -> None:
    """Waits until a replica has what was written so far."""
    assert await engine.redis.wait(1, 5_000) >= 1


async def _left_alone(engine: Replica) -> Guest:
    """Somebody at a table where only clocks act."""
    room_id = await engine.open(opener="dan", config=config(bid_limit="0.3s", play_limit="0.3s"))
    guests = [Guest(name, room_id, engine) for name in ("dan", "eve", "fay")]
    for guest in guests:
        await guest.accepted(join=play_pb2.Join())
        await guest.online(1)
    for guest in guests:
        await guest.accepted(ready=play_pb2.Ready(ready=True, entropy=guest.name.encode()))
    return guests[0]


async def _persistently(guest: Guest, **command: Any) -> None:
    """Sends a command with one id until it is accepted."""
    request_id = f"{guest.name}-{time.monotonic_ns()}"
    for _ in range(200):
        answer = await guest.command(request_id=request_id, **command)
        if answer.HasField("accepted"):
            return
        assert answer.refused.reason in PASSING, answer
        await asyncio.sleep(0.05)
    raise AssertionError("never accepted")
