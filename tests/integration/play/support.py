"""A deployment in this process: engines, gateways and matchmaking on one Redis; and a player."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from parlor.bots.policies import POLICIES
from parlor.cli.tally import EXPECTED
from parlor.client import Refused, Room
from parlor.engine.config import EngineConfig
from parlor.engine.host import Host
from parlor.engine.serve import SERVICES as ENGINE_SERVICES
from parlor.engine.serve import engine_of
from parlor.gateway.config import GatewayConfig
from parlor.gateway.serve import SERVICES as GATEWAY_SERVICES
from parlor.gateway.serve import bind as gateway
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES as MATCHMAKING_SERVICES
from parlor.matchmaking.replica import bind as matchmaking
from parlor.rules.catalog import GAMES
from parlor.serving import serving
from parlor.v1.room_pb2 import RoomStatus
from parlor.wire.catalog import WIRE

UNHURRIED: dict[str, Any] = {
    "engine_poll_ms": 50,
    "frames_per_s": 100_000,
    "frames_burst": 100_000,
    "player_requests_per_s": 100_000,
    "player_requests_burst": 100_000,
    "codes_per_min": 100_000,
    "address_codes_per_min": 100_000,
    "drain_ms": 4_000,
    "leave_ms": 300,
}
"""Limits of a gateway that no test of anything else meets."""


@asynccontextmanager
async def deployment(
    redis_url: str,
    *,
    kind: str = "doudizhu",
    engines: int = 2,
    gateways: int = 2,
    fill_after_ms: int = 5_000,
    **settings: Any,
) -> AsyncIterator[list[str]]:
    """The gateways' URLs while all of it runs with engines of one kind; `settings` are the gateways'."""
    async with AsyncExitStack() as stack:
        host = Host(game=GAMES[kind], wire=WIRE[kind])
        for _ in range(engines):
            config = EngineConfig(redis_url=redis_url, unbounded=True, advice_ms=60_000)
            await stack.enter_async_context(
                serving("engine", config, engine_of(host), services=ENGINE_SERVICES)
            )
        desk = await stack.enter_async_context(
            serving(
                "matchmaking",
                MatchmakingConfig(redis_url=redis_url, fill_after_ms=fill_after_ms),
                matchmaking,
                services=MATCHMAKING_SERVICES,
            )
        )
        urls = []
        for _ in range(gateways):
            front = GatewayConfig(
                redis_url=redis_url, matchmaking=(desk.grpc_address,), **(UNHURRIED | settings)
            )
            door = await stack.enter_async_context(
                serving("gateway", front, gateway, services=GATEWAY_SERVICES)
            )
            urls.append(f"http://{door.http_address}")
        yield urls


async def played(room: Room, games: int) -> None:
    """Plays as the bots do."""
    answered: set[tuple[int, int]] = set()
    ready_for = 0
    async for _ in room.changes():
        game_no = room.view.game_no
        if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
            if room.game_view is None:
                continue
            kind = room.view.config.WhichOneof("game") or ""
            action = POLICIES[kind](room.game_view, random.Random(game_no))
            if action is not None and (game_no, action.decision) not in answered:
                answered.add((game_no, action.decision))
                try:
                    await room.act(action)
                except Refused as refused:
                    if refused.name not in EXPECTED:
                        raise
        elif game_no == games:
            return
        elif ready_for <= game_no:
            ready_for = game_no + 1
            await room.ready()
