"""A gateway that stops sends its clients elsewhere."""

import asyncio

import aiohttp
import grpc
import pytest

from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.gateway.leaving import LAST_MS
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
    toggled,
)

Door = App[GatewayConfig]
LINES = (JsonLine, ProtoLine, GrpcLine)
_TRIES = 5


async def _drained(client: Client) -> tuple[play_pb2.Goodbye, float]:
    """A client's goodbye, and when it came."""
    frames = await client.rest()
    return frames[-1].goodbye, asyncio.get_running_loop().time()


async def test_clients_of_a_stopping_gateway_are_sent_elsewhere_and_resume_there(
    door: Door, clients: Clients, redis_url: str
) -> None:
    async with gateway(redis_url) as leaving:
        room_id, guests = await table(leaving, clients, *LINES)
        positions = [guest.position(room_id) for guest in guests]
        endings = [asyncio.create_task(_drained(guest)) for guest in guests]
    for ending in endings:
        goodbye, _ = await ending
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_DRAINING
        # Each was kept until its moment, and comes back at once.
        assert goodbye.retry_after_ms == 0
    for guest, position, line in zip(guests, positions, LINES, strict=True):
        back = await clients.connect(door, line=line, like=guest, positions=(position,))
        heads = (await back.synced()).heads
        while not heads:
            heads = (await back.synced()).heads
        # Nobody was seen to go: nothing has happened in the room.
        assert list(heads) == [position]


async def test_clients_leave_a_stopping_gateway_one_by_one(
    door: Door, clients: Clients, redis_url: str
) -> None:
    # A machine that stands still for seconds brings all moments together; one quiet try shows them apart.
    spread_s = 0.0
    for _ in range(_TRIES):
        async with gateway(redis_url, leave_ms=3_000) as leaving:
            guests = [await clients.connect(leaving, f"Guest {number}") for number in range(20)]
            endings = [asyncio.create_task(_drained(guest)) for guest in guests]
        moments = sorted([(await ending)[1] for ending in endings])
        spread_s = max(spread_s, moments[-1] - moments[0])
        if spread_s > 0.5:
            break
    assert spread_s > 0.5


async def test_clients_stay_until_the_drain_limit_where_there_is_no_other_gateway(
    clients: Clients, redis_url: str, doudizhu: App[EngineConfig]
) -> None:
    async with gateway(redis_url, drain_ms=LAST_MS + 1_500) as only:
        room_id, guests = await table(only, clients)
        # So many that chance does not tell all of them the same moment.
        guests += [await clients.connect(only, f"Guest {number}") for number in range(6)]
        told = asyncio.get_running_loop().time()
        leaving = asyncio.create_task(_served_while_draining(only, guests[0], room_id))
        endings = [asyncio.create_task(_drained(guest)) for guest in guests[1:]]
    await leaving
    pauses = set()
    for ending in endings:
        goodbye, at = await ending
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_DRAINING
        assert at - told >= 1.5
        # All at once, so that they are told different moments to come back.
        assert 0 < goodbye.retry_after_ms <= 2_000
        pauses.add(goodbye.retry_after_ms)
    assert len(pauses) > 1


async def _served_while_draining(door: Door, client: Client, room_id: str) -> None:
    """The gateway is leaving, and still carries out what its clients ask."""
    await door.draining.wait()
    await toggled(client, room_id, 2)


async def test_clients_go_once_another_gateway_is_ready(
    clients: Clients, redis_url: str, doudizhu: App[EngineConfig]
) -> None:
    opened: asyncio.Future[Door] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()

    async def served() -> None:
        async with gateway(redis_url, drain_ms=30_000) as leaving:
            opened.set_result(leaving)
            await stop.wait()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(served())
        leaving = await opened
        guest = await clients.connect(leaving)
        stop.set()
        await leaving.draining.wait()
        await guest.synced()
        async with gateway(redis_url):
            goodbye, _ = await _drained(guest)
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_DRAINING
        # Not sent away with all the rest at the limit.
        assert goodbye.retry_after_ms == 0


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
