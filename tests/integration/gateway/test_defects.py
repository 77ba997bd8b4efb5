"""A defect is told to nobody but the log, whichever way the request came in.

The defect of these tests is a key of Redis that holds something else than the gateway has put there:
Redis answers, and its answer is an error that no waiting mends.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import grpc
import pytest
import structlog

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.errors import from_rpc_error
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.error_reason_pb2 import ErrorReason
from tests.integration.gateway.support import (
    KEYS,
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    bearer,
    gateway,
    redis_of,
)

CODE = "123456"
INTERNAL = ErrorReason.ERROR_REASON_INTERNAL
NEUTRAL = "a defect of the service"

Logged = list[Any]


@pytest.fixture
async def door(redis_url: str) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway that needs no engine for what is asked here."""
    async with gateway(redis_url) as app:
        await redis_of(app).rpush(KEYS.code(CODE), "not a room")
        yield app


@pytest.fixture
def logged() -> Iterator[Logged]:
    with structlog.testing.capture_logs() as lines:
        yield lines


def defects(logged: Logged) -> list[dict[str, Any]]:
    return [line for line in logged if line["event"] == "request_failed"]


async def test_a_call_is_internal_and_not_in_the_words_of_redis(
    door: App[GatewayConfig], clients: Clients, logged: Logged
) -> None:
    token, _ = await clients.login(door, "Ann")
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await clients.stub(door).FindRoom(
            play_service_pb2.FindRoomRequest(code=CODE), metadata=bearer(token)
        )
    assert raised.value.code() is grpc.StatusCode.INTERNAL
    assert raised.value.details() == NEUTRAL
    assert from_rpc_error(raised.value).reason == INTERNAL
    (line,) = defects(logged)
    assert line["method"] == "parlor.v1.PlayService/FindRoom"
    assert line["exc_info"].__traceback__ is not None


@pytest.mark.parametrize("method", ["FindRoom", "GetReplay", "Login"])
async def test_bytes_that_are_no_message_are_malformed_and_not_logged(
    door: App[GatewayConfig], clients: Clients, logged: Logged, method: str
) -> None:
    # What a stream refuses before its first message, it refuses as a plain call does.
    call: Any = clients.channel(door).unary_unary(f"/parlor.v1.PlayService/{method}")
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(b"\xff\xff")
    assert from_rpc_error(raised.value).reason == ErrorReason.ERROR_REASON_MALFORMED
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert logged == []


@pytest.mark.parametrize("line", [JsonLine, GrpcLine])
async def test_a_request_of_a_session_is_refused_and_the_session_goes_on(
    door: App[GatewayConfig], clients: Clients, logged: Logged, line: Any
) -> None:
    client = await clients.connect(door, line=line)
    await client.send(watch=play_pb2.Watch(code=CODE))
    refusal = (await client.next("refusal")).refusal
    assert (refusal.reason, refusal.message) == (INTERNAL, NEUTRAL)
    await client.synced()
    assert len(defects(logged)) == 1


@pytest.mark.parametrize("line", [JsonLine, GrpcLine])
async def test_a_session_that_cannot_begin_is_told_so(
    door: App[GatewayConfig], clients: Clients, logged: Logged, line: Any
) -> None:
    token, player = await clients.login(door, "Ann")
    await redis_of(door).rpush(KEYS.player(player), "no place")
    client = Client(await clients.line(door, line), player, token)
    await client.send(hello=play_pb2.Hello(token=token, protocol=1))
    goodbye = (await client.next("goodbye")).goodbye
    assert (goodbye.refusal.reason, goodbye.refusal.message) == (INTERNAL, NEUTRAL)
    (seen,) = defects(logged)
    assert seen["player"] == player


async def test_a_request_over_http_is_a_refusal_like_any_other(
    door: App[GatewayConfig], logged: Logged
) -> None:
    tree = "0" * 16
    await redis_of(door).rpush(KEYS.assets(tree), "no file")
    url = f"http://{door.http_address}/assets/{tree}/main.js"
    async with aiohttp.ClientSession() as http, http.get(url) as response:
        assert response.status == 500
        assert await response.json() == {
            "reason": "ERROR_REASON_INTERNAL",
            "message": NEUTRAL,
            "metadata": {},
        }
    (line,) = defects(logged)
    assert line["route"] == "/assets/{tree}/{path}"


async def test_a_route_that_there_is_not_is_no_defect(
    door: App[GatewayConfig], logged: Logged
) -> None:
    async with aiohttp.ClientSession() as http:
        async with http.get(f"http://{door.http_address}/nowhere") as response:
            assert response.status == 404
        async with http.get(f"http://{door.http_address}/login") as response:
            assert response.status == 405
    assert defects(logged) == []
