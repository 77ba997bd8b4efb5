"""A session may do much, and not everything."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import aiohttp
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.gateway.penalties import HEARD
from parlor.serving import App
from parlor.v1 import play_pb2
from tests.conftest import Eventually
from tests.integration.gateway.support import (
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    gateway,
    reason_of,
)

Door = App[GatewayConfig]


@pytest.fixture
async def slow_door(redis_url: str) -> AsyncIterator[Door]:
    """A gateway that takes five frames at once, and no engine behind it."""
    async with gateway(redis_url, frames_per_s=100, frames_burst=5, heartbeat_ms=1_000) as app:
        yield app


@pytest.mark.parametrize("line", [JsonLine, ProtoLine, GrpcLine])
async def test_who_speaks_too_fast_is_told_and_held_back(
    slow_door: Door, clients: Clients, line: object
) -> None:
    ann = await clients.connect(slow_door, "Ann", line=line)
    for _ in range(30):
        await ann.send(unwatch=play_pb2.Unwatch())
    await ann.send(ping=play_pb2.Ping())
    refusals = []
    while (frame := await ann.next("refusal", "heartbeat")).HasField("refusal"):
        refusals.append(frame.refusal)
    assert {reason_of(refusal) for refusal in refusals} == {"TOO_FAST"}
    assert all(0 < int(refusal.metadata["retry_after_ms"]) <= 20 for refusal in refusals)
    # Each refusal cost a pause, in which something was given back.
    assert len(refusals) <= 20


async def test_a_players_requests_are_limited_on_all_connections(
    redis_url: str, clients: Clients
) -> None:
    slow = {"player_requests_per_s": 0, "player_requests_burst": 16}
    async with gateway(redis_url, **slow) as door:
        ann = await clients.connect(door, "Ann")
        # A quarter of the burst is a block: so many are not held up by a block on its way, and are taken off it.
        reasons = []
        for number in range(30):
            command = play_pb2.Command(request_id=str(number), room_id="x", join=play_pb2.Join())
            await ann.send(command=command)
            reasons.append(reason_of((await ann.next("answer")).answer.refused))
            if reasons[-1] == "TOO_FAST":
                break
        assert 4 <= reasons.count("ROOM_NOT_FOUND") <= 20
        assert reasons[-1] == "TOO_FAST"


async def test_eight_requests_may_be_unanswered(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, engine_total_ms=1_500, engine_answer_ms=1_500) as door:
        ann = await clients.connect(door, "Ann")
        for number in range(9):
            command = play_pb2.Command(
                request_id=str(number), room_id="s1-doudizhu-abcdefgh", join=play_pb2.Join()
            )
            await ann.send(command=command)
        answers = [(await ann.next("answer")).answer for _ in range(9)]
        assert [(a.request_id, reason_of(a.refused)) for a in answers] == [
            ("8", "TOO_FAST"),
            *((str(number), "NO_ENGINE") for number in range(8)),
        ]


async def test_eight_rooms_may_be_followed(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with gateway(redis_url, follows=2) as door:
        ann = await clients.connect(door, "Ann")
        rooms = [(await ann.open_room(join=False)).room_id for _ in range(3)]
        assert (await ann.watch(rooms[0])).HasField("view")
        assert (await ann.watch(rooms[1])).HasField("view")
        assert reason_of((await ann.watch(rooms[2])).refusal) == "TOO_FAST"
        await ann.send(unwatch=play_pb2.Unwatch(room_id=rooms[0]))
        assert (await ann.watch(rooms[2])).HasField("view")
        heads = (await ann.synced()).heads
        assert {head.room_id for head in heads} == {rooms[1], rooms[2]}


async def test_codes_cannot_be_tried_out(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, codes_per_min=2) as door:
        ann = await clients.connect(door, "Ann")
        reasons = []
        for code in range(4):
            await ann.send(watch=play_pb2.Watch(code=f"{code:06}"))
            reasons.append(reason_of((await ann.next("refusal")).refusal))
        assert reasons == ["CODE_NOT_FOUND", "CODE_NOT_FOUND", "TOO_FAST", "TOO_FAST"]


async def test_a_room_is_found_by_its_code(door: Door, clients: Clients) -> None:
    ann = await clients.connect(door, "Ann")
    room = await ann.open_room()
    bob = await clients.connect(door, "Bob")
    await bob.send(watch=play_pb2.Watch(code=room.code))
    assert (await bob.next("view")).view.room_id == room.room_id


async def test_the_process_starts_and_drains(redis_url: str) -> None:
    process = await _main(redis_url)
    assert process.stderr is not None
    async with asyncio.timeout(60):
        while b"started" not in (line := await process.stderr.readline()):
            assert line, "it ended"
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def _main(redis_url: str) -> asyncio.subprocess.Process:
    env = {**os.environ, "PARLOR_REDIS_URL": redis_url, "PYTHONPATH": "services"}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlor.gateway", env=env, stderr=asyncio.subprocess.PIPE
    )


async def test_a_join_by_code_is_a_try_at_a_code_too(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with gateway(redis_url, codes_per_min=2) as door:
        ann = await clients.connect(door, "Ann")
        room = await ann.open_room(private=True)
        bob = await clients.connect(door, "Bob")
        reasons = []
        for code in range(4):
            join = play_pb2.Join(code=f"{code:06}")
            answer = await bob.command(room.room_id, join=join)
            reasons.append(reason_of(answer.refused))
        assert reasons == ["NOT_INVITED", "NOT_INVITED", "TOO_FAST", "TOO_FAST"]


async def test_who_only_sends_pings_and_pongs_is_held_back_alone(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url) as door:
        flooder = await clients.line(door, ProtoLine)
        for _ in range(2_000):
            await flooder.socket.pong()
        # The gateway takes twenty at once, and the others wait for nothing.
        ann = await clients.connect(door, "Ann")
        loop = asyncio.get_running_loop()
        began = loop.time()
        for _ in range(20):
            await ann.synced()
        assert loop.time() - began < 20


async def test_connections_are_counted_before_they_say_hello(
    redis_url: str, clients: Clients
) -> None:
    slow = {"address_arrivals_per_s": 0, "address_arrivals_burst": 3}
    async with gateway(redis_url, **slow) as door:
        for _ in range(3):
            await clients.line(door)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await clients.line(door)
        assert refused.value.status == 429


async def test_an_address_may_have_only_so_many_connections_without_a_hello(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url, strangers=2) as door:
        token, player = await clients.login(door, "Ann")
        silent = [await clients.line(door) for _ in range(2)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await clients.line(door)
        assert refused.value.status == 429
        assert refused.value.headers is not None
        assert refused.value.headers["Connection"] == "close"
        ann = Client(silent[0], player, token)
        await ann.hello()
        # She is no stranger any more, and makes room for another one.
        await clients.connect(door, like=ann)


async def test_who_goes_on_after_many_refusals_is_not_heard_for_a_while(
    redis_url: str, clients: Clients, eventually: Eventually
) -> None:
    async with gateway(redis_url, address_arrivals_per_s=0, address_arrivals_burst=3) as door:
        login = {"url": f"http://{door.http_address}/login", "json": {"name": "Mallory"}}
        async with _from("127.0.0.9") as mallory:

            async def answer() -> int | None:
                return await _status(mallory, login)

            answers = [await answer() for _ in range(3 + HEARD.burst)]
            assert answers == [200] * 3 + [429] * HEARD.burst
            # From now on closed unread, and others are served meanwhile.
            await eventually(lambda: _is(answer(), None))
            await clients.connect(door, "Ann")
            await eventually(lambda: _is(answer(), 429))


async def _is(answer: Awaitable[int | None], wanted: int | None) -> bool:
    return await answer == wanted


def _from(address: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(address, 0)))


async def _status(http: aiohttp.ClientSession, request: dict[str, Any]) -> int | None:
    """The status of the answer; None where there is none."""
    try:
        async with http.post(**request) as response:
            return response.status
    except (aiohttp.ClientError, ConnectionError):
        return None
