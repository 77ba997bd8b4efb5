"""One move's way through gateway, engine and Redis, as an OTLP receiver gets it; and who begins a trace."""

import asyncio
import secrets
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import grpc

from parlor.client import Client
from parlor.gateway.config import GatewayConfig
from parlor.serving import App, tracing
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.doudizhu_pb2 import (
    DouDizhuAction,
    DouDizhuConfig,
    DouDizhuRuleSet,
    DouDizhuSurrender,
)
from parlor.v1.play_service_pb2_grpc import PlayServiceStub
from parlor.v1.room_pb2 import GameConfig, RoomStatus
from tests.integration.gateway.support import (
    CONFIG,
    KEYS,
    Clients,
    bearer,
    engine,
    gateway,
    redis_of,
)
from tests.integration.tracing.support import (
    KEY,
    PATIENCE_S,
    SECRET,
    Receiver,
    frames,
    service,
    token,
    traceparent,
)

PLAYERS = ("ann", "bob", "cat")
CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))
"""Rules under which one seat may end the game at once."""


async def test_a_move_is_one_trace_through_every_process(
    redis_url: str, collector: Receiver, tmp_path: Path
) -> None:
    """A backend's move, which names a trace: gateway, engine, commit, and both gateways' fan-out."""
    settings = {
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_GATEWAY_TOKEN_KEYS": KEY,
        "PARLOR_TRACING_ENDPOINT": collector.endpoint,
        "PARLOR_TRACING_RATIO": "0",
    }
    async with AsyncExitStack() as stack:

        async def started(name: str, *command: str) -> Any:
            return await stack.enter_async_context(service(tmp_path / name, *command, **settings))

        table = await started("engine", "parlor.engine", "doudizhu")
        door = await started("door", "parlor.gateway")
        other = await started("other", "parlor.gateway")
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(door.grpc))
        stub: Any = PlayServiceStub(channel)
        opened = await stub.OpenRoom(
            play_service_pb2.OpenRoomRequest(request_id="1", config=CLASSIC, players=PLAYERS),
            metadata=bearer(token("backend", "play open")),
        )
        room_id = opened.room.room_id
        follower = await stack.enter_async_context(
            Client([f"http://{other.http}"], token=token("bob"))
        )
        room = await follower.watch(room_id)

        async def execute(player: str, *metadata: tuple[str, str], **command: Any) -> None:
            asked = play_pb2.Command(request_id=secrets.token_hex(4), room_id=room_id, **command)
            await stub.Execute(
                play_service_pb2.ExecuteRequest(command=asked),
                metadata=(*bearer(token(player, "play open")), *metadata),
            )

        for player in PLAYERS:
            await execute(player, ready=play_pb2.Ready(ready=True))
        async with asyncio.timeout(PATIENCE_S):
            async for _ in room.changes():
                if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
                    break
        trace = secrets.token_hex(16)
        parent, asking = traceparent(trace)
        surrender = play_pb2.Action(doudizhu=DouDizhuAction(surrender=DouDizhuSurrender()))
        await execute("bob", ("traceparent", parent), act=surrender)
        spans = await collector.of(
            trace, "parlor.v1.PlayService/Execute", "execute", "commit", "fan_out"
        )

        call, carried_out = spans["parlor.v1.PlayService/Execute"], spans["execute"]
        commit, fan_out = spans["commit"], spans["fan_out"]
        assert (call.service, carried_out.service, commit.service, fan_out.service) == (
            "gateway",
            "engine",
            "engine",
            "gateway",
        )
        assert call.parent == asking
        assert carried_out.parent == call.span
        assert commit.parent == carried_out.span
        assert fan_out.parent == carried_out.span
        assert carried_out.facts == {"room": room_id, "kind": "doudizhu", "command": "act"}
        assert commit.facts == {
            "room": room_id,
            "check": "command",
            "version": commit.facts["version"],
        }
        assert fan_out.facts == {"room": room_id, "followers": 1}
        # Only what the backend traced, and of that no more than these.
        assert {span.trace for span in collector.spans} == {trace}
        (finished,) = [line for line in table.lines() if line["event"] == "game_finished"]
        assert (finished["trace_id"], finished["span_id"]) == (trace, carried_out.span)
        assert all("trace_id" not in line for line in door.lines() + other.lines())


async def test_a_players_trace_is_linked_to_and_not_gone_on_with(
    door: App[GatewayConfig], collector: Receiver
) -> None:
    trace = secrets.token_hex(16)
    parent, _ = traceparent(trace)
    async with aiohttp.ClientSession() as http:
        client = await frames(door, http, token("ann"), traceparent=parent)
        room = await client.open_room()
        await client.accepted(room.room_id, ready=play_pb2.Ready(ready=True))
        command = await collector.named("command", room=room.room_id, command="ready")
    assert command.trace != trace
    assert command.parent == ""
    assert command.links == (trace,)
    below = await collector.of(command.trace, "command", "execute", "commit", "fan_out")
    assert below["execute"].parent == command.span


async def test_a_backends_session_goes_on_with_the_trace_of_its_upgrade(
    door: App[GatewayConfig], collector: Receiver
) -> None:
    trace = secrets.token_hex(16)
    parent, asking = traceparent(trace)
    async with aiohttp.ClientSession() as http:
        client = await frames(door, http, token("bot", "play open"), traceparent=parent)
        room = await client.open_room()
        await client.accepted(room.room_id, ready=play_pb2.Ready(ready=True))
    spans = await collector.of(
        trace, "open_room", "parlor.v1.EngineService/OpenRoom", "command", "execute"
    )
    assert spans["open_room"].parent == spans["command"].parent == asking
    assert spans["parlor.v1.EngineService/OpenRoom"].parent == spans["open_room"].span


async def test_what_a_backend_does_not_trace_is_not_traced(
    door: App[GatewayConfig], clients: Clients, collector: Receiver
) -> None:
    quiet, _ = traceparent(secrets.token_hex(16), is_traced=False)
    loud, _ = traceparent(trace := secrets.token_hex(16))
    asked = play_service_pb2.OpenRoomRequest(request_id="1", config=CONFIG)
    for parent in (quiet, loud):
        await clients.stub(door).OpenRoom(
            asked, metadata=(*bearer(token("backend", "play open")), ("traceparent", parent))
        )
    await collector.of(trace, "parlor.v1.PlayService/OpenRoom", "parlor.v1.EngineService/OpenRoom")
    assert {span.trace for span in collector.spans} == {trace}


async def test_a_refusal_is_named_and_nothing_secret_is_sent(
    door: App[GatewayConfig], clients: Clients, collector: Receiver
) -> None:
    # Names that chance puts into no id.
    hidden, player = "entropy-of-a-player", "a-player-by-name"
    async with aiohttp.ClientSession() as http:
        client = await frames(door, http, token(player))
        room = await client.open_room()
        ready = play_pb2.Ready(ready=True, entropy=hidden.encode())
        await client.accepted(room.room_id, ready=ready)
        swap = play_pb2.Kick(seat=0)
        answer = await client.command(room.room_id, kick=swap)
        assert answer.HasField("refused")
        command = await collector.named("command", command="kick")
        carried_out = await collector.named("execute", command="kick")
    refused = str(command.facts["refused"])
    assert carried_out.facts["refused"] == refused != "INTERNAL"
    # A move that the rules refuse is no failure.
    assert not command.is_failed
    assert not carried_out.is_failed
    sent = b"".join(collector.raw)
    for secret in (hidden, client.token, SECRET, player):
        assert secret.encode() not in sent


async def test_without_tracing_no_message_carries_anything(
    redis_url: str, clients: Clients
) -> None:
    async with engine(redis_url), gateway(redis_url) as plain:
        guest = await clients.connect(plain)
        room = await guest.open_room()
        await guest.accepted(room.room_id, ready=play_pb2.Ready(ready=True))
        assert tracing.current() is tracing.NOTHING
        feed: Any = await redis_of(plain).xrange(KEYS.feed(room.room_id))
    items = [fields[b"e"] for _, fields in feed]
    assert items
    assert all(b"00-" not in item for item in items)
