"""Maintenance: players are told, from its instant on nothing begins, and what runs is played to its end."""

import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.serving import App, serving
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Plan, call_off, plan, rfc3339
from parlor.serving.redis import Batch
from parlor.v1 import doudizhu_pb2, play_pb2, play_service_pb2
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.matchmaking_pb2 import TicketState
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from tests.conftest import Eventually
from tests.integration.gateway.support import (
    CONFIG,
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    bearer,
    gateway,
    reason_of,
    table,
)

Door = App[GatewayConfig]
KEYS = Keys()
LONG_AGO = Plan(at_ms=1)
END_MS = 4_000_000_000_000
PATIENCE_S = 60.0


def later() -> Plan:
    """A maintenance that does not begin while a test runs."""
    return Plan(at_ms=int(time.time() * 1000) + 3_600_000, until_ms=END_MS)


@pytest.fixture
async def hall(redis_url: str, doudizhu: object) -> AsyncIterator[Door]:
    """A gateway with matchmaking and an engine behind it."""
    config = MatchmakingConfig(redis_url=redis_url, tick_ms=10, fill_after_ms=60_000)
    async with (
        serving("matchmaking", config, bind, services=SERVICES) as desk,
        gateway(redis_url, matchmaking=(desk.grpc_address,)) as app,
    ):
        yield app


async def opening(client: Client, request_id: str = "") -> play_pb2.Answer:
    """The answer to the wish for a room."""
    request = play_pb2.OpenRoom(request_id=request_id or uuid.uuid4().hex, config=CONFIG)
    await client.send(open_room=request)
    return (await client.next("answer")).answer


async def refused(client: Client) -> bool:
    """Whether a room is refused because of the maintenance."""
    answer = await opening(client)
    return answer.HasField("refused") and reason_of(answer.refused) == "MAINTENANCE"


@pytest.mark.parametrize("line", [JsonLine, ProtoLine, GrpcLine])
async def test_players_in_rooms_and_in_the_lobby_are_told_and_told_again_when_it_is_off(
    door: Door, clients: Clients, batch: Batch, line: Any
) -> None:
    _, (host, *_) = await table(door, clients, line)
    lobby = await clients.connect(door, "Lee", line=line)
    planned = later()
    await plan(batch, KEYS, planned)
    for client in (host, lobby):
        notice = (await client.next("maintenance")).maintenance
        assert notice.start_time.ToMilliseconds() == planned.at_ms
        assert notice.end_time.ToMilliseconds() == END_MS
    await call_off(batch, KEYS)
    for client in (host, lobby):
        assert not (await client.next("maintenance")).maintenance.HasField("start_time")


async def test_who_comes_later_is_told_behind_the_welcome_also_by_a_new_gateway(
    redis_url: str, door: Door, clients: Clients, batch: Batch
) -> None:
    await plan(batch, KEYS, LONG_AGO)
    async with gateway(redis_url) as another:
        ann = await clients.connect(another, "Ann")
        notice = (await ann.next()).maintenance
        assert notice.start_time.ToMilliseconds() == LONG_AGO.at_ms
        assert not notice.HasField("end_time")
        kinds = [frame.WhichOneof("frame") for frame in ann.seen]
        assert kinds.index("welcome") < kinds.index("maintenance")


async def test_nothing_begins_after_the_instant_and_everything_does_before_it(
    hall: Door, clients: Clients, batch: Batch, eventually: Eventually
) -> None:
    ann = await clients.connect(hall, "Ann")
    # A table of people who are not ready yet.
    room_id, (_, bob, _) = await table(hall, clients)
    await plan(batch, KEYS, later())
    await ann.next("maintenance")
    assert (await opening(ann, "before")).HasField("opened")

    await plan(batch, KEYS, Plan(at_ms=1, until_ms=END_MS))
    answers: list[play_pb2.Answer] = []

    async def is_refused() -> bool:
        answers.append(await opening(ann))
        return reason_of(answers[-1].refused) == "MAINTENANCE"

    await eventually(is_refused)
    assert dict(answers[-1].refused.metadata) == {"end_time": rfc3339(END_MS)}

    # What was answered before is answered the same, once the wish for rooms is not too often any more.
    async def is_repeated() -> bool:
        return (await opening(ann, "before")).HasField("opened")

    await eventually(is_repeated)

    not_begun = await bob.command(room_id, ready=play_pb2.Ready(ready=True))
    assert reason_of(not_begun.refused) == "MAINTENANCE"
    assert (await bob.command(room_id, say=play_pb2.Say(text="bye"))).HasField("accepted")
    assert (await bob.command(room_id, leave=play_pb2.Leave())).HasField("accepted")

    async def no_ticket() -> bool:
        await ann.send(enqueue=play_pb2.Enqueue(request_id=uuid.uuid4().hex, config=CONFIG))
        told = (await ann.next("answer")).answer
        return told.HasField("refused") and reason_of(told.refused) == "MAINTENANCE"

    await eventually(no_ticket, timeout=PATIENCE_S)

    await call_off(batch, KEYS)
    dan = await clients.connect(hall, "Dan")

    async def opens() -> bool:
        return (await opening(dan)).HasField("opened")

    await eventually(opens, timeout=PATIENCE_S)


async def test_backends_are_refused_with_a_status_of_the_class_unavailable(
    hall: Door, clients: Clients, batch: Batch, eventually: Eventually
) -> None:
    await plan(batch, KEYS, Plan(at_ms=1, until_ms=END_MS))
    token, _ = await clients.login(hall, "Ann")
    tickets: Any = MatchmakingServiceStub(clients.channel(hall))
    calls = {
        clients.stub(hall).OpenRoom: play_service_pb2.OpenRoomRequest,
        tickets.CreateTicket: pb.CreateTicketRequest,
    }

    for call, request in calls.items():

        async def is_unavailable(call: Any = call, request: Any = request) -> bool:
            try:
                await call(
                    request(request_id=uuid.uuid4().hex, config=CONFIG), metadata=bearer(token)
                )
            except grpc.aio.AioRpcError as error:
                told = from_rpc_error(error)
                return (
                    error.code() is grpc.StatusCode.UNAVAILABLE
                    and reason_name(told.reason) == "MAINTENANCE"
                    and told.metadata == {"end_time": rfc3339(END_MS)}
                )
            return False

        await eventually(is_unavailable, timeout=PATIENCE_S)


async def test_a_waiting_ticket_ends_and_frees_its_player(
    hall: Door, clients: Clients, redis: Redis, batch: Batch
) -> None:
    ann = await clients.connect(hall, "Ann")
    await ann.send(enqueue=play_pb2.Enqueue(request_id="enqueue", config=CONFIG))
    assert (await ann.next("answer")).answer.HasField("accepted")
    await plan(batch, KEYS, LONG_AGO)
    while (await ann.next("ticket")).ticket.state != TicketState.TICKET_STATE_CANCELLED:
        pass
    assert await redis.hget(KEYS.player(ann.player), "place") is None


async def test_a_running_game_goes_on(
    door: Door, clients: Clients, batch: Batch, eventually: Eventually
) -> None:
    room_id, guests = await table(door, clients)
    for guest in guests:
        await guest.accepted(room_id, ready=play_pb2.Ready(ready=True))
    await plan(batch, KEYS, LONG_AGO)
    lee = await clients.connect(door, "Lee")
    await eventually(lambda: refused(lee), timeout=PATIENCE_S)
    acted = 0
    for guest in guests:
        view = (await clients.view(door, guest, room_id)).doudizhu
        if view.HasField("prompt"):
            bid = doudizhu_pb2.DouDizhuAction(bid=0)
            action = play_pb2.Action(decision=view.prompt.decision, doudizhu=bid)
            await guest.accepted(room_id, act=action)
            acted += 1
    assert acted
