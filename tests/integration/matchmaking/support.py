"""Replicas of matchmaking and engines in this process, and players who want to play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc

from parlor.engine.config import EngineConfig
from parlor.engine.host import Host
from parlor.engine.serve import SERVICES as ENGINE_SERVICES
from parlor.engine.serve import engine_of
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.rules.catalog import GAMES
from parlor.serving import App, serving
from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE

if TYPE_CHECKING:
    from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceAsyncStub

WAITING = TicketState.TICKET_STATE_WAITING
ASSIGNED = TicketState.TICKET_STATE_ASSIGNED
CANCELLED = TicketState.TICKET_STATE_CANCELLED

STANDARD = GameConfig(doudizhu=DouDizhuConfig())
CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))

QUICK: dict[str, Any] = {"tick_ms": 10, "follow_ms": 10, "renew_ms": 100, "fill_after_ms": 60_000}


@asynccontextmanager
async def engine(redis_url: str) -> AsyncIterator[App[EngineConfig]]:
    """An engine for Dou Dizhu."""
    host = Host(game=GAMES["doudizhu"], wire=WIRE["doudizhu"])
    config = EngineConfig(redis_url=redis_url)
    async with serving("engine", config, engine_of(host), services=ENGINE_SERVICES) as app:
        yield app


@asynccontextmanager
async def matchmaking(redis_url: str, **settings: Any) -> AsyncIterator["Desk"]:
    """A replica of matchmaking, and the way to it."""
    config = MatchmakingConfig(redis_url=redis_url, **(QUICK | settings))
    async with (
        serving("matchmaking", config, bind, services=SERVICES) as app,
        grpc.aio.insecure_channel(app.grpc_address, options=CHANNEL_OPTIONS) as channel,
    ):
        yield Desk(MatchmakingServiceStub(channel))


class Desk:
    """Where tickets are taken."""

    def __init__(self, stub: "MatchmakingServiceAsyncStub") -> None:
        self.stub = stub

    async def create(
        self, player: str, config: GameConfig = STANDARD, *, bot: bool = False
    ) -> TicketUpdate:
        """The player's ticket."""
        request = pb.CreateTicketRequest(
            request_id=f"create-{player}",
            config=config,
            player=player,
            name=player.title(),
            bot=bot,
        )
        return (await self.stub.CreateTicket(request)).ticket

    async def get(self, player: str, ticket: str = "") -> TicketUpdate:
        """The ticket as it stands."""
        return (
            await self.stub.GetTicket(pb.GetTicketRequest(player=player, ticket_id=ticket))
        ).ticket

    async def cancel(self, player: str) -> TicketUpdate:
        """The player's ticket, given back."""
        request = pb.CancelTicketRequest(request_id=f"cancel-{player}", player=player)
        return (await self.stub.CancelTicket(request)).ticket

    async def updates(self, player: str, ticket: str = "") -> list[TicketUpdate]:
        """Every update of the ticket until it has ended."""
        stream = self.stub.WatchTicket(pb.WatchTicketRequest(player=player, ticket_id=ticket))
        async with asyncio.timeout(10):
            return [response.ticket async for response in stream]

    async def play(
        self, player: str, config: GameConfig = STANDARD, *, bot: bool = False
    ) -> TicketUpdate:
        """Takes a ticket and follows it to its end."""
        ticket = await self.create(player, config, bot=bot)
        return (await self.updates(player, ticket.ticket_id))[-1]


def refusal(error: grpc.aio.AioRpcError) -> str:
    """The name of the reason for which a call was refused."""
    return reason_name(from_rpc_error(error).reason)
