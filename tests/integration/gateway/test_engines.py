"""Engines come, go, break and freeze; what clients ask is carried out once."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import msgspec
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.keys import kind_of, shard_of
from parlor.serving.redis import Batch
from parlor.serving.replicas import Replica, live_replicas, ranked
from parlor.v1 import play_pb2, play_service_pb2
from tests.conftest import Eventually
from tests.integration.gateway.support import (
    CONFIG,
    KEYS,
    KIND,
    Client,
    Clients,
    bearer,
    engine,
    gateway,
    online,
    reason_of,
    toggled,
)

Door = App[GatewayConfig]


@asynccontextmanager
async def _engine_process(redis_url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """An engine that can be killed and frozen."""
    env = {**os.environ, "PARLOR_REDIS_URL": redis_url, "PYTHONPATH": "services"}
    env["PARLOR_LOG_LEVEL"] = "error"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlor.engine", "doudizhu", env=env
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _live(batch: Batch, count: int, eventually: Eventually) -> tuple[Replica, ...]:
    async def found() -> bool:
        return len(await live_replicas(batch, KEYS)) >= count

    await eventually(found)
    return await live_replicas(batch, KEYS)


async def _room_owned_by(replica: str, live: tuple[Replica, ...], client: Client) -> str:
    """A room whose shard belongs to this replica."""
    while True:
        room_id = (await client.open_room(join=False)).room_id
        if ranked(shard_of(room_id), kind_of(room_id), live)[0].replica == replica:
            await client.accepted(room_id, join=play_pb2.Join())
            return room_id


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_what_an_engine_leaves_unanswered_goes_to_the_next(
    redis_url: str, batch: Batch, clients: Clients, eventually: Eventually, end: signal.Signals
) -> None:
    async with (
        _engine_process(redis_url) as process,
        gateway(redis_url, engine_answer_ms=300, opens_per_min=1_000) as door,
    ):
        (doomed,) = await _live(batch, 1, eventually)
        async with engine(redis_url):
            live = await _live(batch, 2, eventually)
            ann = await clients.connect(door, "Ann")
            room_id = await _room_owned_by(doomed.replica, live, ann)
            await online(door, clients, ann, room_id, 1)
            before = await toggled(ann, room_id, 4)
            process.send_signal(end)
            for number in range(4):
                request = play_pb2.Ready(ready=number % 2 == 0)
                command = play_pb2.Command(request_id=str(number), room_id=room_id, ready=request)
                await ann.send(command=command)
            answers = [(await ann.next("answer")).answer for _ in range(4)]
            # Carried out once each, in the order in which they were sent.
            assert [answer.request_id for answer in answers] == ["0", "1", "2", "3"]
            assert [answer.accepted.seq for answer in answers] == [before + n for n in range(1, 5)]


async def test_a_leaving_engine_answers_what_it_has_and_gets_nothing_new(
    door: Door, batch: Batch, clients: Clients, eventually: Eventually, redis_url: str
) -> None:
    ann = await clients.connect(door, "Ann")
    room_id = (await ann.open_room()).room_id
    async with engine(redis_url):
        await _live(batch, 2, eventually)
        await toggled(ann, room_id, 4)
    last = await toggled(ann, room_id, 4)
    await ann.reach(room_id, last)


async def test_a_room_that_is_asked_for_before_an_engine_is_known_is_opened(
    redis_url: str, clients: Clients
) -> None:
    """Once refused with NO_ENGINE at once, where a command would have waited."""
    async with gateway(redis_url) as door:
        ann = await clients.connect(door, "Ann")
        opening = asyncio.create_task(ann.open_room())
        # The gateway has taken the request, and has looked for an engine in vain.
        bea = await clients.connect(door, "Bea")
        await bea.synced()
        assert not opening.done()
        async with engine(redis_url):
            await ann.watch((await opening).room_id)


async def test_without_an_engine_requests_are_refused(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, engine_total_ms=60, engine_answer_ms=50) as door:
        ann = await clients.connect(door, "Ann")
        answer = await ann.command("s1-doudizhu-abcdefgh", join=play_pb2.Join())
        assert reason_of(answer.refused) == "NO_ENGINE"
        await ann.send(open_room=play_pb2.OpenRoom(request_id="1", config=CONFIG))
        assert reason_of((await ann.next("answer")).answer.refused) == "NO_ENGINE"


async def test_an_engine_that_comes_late_serves_what_waits(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url) as door:
        ann = await clients.connect(door, "Ann")
        asked = asyncio.create_task(ann.command("s1-doudizhu-abcdefgh", join=play_pb2.Join()))
        await ann.send(ping=play_pb2.Ping())
        async with engine(redis_url):
            assert reason_of((await asked).refused) == "ROOM_NOT_FOUND"


async def test_who_waits_for_an_engine_that_is_taken_off_the_list_is_answered(
    redis_url: str, batch: Batch, clients: Clients, eventually: Eventually
) -> None:
    """Closing its channel ended the call, and with it the task that should have answered."""
    async with _silent() as address:
        silent = Replica(replica="doudizhu-silent", address=address, kind=KIND, beat_ms=10**15)
        announcement = msgspec.json.encode(silent)
        await batch.call("HSET", KEYS.engines(), silent.replica, announcement)
        async with gateway(
            redis_url,
            engine_answer_ms=60_000,
            engine_total_ms=60_000,
            # So slow that it can be seen what was taken of it.
            player_requests_per_s=1,
        ) as door:
            ann = await clients.connect(door, "Ann")
            await ann.send(open_room=play_pb2.OpenRoom(request_id="r", config=CONFIG))
            # From here on only the engine is waited for.
            await eventually(lambda: batch.call("EXISTS", f"limit:opens:{{{ann.player}}}"))
            token, bob = await clients.login(door, "Bob")
            replay = asyncio.create_task(_replay_refused(clients, door, token))
            await eventually(lambda: batch.call("EXISTS", f"limit:player:{{{bob}}}"))
            await ann.synced()
            await batch.call("HDEL", KEYS.engines(), silent.replica)
            answer = (await ann.next("answer")).answer
            assert reason_of(answer.refused) == "NO_ENGINE"
            assert await replay == "NO_ENGINE"


async def _replay_refused(clients: Clients, door: Door, token: str) -> str:
    """Why there is no replay."""
    request = play_service_pb2.GetReplayRequest(room_id="s1-doudizhu-aaaaaaaa", game_no=1)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        async for _ in clients.stub(door).GetReplay(request, metadata=bearer(token)):
            pass
    return reason_name(from_rpc_error(refused.value).reason)


@asynccontextmanager
async def _silent() -> AsyncIterator[str]:
    """The address of something that takes connections and says nothing."""
    over = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    try:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"
    finally:
        over.set()
        server.close()
