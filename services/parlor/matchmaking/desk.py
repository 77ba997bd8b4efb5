"""Where tickets are taken, explained and given back."""

import asyncio
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from parlor.matchmaking import metrics
from parlor.matchmaking.parties import Parties
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, pool_for, seats_of
from parlor.matchmaking.ratings import Ratings
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tables import Tables
from parlor.matchmaking.tickets import (
    ASSIGNED,
    CANCELLED,
    MATCHED,
    WAITING,
    Member,
    NewTicket,
    TicketRecord,
    is_partys,
    new_ticket,
    pool_of,
)
from parlor.matchmaking.updates import ticket_update
from parlor.serving.errors import ServiceError
from parlor.serving.invitations import Invitations
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketExplanation

MOST_ID = 64
MOST_TICKET = 160


@dataclass(frozen=True, slots=True)
class Desk:
    """The tickets of every pool, as their players use them. All of it raises ServiceError."""

    store: PoolStore
    places: Places
    parties: Parties
    ratings: Ratings
    tables: Tables
    invitations: Invitations
    clock: RedisClock

    async def create(self, request: pb.CreateTicketRequest) -> TicketRecord:
        """Takes a ticket, or gives the one that the player has."""
        pool = checked_pool(request)
        members = await self._members(request, pool)
        new = asked_ticket(request, pool, members, await self._rating(request, members, pool))
        taken = await self._taken(new)
        found = await self.store.look(taken, renew=True) if taken != new.ticket else None
        if found is not None:
            found = _repeated(found, new)
            if found.state in (WAITING, MATCHED) and _is_meant(found, new):
                await self._tell_party(request, found)
            return found
        if taken != new.ticket and (pool_of(taken) != pool.name or is_partys(taken)):
            # Somebody is just taking that ticket, for another game or with others.
            raise ServiceError(ErrorReason.ERROR_REASON_CONFLICT, "another ticket is on its way")
        # A place that was taken in this pool, and no ticket behind it yet: that one is meant.
        return await self._add(pool, replace(new, ticket=taken), request)

    async def _taken(self, new: NewTicket) -> str:
        """The ticket that its owner holds from now on, with everybody on it."""
        if len(new.members) > 1:
            # A repeat by the owner is no attempt on the others' places.
            held = await self.places.ticket_of(new.members[0].player)
            found = await self.store.look(held) if held else None
            if found is not None and not found.is_over:
                return held
        return await self.places.take(new.members, new.ticket)

    async def existing(self, ticket: str, player: str, *, renew: bool = False) -> TicketRecord:
        """The ticket; where none is named the player's own, also once it has led to a seat.

        Raises TICKET_NOT_FOUND for one that is forgotten or another's.
        """
        player = named(player)
        if len(ticket) > MOST_TICKET:
            raise no_ticket()
        ticket = ticket or await self.places.latest_ticket_of(player)
        found = await self.store.look(ticket, renew=renew) if ticket else None
        if found is None or not found.has(player):
            raise no_ticket()
        return found

    async def cancel(self, request: pb.CancelTicketRequest) -> TicketRecord:
        """Gives a ticket back; raises TICKET_MATCHED where it is too late."""
        check_request_id(request.request_id)
        found = await self.existing(request.ticket_id, request.player)
        await self.give_back(found)
        return await self.existing(found.ticket, request.player)

    async def give_back(self, ticket: TicketRecord) -> None:
        """Cancels a ticket for everybody on it; raises TICKET_MATCHED where it is too late."""
        state = await self.store.cancel(ticket.ticket)
        if state in (MATCHED, ASSIGNED):
            raise ServiceError(ErrorReason.ERROR_REASON_TICKET_MATCHED, "the match is made")
        if ticket.state != CANCELLED:
            metrics.tickets.labels(CANCELLED).inc()
        frees = (self.places.free(member.player, ticket.ticket) for member in ticket.members)
        await asyncio.gather(*frees)

    async def explain(self, request: pb.ExplainTicketRequest) -> TicketExplanation:
        """Why a ticket waits."""
        found = await self.existing(request.ticket_id, request.player)
        explanation = TicketExplanation(ticket=ticket_update(found), pool=pool_of(found.ticket))
        pool = next((p for p in await self.store.pools() if p.name == explanation.pool), None)
        if found.state != WAITING or pool is None:
            return explanation
        table = self.tables.table(pool, bots=await self.invitations.heard())
        waited_ms = self.clock.now() - found.since_ms
        width = table.window.width(waited_ms)
        waiting, within = await self.store.reach(
            pool.name, found.rating - width, found.rating + width
        )
        explanation.waiting, explanation.in_reach = waiting, max(0, within - 1)
        explanation.rating = found.rating
        if not math.isinf(width):
            explanation.window = width
        widens_ms = table.window.widens_ms(waited_ms)
        if widens_ms is not None:
            explanation.widen_time.FromMilliseconds(found.since_ms + widens_ms)
        if table.fill_after_ms is not None:
            explanation.fill_time.FromMilliseconds(found.since_ms + table.fill_after_ms)
        return explanation

    async def _members(self, request: pb.CreateTicketRequest, pool: Pool) -> tuple[Member, ...]:
        """Everybody who comes along, the player first."""
        me = Member.of(request.player, request.name)
        if request.party_code:
            if request.members:
                raise malformed("either a party's code, or its members", "members")
            members: Sequence[Member] = (
                await self.parties.led_by(me.player, request.party_code)
            ).members
        else:
            others = (Member.of(named(m.player), m.name) for m in request.members)
            members = (me, *others)
        if len({member.player for member in members}) < len(members):
            raise malformed("a player comes once", "members")
        seats = seats_of(pool)
        if len(members) > seats:
            raise ServiceError(
                ErrorReason.ERROR_REASON_PARTY_TOO_LARGE,
                f"the table has {seats} seats",
                seats=str(seats),
            )
        return tuple(members)

    async def _rating(
        self, request: pb.CreateTicketRequest, members: Sequence[Member], pool: Pool
    ) -> float:
        """What the gateway let a backend say, else what is known of the players."""
        if request.HasField("rating"):
            return request.rating
        return await self.ratings.of([member.player for member in members], pool.name)

    async def _add(
        self, pool: Pool, new: NewTicket, request: pb.CreateTicketRequest
    ) -> TicketRecord:
        """The ticket, whose places are taken, in the queue."""
        added = await self.store.add(pool, new)
        if added is not None:
            metrics.tickets.labels("created").inc()
        ticket = added or await self.existing(new.ticket, request.player)
        await self._tell_party(request, ticket)
        return ticket

    async def _tell_party(self, request: pb.CreateTicketRequest, ticket: TicketRecord) -> None:
        """Has the members of the party, if it is one's, find the ticket; gives it back where they
        have changed, and raises why.
        """
        if not request.party_code:
            return
        try:
            party = await self.parties.led_by(request.player, request.party_code)
            if party.ticket == ticket.ticket:
                return
            if party.members == ticket.members and await self.parties.take_ticket(
                party, ticket.ticket
            ):
                return
            changed = ServiceError(ErrorReason.ERROR_REASON_CONFLICT, "the party has changed")
        except ServiceError as error:
            changed = error
        # Somebody came or went just now: they shall not find themselves on a ticket, or off it.
        await self.give_back(ticket)
        raise changed


def checked_pool(request: pb.CreateTicketRequest) -> Pool:
    """The pool that is asked for, of a request that has nothing wrong with it; raises ServiceError."""
    named(request.player)
    check_request_id(request.request_id)
    if request.bot:
        raise malformed("bots come where they are asked for", "bot")
    if request.HasField("rating") and not 0 <= request.rating < math.inf:
        raise malformed("expected a number of at least 0", "rating")
    return pool_for(request.config, request.region, request.stake)


def asked_ticket(
    request: pb.CreateTicketRequest, pool: Pool, members: tuple[Member, ...], rating: float
) -> NewTicket:
    """The ticket that is asked for, with an id of its own."""
    return NewTicket(
        ticket=new_ticket(pool.name, len(members)),
        members=members,
        rating=rating,
        request_id=request.request_id,
        digest=_digest(request),
    )


def named(player: str) -> str:
    """The player; raises MALFORMED where none is named."""
    if not 0 < len(player) <= MOST_ID:
        raise malformed("no player is named", "player")
    return player


def check_request_id(request_id: str) -> None:
    """Raises MALFORMED unless it has 1 to 64 characters."""
    if not 0 < len(request_id) <= MOST_ID:
        raise malformed("1 to 64 characters", "request_id")


def malformed(message: str, field: str) -> ServiceError:
    """The refusal of a field that has not the right shape."""
    return ServiceError(ErrorReason.ERROR_REASON_MALFORMED, message, field=field)


def no_ticket() -> ServiceError:
    """The refusal where there is no such ticket, or it is another's."""
    return ServiceError(ErrorReason.ERROR_REASON_TICKET_NOT_FOUND, "no such ticket of this player")


def _digest(request: pb.CreateTicketRequest) -> str:
    encoded = request.SerializeToString(deterministic=True)
    return hashlib.blake2b(encoded, digest_size=8).hexdigest()


def _is_meant(found: TicketRecord, new: NewTicket) -> bool:
    """Whether what was asked for is the ticket that was found, and not only what there is instead."""
    return found.request_id == new.request_id or found.members == new.members


def _repeated(found: TicketRecord, new: NewTicket) -> TicketRecord:
    if found.request_id == new.request_id and found.digest != new.digest:
        raise ServiceError(
            ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
            "this request_id was accepted before with other content",
        )
    return found
