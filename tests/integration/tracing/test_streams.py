"""Traces of what lasts: a room that is watched, and calls that are answered with many messages."""

import asyncio
import secrets

import aiohttp

from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.serving import App, serving
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.matchmaking_service_pb2 import CreateTicketRequest, WatchTicketRequest
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from tests.integration.gateway.support import CONFIG, Clients, bearer, gateway, table
from tests.integration.tracing.support import (
    KEY,
    PATIENCE_S,
    Receiver,
    frames,
    token,
    traceparent,
)


async def test_a_room_that_is_watched_is_traced_until_its_view_is_there(
    door: App[GatewayConfig], collector: Receiver
) -> None:
    async with aiohttp.ClientSession() as http:
        host = await frames(door, http, token("ann"))
        room = await host.open_room()
        guest = await frames(door, http, token("bob"))
        assert (await guest.watch(room.room_id)).HasField("view")
        nowhere = room.room_id[:-4] + "aaaa"
        await guest.send(watch=play_pb2.Watch(room_id=nowhere))
        await guest.next("refusal")
        refused = await collector.named("watch", refused="ROOM_NOT_FOUND")
        assert refused.facts["room"] == nowhere
        assert not refused.is_failed
    # What opened the room led to the host's view; the guest asked for one.
    opened = await collector.named("open_room")
    spans = await collector.of(opened.trace, "open_room", "watch")
    assert spans["watch"].parent == opened.span
    (asked,) = [
        span
        for span in collector.spans
        if span.name == "watch" and span.trace not in (opened.trace, refused.trace)
    ]
    assert (asked.parent, asked.facts) == ("", {"room": room.room_id, "kind": "doudizhu"})
    spans = await collector.of(asked.trace, "watch", "execute")
    assert spans["execute"].parent == asked.span


async def test_a_replay_is_traced_to_its_last_part(
    door: App[GatewayConfig], clients: Clients, collector: Receiver
) -> None:
    room_id, guests = await table(door, clients)
    for guest in guests:
        await guest.accepted(room_id, ready=play_pb2.Ready(ready=True))
    for guest in guests:
        await guest.accepted(room_id, dissolve=play_pb2.Dissolve(agree=True))
    trace = secrets.token_hex(16)
    parent, asking = traceparent(trace)
    stream = clients.stub(door).GetReplay(
        play_service_pb2.GetReplayRequest(room_id=room_id, game_no=1),
        metadata=(*bearer(token("backend", "play open")), ("traceparent", parent)),
    )
    assert len([part async for part in stream]) >= 2
    asked, given = "parlor.v1.PlayService/GetReplay", "parlor.v1.EngineService/Replay"
    spans = await collector.of(trace, asked, given)
    assert spans[asked].parent == asking
    assert spans[given].parent == spans[asked].span


async def test_the_span_of_a_ticket_that_is_followed_ends_when_its_caller_hangs_up(
    redis_url: str, traced: None, clients: Clients, collector: Receiver
) -> None:
    name = "parlor.v1.MatchmakingService/WatchTicket"
    config = MatchmakingConfig(redis_url=redis_url)
    async with (
        serving("matchmaking", config, bind, services=SERVICES) as desk,
        gateway(redis_url, token_keys=(KEY,), matchmaking=(desk.grpc_address,)) as door,
    ):
        stub = MatchmakingServiceStub(clients.channel(door))
        trace = secrets.token_hex(16)
        parent, asking = traceparent(trace)
        metadata = (*bearer(token("bot", "match open")), ("traceparent", parent))
        taken = await stub.CreateTicket(
            CreateTicketRequest(request_id="1", config=CONFIG), metadata=metadata
        )
        following = stub.WatchTicket(
            WatchTicketRequest(ticket_id=taken.ticket.ticket_id), metadata=metadata
        )
        await anext(aiter(following))
        assert not [span for span in collector.spans if span.name == name]
        following.cancel()
        async with asyncio.timeout(PATIENCE_S):
            while len(both := [span for span in collector.spans if span.name == name]) < 2:
                await asyncio.sleep(0.02)
    of_gateway, of_matchmaking = sorted(both, key=lambda span: span.parent != asking)
    assert of_gateway.trace == of_matchmaking.trace == trace
    assert of_gateway.parent == asking
    assert of_matchmaking.parent == of_gateway.span
    # Who has seen enough is no failure.
    assert not any(span.is_failed for span in both)
