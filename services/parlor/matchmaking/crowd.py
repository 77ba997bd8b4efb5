"""Tickets for many at once. Most of a rush come alone and hold nothing: those go together.

A task and its futures for each cost more than all else that a ticket needs, and a script for a
hundred hardly more than one for one. Whoever is no such case is left to the desk, afterwards.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redis.exceptions import RedisError

from parlor.matchmaking import metrics
from parlor.matchmaking.desk import Desk, asked_ticket, checked_pool
from parlor.matchmaking.followers import Followers
from parlor.matchmaking.pools import Pool
from parlor.matchmaking.tickets import Member, NewTicket, TicketRecord
from parlor.serving.errors import ServiceError
from parlor.serving.redis import is_away
from parlor.v1 import matchmaking_service_pb2 as pb

_Asked = tuple[pb.CreateTicketRequest, Pool]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many who ask at the same desk."""

    desk: Desk
    followers: Followers
    """Who asks for many tickets follows them next."""

    async def create(
        self, requests: Sequence[pb.CreateTicketRequest]
    ) -> list[TicketRecord | Exception]:
        """What `Desk.create` gives for each, in order, or why it gives nothing."""
        found = await self._together(_alone(requests))
        rest = [number for number in range(len(requests)) if number not in found]
        ends = await asyncio.gather(
            *(self.desk.create(requests[number]) for number in rest), return_exceptions=True
        )
        for number, end in zip(rest, ends, strict=True):
            if isinstance(end, BaseException) and not isinstance(end, Exception):
                raise end
            found[number] = end
        return [found[number] for number in range(len(requests))]

    async def _together(self, asked: dict[int, _Asked]) -> dict[int, TicketRecord | Exception]:
        """By number, the tickets of those who held nothing, and why the store gave none."""
        try:
            tickets = await self._rated(asked)
        except RedisError as error:
            return _failed(asked, error)
        takes = [(new.members[0].player, new.ticket) for new in tickets.values()]
        taken = await self.desk.places.take_each(takes)
        found: dict[int, TicketRecord | Exception] = {}
        by_pool: defaultdict[Pool, list[int]] = defaultdict(list)
        for number, is_taken in zip(asked, taken, strict=True):
            if isinstance(is_taken, RedisError):
                found |= _failed((number,), is_taken)
            elif is_taken:
                by_pool[asked[number][1]].append(number)
        adding = [
            self._added(pool, {number: tickets[number] for number in numbers})
            for pool, numbers in by_pool.items()
        ]
        for added in await asyncio.gather(*adding):
            found |= added
        return found

    async def _rated(self, asked: dict[int, _Asked]) -> dict[int, NewTicket]:
        """The tickets that are to be taken."""
        unrated = [
            (request.player, pool.name)
            for request, pool in asked.values()
            if not request.HasField("rating")
        ]
        known = iter(await self.desk.ratings.of_each(unrated))
        return {
            number: asked_ticket(
                request,
                pool,
                (Member.of(request.player, request.name),),
                request.rating if request.HasField("rating") else next(known),
            )
            for number, (request, pool) in asked.items()
        }

    async def _added(
        self, pool: Pool, tickets: dict[int, NewTicket]
    ) -> dict[int, TicketRecord | Exception]:
        await self.followers.expect(pool.name, [new.ticket for new in tickets.values()])
        try:
            added = await self.desk.store.add_each(pool, list(tickets.values()))
        except RedisError as error:
            return _failed(tickets, error)
        entered = [ticket for ticket in added if ticket is not None]
        self.followers.made(pool.name, entered)
        metrics.tickets.labels("created").inc(len(entered))
        return {
            number: ticket
            for number, ticket in zip(tickets, added, strict=True)
            if ticket is not None
        }


def _failed(numbers: Iterable[int], error: RedisError) -> dict[int, TicketRecord | Exception]:
    """What came of those whose script failed: nothing where the store is away. Where it refused, it
    may have been because of one of them, and all are left to the desk.
    """
    return dict.fromkeys(numbers, error) if is_away(error) else {}


def _alone(requests: Iterable[pb.CreateTicketRequest]) -> dict[int, _Asked]:
    """By number, whoever comes alone and asks for what there is. The others are told by the desk."""
    asked = {}
    for number, request in enumerate(requests):
        if request.party_code or request.members:
            continue
        try:
            asked[number] = request, checked_pool(request)
        except ServiceError:
            continue
    return asked
