"""A session comes back by itself."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestServer

from parlor.client import Client
from parlor.client.codec import PROTO
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Goodbye, GoodbyeReason, Refusal, ServerFrame, Welcome

REFUSALS = 20


@pytest.fixture
async def server() -> AsyncIterator[BaseTestServer]:
    """Lets nobody in so many times, as a gateway whose store is away."""
    refused = 0

    async def socket(request: web.Request) -> web.WebSocketResponse:
        nonlocal refused
        answering = web.WebSocketResponse(protocols=(PROTO,))
        await answering.prepare(request)
        await answering.receive()
        if refused < REFUSALS:
            refused += 1
            refusal = Refusal(reason=ErrorReason.ERROR_REASON_STORE_UNAVAILABLE)
            reason = GoodbyeReason.GOODBYE_REASON_REFUSED
            frame = ServerFrame(goodbye=Goodbye(reason=reason, refusal=refusal))
        else:
            frame = ServerFrame(welcome=Welcome(player="ann", protocol=1, heartbeat_ms=5_000))
        await answering.send_bytes(frame.SerializeToString())
        await answering.receive()
        return answering

    app = web.Application()
    app.router.add_get("/ws", socket)
    async with TestServer(app) as started:
        yield started


async def test_whom_a_gateway_cannot_let_in_knocks_at_least_once_a_second(
    server: BaseTestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def at_once(delay: float) -> None:
        pauses.append(delay)
        await sleep(0)

    with monkeypatch.context() as hurried:
        hurried.setattr("parlor.client.client.asyncio.sleep", at_once)
        async with Client([str(server.make_url("")).rstrip("/")], token="ann's") as client:
            assert client.player == "ann"
            hurried.undo()
    refused = pauses[:REFUSALS]
    assert len(refused) == REFUSALS
    assert refused[0] < refused[2] < refused[4]
    assert max(refused) <= 1.0
