"""The way in: `MatchmakingService` on one replica."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc
import structlog
from redis.exceptions import RedisError

from parlor.matchmaking.crowd import Crowd
from parlor.matchmaking.desk import MOST_TICKET, Desk, malformed, no_ticket
from parlor.matchmaking.followers import Followers
from parlor.matchmaking.gatherings import Gatherings
from parlor.matchmaking.tickets import ENDED, TicketRecord
from parlor.matchmaking.updates import is_news, party_update, ticket_update, write_ticket
from parlor.serving.errors import ServiceError
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis import is_away
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceServicer

log = structlog.get_logger(__name__)

_MOST_REQUESTS = 500

Context = grpc.aio.ServicerContext[Any, Any]


class MatchmakingService(MatchmakingServiceServicer):
    """Trusts who calls it: the gateway has checked who the players are."""

    def __init__(
        self,
        desk: Desk,
        crowd: Crowd,
        gatherings: Gatherings,
        followers: Followers,
        draining: asyncio.Event,
        maintenance: Maintenance,
    ) -> None:
        self._desk = desk
        self._crowd = crowd
        self._gatherings = gatherings
        self._followers = followers
        self._draining = draining
        self._maintenance = maintenance

    async def CreateTicket(
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Takes a ticket, or gives the one that the player has."""
        self._check_open()
        return pb.CreateTicketResponse(ticket=ticket_update(await self._desk.create(request)))

    async def CreateTickets(
        self, request: pb.CreateTicketsRequest, context: Context
    ) -> pb.CreateTicketsResponse:
        """Takes several, each on its own."""
        if len(request.requests) > _MOST_REQUESTS:
            raise malformed(f"at most {_MOST_REQUESTS}", "requests")
        try:
            self._check_open()
            ends: Sequence[TicketRecord | Exception] = await self._crowd.create(request.requests)
        except ServiceError as error:
            ends = [error] * len(request.requests)
        response = pb.CreateTicketsResponse()
        for end in ends:
            _write_result(end, response.results.add())
        return response

    async def GetTicket(
        self, request: pb.GetTicketRequest, context: Context
    ) -> pb.GetTicketResponse:
        """A ticket as it stands."""
        found = await self._desk.existing(request.ticket_id, request.player)
        return pb.GetTicketResponse(ticket=ticket_update(found))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """Every change of a ticket until it has ended; following it keeps it alive."""
        ticket = (await self._desk.existing(request.ticket_id, request.player)).ticket
        last: TicketRecord | None = None
        async with self._followers.follow(ticket) as follower:
            while True:
                found = (await follower.next())[ticket]
                if found is None:
                    raise no_ticket()
                if last is None or is_news(found, last):
                    yield pb.WatchTicketResponse(ticket=ticket_update(found))
                last = found
                if _is_over(found, until_begun=request.until_begun):
                    return

    async def WatchTickets(
        self, request: pb.WatchTicketsRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketsResponse]:
        """Every change of tickets until all have ended."""
        if len(request.requests) > _MOST_REQUESTS:
            raise malformed(f"at most {_MOST_REQUESTS}", "requests")
        if not all(0 < len(each.ticket_id) <= MOST_TICKET for each in request.requests):
            raise malformed("a ticket is not named", "ticket_id")
        watched = {each.ticket_id: (each.player, each.until_begun) for each in request.requests}
        last: dict[str, TicketRecord] = {}
        async with self._followers.follow(*watched) as follower:
            while watched:
                response = pb.WatchTicketsResponse()
                for ticket, found in (await follower.next()).items():
                    if ticket not in watched:
                        # It has moved once more after its end.
                        continue
                    player, until_begun = watched[ticket]
                    before = last.get(ticket)
                    if found is None or (before is None and not found.has(player)):
                        response.unknown_ticket_ids.append(ticket)
                        is_over = True
                    else:
                        if before is None or is_news(found, before):
                            write_ticket(found, response.tickets.add())
                        last[ticket] = found
                        is_over = _is_over(found, until_begun=until_begun)
                    if is_over:
                        del watched[ticket]
                        await self._followers.leave(ticket, follower)
                if response.tickets or response.unknown_ticket_ids:
                    yield response

    async def CancelTicket(
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Gives a ticket back unless it has been matched."""
        return pb.CancelTicketResponse(ticket=ticket_update(await self._desk.cancel(request)))

    async def ExplainTicket(
        self, request: pb.ExplainTicketRequest, context: Context
    ) -> pb.ExplainTicketResponse:
        """Why a ticket waits."""
        return pb.ExplainTicketResponse(explanation=await self._desk.explain(request))

    async def CreateParty(
        self, request: pb.CreatePartyRequest, context: Context
    ) -> pb.CreatePartyResponse:
        """Begins a party."""
        return pb.CreatePartyResponse(party=party_update(await self._gatherings.create(request)))

    async def JoinParty(
        self, request: pb.JoinPartyRequest, context: Context
    ) -> pb.JoinPartyResponse:
        """Joins a party."""
        return pb.JoinPartyResponse(party=party_update(await self._gatherings.join(request)))

    async def LeaveParty(
        self, request: pb.LeavePartyRequest, context: Context
    ) -> pb.LeavePartyResponse:
        """Leaves a party."""
        return pb.LeavePartyResponse(party=party_update(await self._gatherings.leave(request)))

    async def WatchParty(
        self, request: pb.WatchPartyRequest, context: Context
    ) -> AsyncIterator[pb.WatchPartyResponse]:
        """Every change of the player's party until there is none."""
        async for party in self._gatherings.watch(request.player):
            yield pb.WatchPartyResponse(party=party_update(party))

    def _check_open(self) -> None:
        """Raises ServiceError where no tickets are taken at the moment."""
        if self._draining.is_set():
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")
        self._maintenance.check()


def _write_result(end: TicketRecord | Exception, result: pb.TicketResult) -> None:
    """What came of one ticket: whatever befell it, those of all the others are taken."""
    if isinstance(end, TicketRecord):
        write_ticket(end, result.ticket)
        return
    why = _refusal(end)
    result.refused.reason, result.refused.message = why.reason, why.message
    result.refused.metadata.update(why.metadata)


def _refusal(error: Exception) -> ServiceError:
    """What the caller is told of one ticket, as of a call that is about nothing else."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RedisError) and is_away(error):
        log.warning("ticket_without_store", error=type(error).__name__)
        reason = ErrorReason.ERROR_REASON_STORE_UNAVAILABLE
        return ServiceError(reason, "the store did not answer")
    log.error("ticket_failed", exc_info=error)
    return ServiceError(ErrorReason.ERROR_REASON_INTERNAL, "a defect of the service")


def _is_over(ticket: TicketRecord, *, until_begun: bool) -> bool:
    return ticket.is_over if until_begun else ticket.state in ENDED
