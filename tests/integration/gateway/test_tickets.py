"""Quick matches through the gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.serving import App, serving
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1 import play_pb2
from parlor.v1.matchmaking_pb2 import TicketState
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
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
)

Door = App[GatewayConfig]


@asynccontextmanager
async def _matchmaking(redis_url: str) -> AsyncIterator[App[MatchmakingConfig]]:
    config = MatchmakingConfig(
        redis_url=redis_url, tick_ms=10, look_ms=50, renew_ms=100, fill_after_ms=60_000
    )
    async with serving("matchmaking", config, bind, services=SERVICES) as app:
        yield app


@pytest.fixture
async def hall(redis_url: str, doudizhu: object) -> AsyncIterator[Door]:
    """A gateway with matchmaking behind it."""
    async with (
        _matchmaking(redis_url) as desk,
        gateway(redis_url, matchmaking=(desk.grpc_address,)) as app,
    ):
        yield app


async def _enqueue(client: Client) -> play_pb2.Answer:
    await client.send(enqueue=play_pb2.Enqueue(request_id="enqueue", config=CONFIG))
    return (await client.next("answer")).answer


async def _state(client: Client, state: "TicketState.ValueType") -> str:
    """Waits until the ticket is in this state; gives its room."""
    while True:
        update = (await client.next("ticket")).ticket
        if update.state == state:
            return update.room_id


async def test_three_who_want_to_play_find_themselves_at_one_table(
    hall: Door, clients: Clients
) -> None:
    players = [
        await clients.connect(hall, name, line=line)
        for name, line in zip("ABC", (JsonLine, ProtoLine, GrpcLine), strict=True)
    ]
    for player in players:
        assert (await _enqueue(player)).HasField("accepted")
    rooms = {await _state(player, TicketState.TICKET_STATE_ASSIGNED) for player in players}
    assert len(rooms) == 1
    seats = [(await player.next("view")).view.seat for player in players]
    assert sorted(seats) == [0, 1, 2]


async def test_a_waiting_player_who_comes_back_still_waits(hall: Door, clients: Clients) -> None:
    ann = await clients.connect(hall, "Ann")
    await _enqueue(ann)
    await _state(ann, TicketState.TICKET_STATE_WAITING)
    token, player = ann.token, ann.player
    back = Client(await clients.line(hall), player, token)
    welcome = await back.hello()
    assert welcome.ticket.state == TicketState.TICKET_STATE_WAITING
    await back.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    assert await _state(back, TicketState.TICKET_STATE_CANCELLED) == ""


async def test_who_waits_for_nothing_has_nothing_to_give_back(hall: Door, clients: Clients) -> None:
    ann = await clients.connect(hall, "Ann")
    await ann.send(dequeue=play_pb2.Dequeue(request_id="dequeue"))
    answer = (await ann.next("answer")).answer
    assert (answer.request_id, reason_of(answer.refused)) == ("dequeue", "TICKET_NOT_FOUND")


async def test_a_backend_takes_follows_and_gives_back_tickets_for_its_player(
    hall: Door, clients: Clients
) -> None:
    token, _ = await clients.login(hall, "Ann")
    me = bearer(token)
    stub = MatchmakingServiceStub(clients.channel(hall))
    create = pb.CreateTicketRequest(request_id="1", config=CONFIG)
    ticket = (await stub.CreateTicket(create, metadata=me)).ticket
    assert ticket.state == TicketState.TICKET_STATE_WAITING
    assert (await stub.GetTicket(pb.GetTicketRequest(), metadata=me)).ticket == ticket
    watching: Any = stub.WatchTicket(pb.WatchTicketRequest(), metadata=me)
    states: list[TicketState.ValueType] = []
    async for response in watching:
        if not states:
            await stub.CancelTicket(pb.CancelTicketRequest(request_id="2"), metadata=me)
        states.append(response.ticket.state)
    assert states == [TicketState.TICKET_STATE_WAITING, TicketState.TICKET_STATE_CANCELLED]
