"""The way to matchmaking: one channel for all who look for a game here."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import grpc

from parlor.gateway.tokens import Identity
from parlor.serving import ServiceError
from parlor.serving.channels import Channels
from parlor.serving.errors import from_rpc_error
from parlor.serving.tasks import stop
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import PartyUpdate, TicketExplanation, TicketUpdate
from parlor.v1.matchmaking_service_pb2 import (
    CancelTicketRequest,
    CreatePartyRequest,
    CreateTicketRequest,
    CreateTicketsRequest,
    ExplainTicketRequest,
    GetTicketRequest,
    JoinPartyRequest,
    LeavePartyRequest,
    TicketResult,
    WatchPartyRequest,
    WatchTicketRequest,
    WatchTicketsRequest,
    WatchTicketsResponse,
)
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub

_MOST_REQUESTS: Final = 500

_Asked = tuple[CreateTicketRequest, "asyncio.Future[TicketUpdate]"]


class Matchmaking:
    """Matchmaking, as one player after the other uses it; raises ServiceError."""

    def __init__(self, addresses: Sequence[str], timeout_ms: int, channels: Channels) -> None:
        self._timeout_s = timeout_ms / 1000
        self._channel = channels.to_each(addresses) if addresses else None
        self._stub: Any = (
            MatchmakingServiceStub(self._channel) if self._channel is not None else None
        )
        self._asked: list[_Asked] = []
        self._asking: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        """Closes the channel; what is followed ends."""
        await stop(*self._asking)
        if self._channel is not None:
            await self._channel.close()

    @property
    def is_there(self) -> bool:
        """Whether this gateway has any."""
        return self._stub is not None

    # Tickets.

    async def create(self, request: CreateTicketRequest) -> TicketUpdate:
        """Takes a ticket. All that are asked for in one turn of the event loop go in one call: calls
        are what gRPC is slow at.
        """
        self._known()
        loop = asyncio.get_running_loop()
        if not self._asked:
            loop.call_soon(self._ask)
        ticket: asyncio.Future[TicketUpdate] = loop.create_future()
        self._asked.append((request, ticket))
        return await ticket

    async def get(self, who: Identity, ticket_id: str = "") -> TicketUpdate:
        """The player's ticket."""
        request = GetTicketRequest(ticket_id=ticket_id, player=who.player)
        ticket: TicketUpdate = (await self._called("GetTicket", request)).ticket
        return ticket

    async def cancel(self, who: Identity, request_id: str, ticket_id: str = "") -> TicketUpdate:
        """Gives the player's ticket back."""
        request = CancelTicketRequest(request_id=request_id, ticket_id=ticket_id, player=who.player)
        ticket: TicketUpdate = (await self._called("CancelTicket", request)).ticket
        return ticket

    async def explain(self, who: Identity, ticket_id: str = "") -> TicketExplanation:
        """Why the player's ticket waits."""
        request = ExplainTicketRequest(ticket_id=ticket_id, player=who.player)
        explanation: TicketExplanation = (await self._called("ExplainTicket", request)).explanation
        return explanation

    async def watch(
        self, who: Identity, ticket_id: str = "", *, until_begun: bool
    ) -> AsyncIterator[TicketUpdate]:
        """The player's ticket whenever it has moved."""
        request = WatchTicketRequest(
            ticket_id=ticket_id, player=who.player, until_begun=until_begun
        )
        async for response in self._followed("WatchTicket", request):
            yield response.ticket

    async def watch_many(self, request: WatchTicketsRequest) -> AsyncIterator[WatchTicketsResponse]:
        """Tickets of many players whenever some have moved."""
        async for response in self._followed("WatchTickets", request):
            yield response

    # Parties.

    async def create_party(self, who: Identity, request_id: str) -> PartyUpdate:
        """Begins a party."""
        request = CreatePartyRequest(request_id=request_id, player=who.player, name=who.name)
        return await self._party("CreateParty", request)

    async def join_party(self, who: Identity, request_id: str, code: str) -> PartyUpdate:
        """Joins a party."""
        request = JoinPartyRequest(
            request_id=request_id, code=code, player=who.player, name=who.name
        )
        return await self._party("JoinParty", request)

    async def leave_party(self, who: Identity, request_id: str, member: str) -> PartyUpdate:
        """Leaves the player's party, or takes another out of it."""
        request = LeavePartyRequest(request_id=request_id, player=who.player, member=member)
        return await self._party("LeaveParty", request)

    async def watch_party(self, who: Identity) -> AsyncIterator[PartyUpdate]:
        """The player's party whenever it has changed."""
        async for response in self._followed("WatchParty", WatchPartyRequest(player=who.player)):
            yield response.party

    def _ask(self) -> None:
        """Sends what was asked for."""
        asked, self._asked = self._asked, []
        for start in range(0, len(asked), _MOST_REQUESTS):
            task = asyncio.create_task(self._created(asked[start : start + _MOST_REQUESTS]))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

    async def _created(self, asked: Sequence[_Asked]) -> None:
        request = CreateTicketsRequest(requests=[each for each, _ in asked])
        try:
            results = (await self._called("CreateTickets", request)).results
        except ServiceError as error:
            for _, ticket in asked:
                _refuse(ticket, ServiceError(error.reason, error.message, **error.metadata))
            return
        except asyncio.CancelledError:
            for _, ticket in asked:
                ticket.cancel()
            raise
        for (_, ticket), result in zip(asked, results, strict=True):
            _settle(ticket, result)

    async def _party(self, method: str, request: object) -> PartyUpdate:
        party: PartyUpdate = (await self._called(method, request)).party
        return party

    async def _called(self, method: str, request: object) -> Any:
        try:
            return await getattr(self._known(), method)(request, timeout=self._timeout_s)
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None

    async def _followed(self, method: str, request: object) -> AsyncIterator[Any]:
        stream = getattr(self._known(), method)(request)
        try:
            async for response in stream:
                yield response
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None
        finally:
            stream.cancel()

    def _known(self) -> Any:
        if self._stub is None:
            raise ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "there is no matchmaking here")
        return self._stub


def _settle(ticket: "asyncio.Future[TicketUpdate]", result: TicketResult) -> None:
    if result.HasField("refused"):
        refused = result.refused
        _refuse(ticket, ServiceError(refused.reason, refused.message, **refused.metadata))
    elif not ticket.done():
        ticket.set_result(result.ticket)


def _refuse(ticket: "asyncio.Future[TicketUpdate]", error: ServiceError) -> None:
    # Whoever asked may have gone meanwhile.
    if not ticket.done():
        ticket.set_exception(error)
