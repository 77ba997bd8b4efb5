"""How matchmaking asks for rooms: all of them in one call, but of an engine from before there was one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import msgspec

from parlor.matchmaking.engines import Engines
from parlor.matchmaking.pools import pool_for
from parlor.matchmaking.store import Proposed
from parlor.matchmaking.tickets import MatchRecord, Member
from parlor.serving.channels import Channels
from parlor.serving.errors import ServiceError, reason_name
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.replicas import Replica
from parlor.v1 import engine_service_pb2 as pb
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.play_pb2 import RoomOpened
from tests.integration.matchmaking.support import STANDARD, engine

POOL = pool_for(STANDARD)
OLDER = Keys("older:")
"""Where the replica of the first release is announced, and no other."""
NEWER = Keys("newer:")
"""Where that of this release is."""


def match(name: str, *players: str) -> Proposed:
    tickets = tuple(f"ticket-{player}" for player in players)
    members = tuple((Member(player, player.title()),) for player in players)
    return Proposed(record=MatchRecord(match=name, tickets=tickets), members=members)


MATCHES = [
    match("m1", "ann", "bob", "cat"),
    match("crowded", *"abcd"),
    match("m2", "dan", "eve", "fay"),
]


@asynccontextmanager
async def rooms_opened_by(batch: Batch, keys: Keys) -> AsyncIterator[Engines]:
    engines = Engines(batch, keys, open_ms=20_000, channels=Channels())
    try:
        yield engines
    finally:
        await engines.aclose()


async def announce(batch: Batch, keys: Keys, address: str) -> None:
    """Makes the replica known for longer than the test runs, however slow the machine is."""
    seconds, _ = await batch.call("TIME")
    beat_ms = int(seconds) * 1000 + 3_600_000
    alive = Replica(replica="it", address=address, kind="doudizhu", beat_ms=beat_ms)
    await batch.call("HSET", keys.engines(), alive.replica, msgspec.json.encode(alive))


@asynccontextmanager
async def first_release(address: str, batch: Batch) -> AsyncIterator[list[str]]:
    """An engine in front of the one at `address` that knows one way to open a room; gives what it was asked for."""
    asked: list[str] = []
    async with grpc.aio.insecure_channel(address) as channel:
        stub = EngineServiceStub(channel)

        async def open_room(request: Any, context: Any) -> Any:
            asked.append(request.request_id)
            try:
                return await stub.OpenRoom(request)
            except grpc.aio.AioRpcError as failed:
                await context.abort(
                    failed.code(), failed.details(), tuple(failed.trailing_metadata() or ())
                )

        handler = grpc.unary_unary_rpc_method_handler(
            open_room,
            pb.EngineServiceOpenRoomRequest.FromString,
            pb.EngineServiceOpenRoomResponse.SerializeToString,
        )
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler("parlor.v1.EngineService", {"OpenRoom": handler})]
        )
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        await announce(batch, OLDER, f"127.0.0.1:{port}")
        try:
            yield asked
        finally:
            await server.stop(None)


def said(results: Any) -> list[str]:
    return [
        reason_name(result.reason) if isinstance(result, ServiceError) else "opened"
        for result in results
    ]


async def test_an_engine_of_the_first_release_opens_room_by_room(
    redis_url: str, batch: Batch
) -> None:
    async with (
        engine(redis_url) as app,
        first_release(app.grpc_address, batch) as asked,
        rooms_opened_by(batch, OLDER) as older,
        rooms_opened_by(batch, NEWER) as newer,
    ):
        await announce(batch, NEWER, app.grpc_address)
        results = await older.open_rooms(POOL, MATCHES)
        assert sorted(asked) == ["crowded", "m1", "m2"]
        assert said(results) == ["opened", "MALFORMED", "opened"]
        # Whoever is asked later, in whatever way: the rooms are the same.
        again = await newer.open_rooms(POOL, MATCHES)
        assert said(again) == said(results)
        for one, other in zip(results, again, strict=True):
            if isinstance(one, RoomOpened):
                assert one == other


async def test_without_an_engine_no_room_is_opened(batch: Batch) -> None:
    async with rooms_opened_by(batch, OLDER) as engines:
        assert said(await engines.open_rooms(POOL, MATCHES)) == ["NO_ENGINE"] * 3
