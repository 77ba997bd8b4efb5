"""Replicas of matchmaking and engines in this process, and players who want to play."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

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
from parlor.serving.errors import ServiceError, from_rpc_error, reason_name
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import (
    PartyUpdate,
    TicketExplanation,
    TicketState,
    TicketUpdate,
)
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE

if TYPE_CHECKING:
    from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceAsyncStub

WAITING = TicketState.TICKET_STATE_WAITING
ASSIGNED = TicketState.TICKET_STATE_ASSIGNED
CANCELLED = TicketState.TICKET_STATE_CANCELLED
MATCHED = TicketState.TICKET_STATE_MATCHED

PATIENCE_S = 60.0

T = TypeVar("T")

STANDARD = GameConfig(doudizhu=DouDizhuConfig())
CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))

QUICK: dict[str, Any] = {
    "tick_ms": 10,
    "look_ms": 50,
    "renew_ms": 100,
    "fill_after_ms": 60_000,
    "window": ("0:inf",),
}


@asynccontextmanager
async def engine(
    redis_url: str, kind: str = "doudizhu", **settings: Any
) -> AsyncIterator[App[EngineConfig]]:
    """An engine for one kind of game."""
    config = EngineConfig(redis_url=redis_url, **settings)
    host = Host(game=GAMES[kind], wire=WIRE[kind], limits=config.room_limits)
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


def ticket_request(
    player: str, config: GameConfig = STANDARD, **fields: Any
) -> pb.CreateTicketRequest:
    """What the gateway asks for on behalf of a player; `fields` are further ones."""
    fields = {"request_id": f"create-{player}", "name": player.title()} | fields
    return pb.CreateTicketRequest(config=config, player=player, **fields)


class Desk:
    """Where tickets are taken."""

    def __init__(self, stub: "MatchmakingServiceAsyncStub") -> None:
        self.stub = stub

    async def create(
        self, player: str, config: GameConfig = STANDARD, **fields: Any
    ) -> TicketUpdate:
        """The player's ticket."""
        request = ticket_request(player, config, **fields)
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

    async def updates(
        self, player: str, ticket: str = "", *, until_begun: bool = False
    ) -> list[TicketUpdate]:
        """Every update of the ticket until it has ended."""
        request = pb.WatchTicketRequest(player=player, ticket_id=ticket, until_begun=until_begun)
        async with asyncio.timeout(PATIENCE_S):
            return [response.ticket async for response in self.stub.WatchTicket(request)]

    async def until(
        self, player: str, state: "TicketState.ValueType", ticket: str = ""
    ) -> TicketUpdate:
        """Follows the ticket until it is in this state."""
        request = pb.WatchTicketRequest(player=player, ticket_id=ticket, until_begun=True)
        async with asyncio.timeout(PATIENCE_S):
            async for response in self.stub.WatchTicket(request):
                if response.ticket.state == state:
                    return response.ticket
        raise AssertionError("the ticket ended in another state")

    async def explain(self, player: str) -> TicketExplanation:
        """Why the player's ticket waits."""
        request = pb.ExplainTicketRequest(player=player)
        return (await self.stub.ExplainTicket(request)).explanation

    async def play(self, player: str, config: GameConfig = STANDARD, **fields: Any) -> TicketUpdate:
        """Takes a ticket and follows it to its end."""
        ticket = await self.create(player, config, **fields)
        return (await self.updates(player, ticket.ticket_id))[-1]

    async def gather(self, leader: str, *others: str) -> str:
        """The code of a party of these players."""
        create = pb.CreatePartyRequest(request_id="party", player=leader, name=leader.title())
        party = (await self.stub.CreateParty(create)).party
        for other in others:
            await self.join(other, party.code)
        return party.code

    async def join(self, player: str, code: str) -> PartyUpdate:
        """The party that the player has joined."""
        request = pb.JoinPartyRequest(
            request_id="join", code=code, player=player, name=player.title()
        )
        return (await self.stub.JoinParty(request)).party

    async def leave(self, player: str, member: str = "") -> PartyUpdate:
        """The party without the player, or without the member whom the player takes out."""
        request = pb.LeavePartyRequest(request_id="leave", player=player, member=member)
        return (await self.stub.LeaveParty(request)).party


def refusal(error: grpc.aio.AioRpcError) -> str:
    """The name of the reason for which a call was refused."""
    return reason_name(from_rpc_error(error).reason)


async def once_alive(ask: Callable[[], Awaitable[T]]) -> T:
    """What comes of it once an engine is known to live, whose heartbeat may be late on a busy machine."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await ask()
            except ServiceError as error:
                if error.reason != ErrorReason.ERROR_REASON_NO_ENGINE:
                    raise
            await asyncio.sleep(0.01)


async def refused(call: Awaitable[Any]) -> str:
    """The reason for which a call is refused; fails where it is not."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return refusal(error)
    raise AssertionError("it was accepted")
