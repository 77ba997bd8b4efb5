"""The way to matchmaking: one channel for all who look for a game here."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from parlor.gateway.tokens import Identity
from parlor.serving import ServiceError
from parlor.serving.channels import Channels
from parlor.serving.errors import from_rpc_error
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketUpdate
from parlor.v1.matchmaking_service_pb2 import (
    CancelTicketRequest,
    CreateTicketRequest,
    GetTicketRequest,
    WatchTicketRequest,
)
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from parlor.v1.room_pb2 import GameConfig


class Matchmaking:
    """Matchmaking, as one player after the other uses it; raises ServiceError."""

    def __init__(self, addresses: Sequence[str], timeout_ms: int, channels: Channels) -> None:
        self._timeout_s = timeout_ms / 1000
        self._channel = channels.to_each(addresses) if addresses else None
        self._stub: Any = (
            MatchmakingServiceStub(self._channel) if self._channel is not None else None
        )

    async def aclose(self) -> None:
        """Closes the channel; what is followed ends."""
        if self._channel is not None:
            await self._channel.close()

    async def create(self, who: Identity, request_id: str, config: GameConfig) -> TicketUpdate:
        """Takes a ticket for the player."""
        request = CreateTicketRequest(
            request_id=request_id, config=config, player=who.player, name=who.name, bot=who.bot
        )
        return await self._ticket("CreateTicket", request)

    async def get(self, who: Identity, ticket_id: str = "") -> TicketUpdate:
        """The player's ticket."""
        return await self._ticket(
            "GetTicket", GetTicketRequest(ticket_id=ticket_id, player=who.player)
        )

    async def cancel(self, who: Identity, request_id: str, ticket_id: str = "") -> TicketUpdate:
        """Gives the player's ticket back."""
        request = CancelTicketRequest(request_id=request_id, ticket_id=ticket_id, player=who.player)
        return await self._ticket("CancelTicket", request)

    async def watch(self, who: Identity, ticket_id: str = "") -> AsyncIterator[TicketUpdate]:
        """The player's ticket whenever it has moved."""
        stream = self._known().WatchTicket(
            WatchTicketRequest(ticket_id=ticket_id, player=who.player)
        )
        try:
            async for response in stream:
                yield response.ticket
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None
        finally:
            stream.cancel()

    async def _ticket(self, method: str, request: object) -> TicketUpdate:
        try:
            response = await getattr(self._known(), method)(request, timeout=self._timeout_s)
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None
        ticket: TicketUpdate = response.ticket
        return ticket

    def _known(self) -> Any:
        if self._stub is None:
            raise ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "there is no matchmaking here")
        return self._stub
