"""PlayService for backends and bots, and MatchmakingService on behalf of their players."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, TypeAlias

import grpc

from parlor.gateway import connect
from parlor.gateway.addresses import of_grpc_peer
from parlor.gateway.checks import (
    check_code,
    check_command,
    check_config,
    check_request_id,
    check_room_id,
    malformed,
)
from parlor.gateway.gateway import Gateway, player_of
from parlor.gateway.replays import replay
from parlor.gateway.tokens import MOST_NAME, Identity, is_fit_name, is_fit_player
from parlor.serving import ServiceError
from parlor.serving.traced_calls import metadata_of
from parlor.v1 import matchmaking_service_pb2 as matchmaking
from parlor.v1 import play_service_pb2 as play
from parlor.v1.engine_service_pb2 import Look, Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketUpdate
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceServicer
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.play_service_pb2_grpc import PlayServiceServicer

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_BEARER = "bearer "
_MOST_TICKETS = 500


class Caller:
    """Who calls, from the metadata."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def identified(self, context: Context, scope: str) -> Identity:
        """The caller with `scope`; raises INVALID_TOKEN, SCOPE_MISSING or TOO_FAST."""
        who = self._named(context)
        who.require(scope)
        await self._gateway.spend_request(who.player, self.address(context))
        return who

    def is_backend(self, context: Context) -> bool:
        """Whether a backend calls."""
        try:
            return self._named(context).is_backend
        except ServiceError:
            return False

    def _named(self, context: Context) -> Identity:
        header = metadata_of(context, "authorization")
        if not header.lower().startswith(_BEARER):
            raise ServiceError(
                ErrorReason.ERROR_REASON_INVALID_TOKEN,
                "expected the metadata authorization: Bearer <JWT>",
            )
        return self._gateway.tokens.verify(header[len(_BEARER) :].strip())

    def address(self, context: Context) -> str:
        """From where."""
        peer = of_grpc_peer(context.peer())
        return self._gateway.proxies.client(peer, metadata_of(context, "x-forwarded-for"))


class PlayServicer(PlayServiceServicer):
    """Play, for those whose programs speak gRPC."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._caller = Caller(gateway)

    # The stubs know servicers that yield; this one writes, for what it sends comes from elsewhere.
    async def Connect(  # type: ignore[override]
        self, request_iterator: AsyncIterator[play.ConnectRequest], context: Context
    ) -> None:
        """Opens a session."""
        refusal = self._gateway.sessions.refusal()
        if refusal is not None:
            raise refusal
        address = self._caller.address(context)
        self._gateway.strangers.check(address)
        await self._gateway.limits.arrivals.spend(address)
        await connect.serve(self._gateway, context, address)

    async def Login(self, request: play.LoginRequest, context: Context) -> play.LoginResponse:
        """Gives a guest's token."""
        token, player = await self._gateway.login(
            request.name, bot=request.bot, address=self._caller.address(context)
        )
        return play.LoginResponse(token=token, player=player)

    async def OpenRoom(
        self, request: play.OpenRoomRequest, context: Context
    ) -> play.OpenRoomResponse:
        """Opens a room for the caller, or for named players."""
        who = await self._caller.identified(context, "open" if request.players else "play")
        check_request_id(request.request_id)
        kind = check_config(request.config)
        for player in request.players:
            if player and not is_fit_player(player):
                raise malformed("not a player's id", "players")
        room = await self._gateway.open_room(
            who,
            kind,
            request_id=request.request_id,
            config=request.config,
            options=request.options,
            players=tuple(
                Player(player=player, name=_name_of(player)) for player in request.players
            )
            or (player_of(who),),
        )
        return play.OpenRoomResponse(room=room)

    async def FindRoom(
        self, request: play.FindRoomRequest, context: Context
    ) -> play.FindRoomResponse:
        """Finds a room by its code."""
        who = await self._caller.identified(context, "play")
        check_code(request.code)
        room_id = await self._gateway.room_of_code(
            request.code, player=who.player, address=self._caller.address(context)
        )
        return play.FindRoomResponse(room_id=room_id)

    async def Execute(self, request: play.ExecuteRequest, context: Context) -> play.ExecuteResponse:
        """Carries out one command."""
        who = await self._caller.identified(context, "play")
        command = request.command
        check_command(command)
        if command.join.code:
            await self._gateway.spend_code(who.player, self._caller.address(context))
        reply = await self._gateway.router.ask(
            command.room_id, player_of(who), command=command, within_ms=left_ms(context)
        )
        answer = ServerFrame.FromString(reply.frame).answer
        if answer.HasField("refused"):
            refused = answer.refused
            raise ServiceError(refused.reason, refused.message, **refused.metadata)
        return play.ExecuteResponse(answer=answer)

    async def GetView(self, request: play.GetViewRequest, context: Context) -> play.GetViewResponse:
        """Gives a room's view."""
        who = await self._caller.identified(context, "play")
        check_room_id(request.room_id)
        reply = await self._gateway.router.ask(
            request.room_id,
            player_of(who),
            look=Look(room_id=request.room_id),
            within_ms=left_ms(context),
        )
        return play.GetViewResponse(view=ServerFrame.FromString(reply.looked.frame).view)

    async def GetReplay(
        self, request: play.GetReplayRequest, context: Context
    ) -> AsyncIterator[play.GetReplayResponse]:
        """Gives an ended game."""
        await self._caller.identified(context, "play")
        check_room_id(request.room_id)
        # Read to its end first: a slow client must not hold one of an engine's few places.
        parts = [part async for part in replay(self._gateway, request.room_id, request.game_no)]
        for part in parts:
            yield play.GetReplayResponse(part=part)


class MatchmakingServicer(MatchmakingServiceServicer):
    """Matchmaking, for the player that the token names."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._caller = Caller(gateway)

    async def CreateTicket(
        self, request: matchmaking.CreateTicketRequest, context: Context
    ) -> matchmaking.CreateTicketResponse:
        """Takes a ticket."""
        who = await self._who(request.player, context)
        return matchmaking.CreateTicketResponse(ticket=await self._create(request, who))

    async def CreateTickets(
        self, request: matchmaking.CreateTicketsRequest, context: Context
    ) -> matchmaking.CreateTicketsResponse:
        """Takes tickets for many players of a backend."""
        who = await self._caller.identified(context, "open")
        if len(request.requests) > _MOST_TICKETS:
            raise malformed(f"at most {_MOST_TICKETS}", "requests")
        results = await asyncio.gather(*(self._result(each, who) for each in request.requests))
        return matchmaking.CreateTicketsResponse(results=results)

    async def _result(
        self, request: matchmaking.CreateTicketRequest, who: Identity
    ) -> matchmaking.TicketResult:
        try:
            ticket = await self._create(request, _on_behalf(who, request.player))
            return matchmaking.TicketResult(ticket=ticket)
        except ServiceError as error:
            refused = matchmaking.TicketRefusal(
                reason=error.reason, message=error.message, metadata=error.metadata
            )
            return matchmaking.TicketResult(refused=refused)

    async def _create(
        self, request: matchmaking.CreateTicketRequest, who: Identity
    ) -> TicketUpdate:
        """A ticket for a player, with what only a backend may say of it."""
        check_request_id(request.request_id)
        check_config(request.config)
        is_backend = "open" in who.scopes
        for field in ("rating", "members"):
            is_set = request.HasField("rating") if field == "rating" else bool(request.members)
            if is_set and not is_backend:
                raise ServiceError(
                    ErrorReason.ERROR_REASON_SCOPE_MISSING, "only a backend says that", field=field
                )
        for member in request.members:
            if not is_fit_player(member.player):
                raise malformed("not a player's id", "members")
            member.name = _name_of(member.player, member.name, "members")
        if is_backend and request.name:
            who = replace(who, name=_name_of(who.player, request.name, "name"))
        request.player, request.name, request.bot = who.player, who.name, who.bot
        return await self._gateway.matchmaking.create(request)

    async def GetTicket(
        self, request: matchmaking.GetTicketRequest, context: Context
    ) -> matchmaking.GetTicketResponse:
        """Gives the player's ticket."""
        who = await self._who(request.player, context)
        ticket = await self._gateway.matchmaking.get(who, request.ticket_id)
        return matchmaking.GetTicketResponse(ticket=ticket)

    async def WatchTicket(
        self, request: matchmaking.WatchTicketRequest, context: Context
    ) -> AsyncIterator[matchmaking.WatchTicketResponse]:
        """Follows the player's ticket."""
        who = await self._who(request.player, context)
        watching = self._gateway.matchmaking.watch(
            who, request.ticket_id, until_begun=request.until_begun
        )
        async for ticket in watching:
            yield matchmaking.WatchTicketResponse(ticket=ticket)

    async def WatchTickets(
        self, request: matchmaking.WatchTicketsRequest, context: Context
    ) -> AsyncIterator[matchmaking.WatchTicketsResponse]:
        """Follows tickets of many players of a backend."""
        who = await self._caller.identified(context, "open")
        if len(request.requests) > _MOST_TICKETS:
            raise malformed(f"at most {_MOST_TICKETS}", "requests")
        for each in request.requests:
            each.player = _on_behalf(who, each.player).player
        async for response in self._gateway.matchmaking.watch_many(request):
            yield response

    async def CancelTicket(
        self, request: matchmaking.CancelTicketRequest, context: Context
    ) -> matchmaking.CancelTicketResponse:
        """Gives the player's ticket back."""
        who = await self._who(request.player, context)
        check_request_id(request.request_id)
        ticket = await self._gateway.matchmaking.cancel(who, request.request_id, request.ticket_id)
        return matchmaking.CancelTicketResponse(ticket=ticket)

    async def ExplainTicket(
        self, request: matchmaking.ExplainTicketRequest, context: Context
    ) -> matchmaking.ExplainTicketResponse:
        """Says why the player's ticket waits."""
        who = await self._who(request.player, context)
        explanation = await self._gateway.matchmaking.explain(who, request.ticket_id)
        return matchmaking.ExplainTicketResponse(explanation=explanation)

    async def CreateParty(
        self, request: matchmaking.CreatePartyRequest, context: Context
    ) -> matchmaking.CreatePartyResponse:
        """Begins a party."""
        who = await self._who(request.player, context)
        check_request_id(request.request_id)
        party = await self._gateway.matchmaking.create_party(who, request.request_id)
        return matchmaking.CreatePartyResponse(party=party)

    async def JoinParty(
        self, request: matchmaking.JoinPartyRequest, context: Context
    ) -> matchmaking.JoinPartyResponse:
        """Joins a party."""
        who = await self._who(request.player, context)
        check_request_id(request.request_id)
        await self._gateway.spend_code(who.player, self._caller.address(context))
        party = await self._gateway.matchmaking.join_party(who, request.request_id, request.code)
        return matchmaking.JoinPartyResponse(party=party)

    async def LeaveParty(
        self, request: matchmaking.LeavePartyRequest, context: Context
    ) -> matchmaking.LeavePartyResponse:
        """Leaves the player's party."""
        who = await self._who(request.player, context)
        check_request_id(request.request_id)
        party = await self._gateway.matchmaking.leave_party(who, request.request_id, request.member)
        return matchmaking.LeavePartyResponse(party=party)

    async def WatchParty(
        self, request: matchmaking.WatchPartyRequest, context: Context
    ) -> AsyncIterator[matchmaking.WatchPartyResponse]:
        """Follows the player's party."""
        who = await self._who(request.player, context)
        async for party in self._gateway.matchmaking.watch_party(who):
            yield matchmaking.WatchPartyResponse(party=party)

    async def _who(self, player: str, context: Context) -> Identity:
        return _on_behalf(await self._caller.identified(context, "match"), player)


def _on_behalf(who: Identity, player: str) -> Identity:
    """The token's player, or with the scope `open` the one that is named."""
    if player in ("", who.player):
        return who
    if "open" not in who.scopes:
        raise ServiceError(
            ErrorReason.ERROR_REASON_SCOPE_MISSING,
            "a token speaks for its own player",
            field="player",
        )
    if not is_fit_player(player):
        raise malformed("not a player's id", "player")
    return replace(who, player=player, name=_name_of(player), bot=False)


def _name_of(player: str, asked: str = "", field: str = "name") -> str:
    """The name that a backend asks for on behalf of a player, else the beginning of the id."""
    if asked and not is_fit_name(asked):
        raise malformed(f"expected 1 to {MOST_NAME} printable characters", field)
    return asked or player[:MOST_NAME]


def left_ms(context: Context) -> float | None:
    """How long the caller still waits; None where it set no deadline."""
    # The stubs say float.
    left: Any = context.time_remaining()
    return None if left is None else max(1.0, left * 1000)
