"""The way in: tickets are taken, looked at, followed and given back."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc

from parlor.matchmaking import metrics
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import pool_for
from parlor.matchmaking.store import (
    ASSIGNED,
    CANCELLED,
    MATCHED,
    WAITING,
    PoolStore,
    TicketRecord,
    new_ticket,
    pool_of,
)
from parlor.serving.errors import ServiceError
from parlor.serving.maintenance import Maintenance
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceServicer

_STATES: dict[str, "TicketState.ValueType"] = {
    WAITING: TicketState.TICKET_STATE_WAITING,
    MATCHED: TicketState.TICKET_STATE_MATCHED,
    ASSIGNED: TicketState.TICKET_STATE_ASSIGNED,
    CANCELLED: TicketState.TICKET_STATE_CANCELLED,
}

_MOST_ID = 64
_MOST_TICKET = 128

Context = grpc.aio.ServicerContext[Any, Any]


class MatchmakingService(MatchmakingServiceServicer):
    """`parlor.v1.MatchmakingService` on one replica."""

    def __init__(
        self,
        store: PoolStore,
        places: Places,
        draining: asyncio.Event,
        maintenance: Maintenance,
        *,
        follow_ms: int,
        renew_ms: int,
    ) -> None:
        self._store = store
        self._places = places
        self._draining = draining
        self._maintenance = maintenance
        self._follow_s = follow_ms / 1000
        self._renew_every = max(1, renew_ms // follow_ms)

    async def CreateTicket(
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Takes a ticket, or gives the one that the player has."""
        player = _named(request.player)
        _check_request_id(request.request_id)
        if self._draining.is_set():
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")
        self._maintenance.check()
        pool = pool_for(request.config)
        ticket = await self._places.take(player, new_ticket(pool.name))
        found = await self._store.look(ticket, renew=True)
        if found is None:
            if pool_of(ticket) != pool.name:
                # Somebody is just taking that ticket, for another game, in the player's name.
                raise ServiceError(
                    ErrorReason.ERROR_REASON_CONFLICT, "another ticket is on its way"
                )
            await self._store.add(pool, ticket, player=player, name=request.name, bot=request.bot)
            metrics.tickets.labels("created").inc()
            found = await self._existing(ticket, player)
        return pb.CreateTicketResponse(ticket=_update(found))

    async def GetTicket(
        self, request: pb.GetTicketRequest, context: Context
    ) -> pb.GetTicketResponse:
        """A ticket as it stands."""
        player = _named(request.player)
        ticket = await self._ticket(request.ticket_id, player)
        return pb.GetTicketResponse(ticket=_update(await self._existing(ticket, player)))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """Every change of a ticket until it has ended; following it keeps it alive."""
        player = _named(request.player)
        ticket = await self._ticket(request.ticket_id, player)
        last = None
        looks = 0
        while True:
            renew = looks % self._renew_every == 0
            update = _update(await self._existing(ticket, player, renew=renew))
            if update != last:
                yield pb.WatchTicketResponse(ticket=update)
            if update.state in (_STATES[ASSIGNED], _STATES[CANCELLED]):
                return
            last = update
            looks += 1
            await self._pause()

    async def CancelTicket(
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Gives a ticket back unless it has been matched."""
        player = _named(request.player)
        _check_request_id(request.request_id)
        ticket = await self._ticket(request.ticket_id, player)
        found = await self._existing(ticket, player)
        state = await self._store.cancel(ticket)
        if state in (MATCHED, ASSIGNED):
            raise ServiceError(ErrorReason.ERROR_REASON_TICKET_MATCHED, "the match is made")
        if found.state != CANCELLED:
            metrics.tickets.labels(CANCELLED).inc()
        await self._places.free(player, ticket)
        return pb.CancelTicketResponse(ticket=_update(await self._existing(ticket, player)))

    async def _ticket(self, ticket: str, player: str) -> str:
        """The id asked for, or the player's own; raises TICKET_NOT_FOUND without one."""
        if len(ticket) > _MOST_TICKET:
            raise _not_found()
        found = ticket or await self._places.ticket_of(player)
        if not found:
            raise _not_found()
        return found

    async def _existing(self, ticket: str, player: str, *, renew: bool = False) -> TicketRecord:
        """The ticket; raises TICKET_NOT_FOUND for one that is forgotten or another's."""
        found = await self._store.look(ticket, renew=renew)
        if found is None or found.player != player:
            raise _not_found()
        return found

    async def _pause(self) -> None:
        """Waits until it is time to look again; raises DRAINING where the replica stops first."""
        try:
            async with asyncio.timeout(self._follow_s):
                await self._draining.wait()
        except TimeoutError:
            return
        raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")


def _update(ticket: TicketRecord) -> TicketUpdate:
    update = TicketUpdate(
        ticket_id=ticket.ticket,
        state=_STATES[ticket.state],
        ahead=ticket.ahead,
        room_id=ticket.room_id if ticket.state == ASSIGNED else "",
    )
    update.create_time.FromMilliseconds(ticket.since_ms)
    return update


def _named(player: str) -> str:
    if not 0 < len(player) <= _MOST_ID:
        raise ServiceError(ErrorReason.ERROR_REASON_MALFORMED, "no player is named", field="player")
    return player


def _check_request_id(request_id: str) -> None:
    if not 0 < len(request_id) <= _MOST_ID:
        raise ServiceError(
            ErrorReason.ERROR_REASON_MALFORMED, "1 to 64 characters", field="request_id"
        )


def _not_found() -> ServiceError:
    return ServiceError(ErrorReason.ERROR_REASON_TICKET_NOT_FOUND, "no such ticket of this player")
