"""A gateway that stops sends its clients elsewhere."""

import asyncio

import aiohttp
import grpc
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.errors import from_rpc_error
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.play_pb2 import ClientFrame, GoodbyeReason
from tests.integration.gateway.support import (
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    gateway,
    reason_of,
    table,
)

Door = App[GatewayConfig]
LINES = (JsonLine, ProtoLine, GrpcLine)


async def _drained(client: Client) -> play_pb2.Goodbye:
    return (await client.rest())[-1].goodbye


async def test_clients_of_a_stopping_gateway_are_sent_elsewhere_and_resume_there(
    door: Door, clients: Clients, redis_url: str
) -> None:
    async with gateway(redis_url) as leaving:
        room_id, guests = await table(leaving, clients, *LINES)
        positions = [guest.position(room_id) for guest in guests]
        endings = [asyncio.create_task(_drained(guest)) for guest in guests]
    pauses = set()
    for ending in endings:
        goodbye = await ending
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_DRAINING
        assert 0 < goodbye.retry_after_ms <= 2_000
        pauses.add(goodbye.retry_after_ms)
    assert len(pauses) > 1
    for guest, position, line in zip(guests, positions, LINES, strict=True):
        back = await clients.connect(door, line=line, like=guest, positions=(position,))
        heads = (await back.synced()).heads
        while not heads:
            heads = (await back.synced()).heads
        # Nobody was seen to go: nothing has happened in the room.
        assert list(heads) == [position]


async def test_a_stopping_gateway_takes_no_new_sessions(door: Door, clients: Clients) -> None:
    token, _ = await clients.login(door, "Ann")
    door.draining.set()
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://{door.http_address}/readyz") as response,
    ):
        assert response.status == 503
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await clients.line(door)
    assert refused.value.status == 503
    call = (await clients.line(door, GrpcLine)).call
    await call.write(
        play_service_pb2.ConnectRequest(frame=ClientFrame(hello=play_pb2.Hello(token=token)))
    )
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call.read()
    assert reason_of(play_pb2.Refusal(reason=from_rpc_error(error.value).reason)) == "DRAINING"


async def test_a_full_gateway_refuses_and_serves_on(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, connections=1) as door:
        ann = await clients.connect(door, "Ann")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await clients.line(door)
        assert refused.value.status == 503
        await ann.synced()
        await ann.line.socket.close()  # type: ignore[attr-defined]
