"""The owner's work on one pool: cancel what nobody follows, finish what is under way, match.

A match goes `proposed` → `opened` → `assigned`, each step recorded before the next begins, and each
step may be done again: whoever owns the pool finishes the matches it finds, its own and those of a
replica that died. Seats move before the tickets end, so nobody is ever without a place.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import structlog

from parlor.matchmaking import metrics
from parlor.matchmaking.engines import FOR_GOOD, Engines
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, kind_of_pool
from parlor.matchmaking.queue import Waiting, matches
from parlor.matchmaking.store import (
    ASSIGNED,
    CANCELLED,
    MatchRecord,
    Ownership,
    PoolStore,
    Survey,
)
from parlor.serving.errors import ServiceError, reason_name
from parlor.serving.maintenance import Maintenance

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Matcher:
    """Matches the tickets of any pool that this replica owns."""

    store: PoolStore
    places: Places
    engines: Engines
    seats: Callable[[Pool], int]
    """How many seats a table of the pool has."""
    fill_after_ms: int
    maintenance: Maintenance

    async def tend(self, own: Ownership) -> Survey:
        """One round of a pool; gives what it found."""
        survey = await self.store.survey(own.pool)
        for ticket in survey.unfollowed:
            await self._drop(ticket)
        await asyncio.gather(*(self.finish(own, record) for record in survey.under_way))
        if self.maintenance.is_on:
            await asyncio.gather(*(self._end(ticket) for ticket in survey.waiting))
            return survey
        made = await self._made(own, survey)
        await asyncio.gather(*(self.finish(own, record) for record in made))
        return survey

    async def finish(self, own: Ownership, record: MatchRecord) -> None:
        """Takes a recorded match to its end, from wherever it stands."""
        if not record.room_id:
            opened = await self._open(own, record)
            if opened is None:
                return
            record = opened
        seated = [
            await self.places.seat(member.player, member.ticket, record.room_id)
            for member in record.members
        ]
        states = tuple(ASSIGNED if sits else CANCELLED for sits in seated)
        if await self.store.finish(own, record, states):
            for state in states:
                metrics.tickets.labels(state).inc()
            log.info("match_assigned", match=record.match, room=record.room_id)

    async def _made(self, own: Ownership, survey: Survey) -> list[MatchRecord]:
        """The matches that could be made, recorded."""
        made = []
        gone = set(survey.unfollowed)
        found = matches(
            (ticket for ticket in survey.waiting if ticket.ticket not in gone),
            seats=self.seats(own.pool),
            now_ms=survey.now_ms,
            fill_after_ms=self.fill_after_ms,
        )
        for match in found:
            record = await self.store.record_of(own.pool, match)
            # A ticket may have been cancelled since the survey; the others are matched next round.
            if record is not None and await self.store.propose(own, record):
                made.append(record)
                _count(kind_of_pool(own.pool.name), record, survey.now_ms)
                log.info("match_proposed", match=record.match, pool=own.pool.name)
        return made

    async def _open(self, own: Ownership, record: MatchRecord) -> MatchRecord | None:
        """The match with its room; None where it has none yet, or never will."""
        try:
            room_id = await self.engines.open_room(record)
        except ServiceError as error:
            log.warning("match_not_opened", match=record.match, reason=reason_name(error.reason))
            if error.reason in FOR_GOOD:
                await self._give_up(own, record)
            return None
        record = msgspec.structs.replace(record, room_id=room_id)
        return record if await self.store.opened(own, record) else None

    async def _give_up(self, own: Ownership, record: MatchRecord) -> None:
        """Cancels the tickets of a match that no engine will ever open."""
        if await self.store.finish(own, record, (CANCELLED,) * len(record.members)):
            for member in record.members:
                metrics.tickets.labels(CANCELLED).inc()
                await self.places.free(member.player, member.ticket)

    async def _end(self, waiting: Waiting) -> None:
        """Cancels a ticket that nothing will come of."""
        found = await self.store.look(waiting.ticket)
        if found is not None and await self.store.cancel(waiting.ticket) == CANCELLED:
            metrics.tickets.labels(CANCELLED).inc()
            await self.places.free(found.player, waiting.ticket)

    async def _drop(self, ticket: str) -> None:
        """Cancels a ticket that nobody follows any more."""
        found = await self.store.look(ticket)
        if found is not None and await self.store.cancel(ticket, unfollowed=True) == CANCELLED:
            metrics.tickets.labels("unfollowed").inc()
            await self.places.free(found.player, ticket)
            log.info("ticket_dropped", ticket=ticket)


def _count(kind: str, record: MatchRecord, now_ms: int) -> None:
    metrics.matches.labels(kind).inc()
    for member in record.members:
        if member.bot:
            metrics.bot_fills.labels(kind).inc()
        else:
            metrics.wait_seconds.labels(kind).observe((now_ms - member.since_ms) / 1000)
