"""Sessions of players who have a party or a ticket, where matchmaking is not there or not well."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from parlor.v1.matchmaking_service_pb2_grpc import (
    MatchmakingServiceServicer,
    add_MatchmakingServiceServicer_to_server,
)
from tests.integration.gateway.support import KEYS, PATIENCE_S, Client, Clients, gateway, redis_of

WATCHES = 4
SHORTEST_S = (0.25, 0.5, 1.0)
"""How long a session waits at least between the first watches that fail."""


class Ailing(MatchmakingServiceServicer):
    """A replica that answers nothing, and notes when it was asked."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()

    # A handler that writes nothing and one that yields are the same to who calls.
    async def WatchParty(self, request: Any, context: Any) -> None:  # type: ignore[override]
        await self._refuse(context)

    async def WatchTicket(self, request: Any, context: Any) -> None:  # type: ignore[override]
        await self._refuse(context)

    async def GetTicket(self, request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "not well")

    async def _refuse(self, context: Any) -> None:
        self.asked.put_nowait(asyncio.get_running_loop().time())
        await context.abort(grpc.StatusCode.UNAVAILABLE, "not well")


@asynccontextmanager
async def ailing() -> AsyncIterator[tuple[Ailing, str]]:
    server = grpc.aio.server()
    # It has what is called here.
    replica = Ailing()  # type: ignore[abstract]
    add_MatchmakingServiceServicer_to_server(replica, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield replica, f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


@pytest.mark.parametrize("what", ["party", "ticket"])
async def test_a_matchmaking_that_is_not_well_is_asked_less_and_less(
    redis_url: str, clients: Clients, what: str
) -> None:
    async with ailing() as (replica, address), gateway(redis_url, matchmaking=(address,)) as door:
        token, player = await clients.login(door, "Ann")
        if what == "party":
            await redis_of(door).set(KEYS.player_party(player), "ABC234")
        else:
            await redis_of(door).hset(KEYS.player(player), "place", "ticket:t-1")
        client = Client(await clients.line(door), player, token)
        await client.hello()
        async with asyncio.timeout(PATIENCE_S):
            asked = [await replica.asked.get() for _ in range(WATCHES)]
    waited = [later - earlier for earlier, later in itertools.pairwise(asked)]
    # A timer may fire by its resolution too early.
    assert all(took >= 0.95 * least for took, least in zip(waited, SHORTEST_S, strict=True))


async def test_without_matchmaking_nobody_looks_for_a_party(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url) as door:
        token, player = await clients.login(door, "Ann")
        redis = redis_of(door)
        await redis.set(KEYS.player_party(player), "ABC234")
        await redis.config_resetstat()
        client = Client(await clients.line(door), player, token)
        await client.hello()
        await client.synced()
        commands: Any = await redis.info("commandstats")
    assert "cmdstat_exists" not in commands
