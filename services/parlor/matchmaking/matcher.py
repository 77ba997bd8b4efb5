"""The owner's work on one pool: cancel what nobody follows, match, and take matches into rooms.

A match goes `proposed` → `opened` → `assigned`, each step recorded before the next begins, and each
step may be done again: whoever owns the pool finishes the matches it finds, its own and those of a
replica that died. Seats move before the tickets end, so nobody is ever without a place.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec
import structlog

from parlor.matchmaking import metrics
from parlor.matchmaking.backfill import Backfill
from parlor.matchmaking.engines import FOR_GOOD, Engines
from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, kind_of_pool
from parlor.matchmaking.queue import Match, matches
from parlor.matchmaking.seating import Seating
from parlor.matchmaking.store import Ownership, PoolStore, Proposed, Survey
from parlor.matchmaking.tables import Tables
from parlor.matchmaking.tickets import ASSIGNED, CANCELLED, MatchRecord
from parlor.serving.errors import ServiceError, reason_name
from parlor.serving.invitations import Invitations
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis_clock import RedisClock
from parlor.v1.play_pb2 import RoomOpened

log = structlog.get_logger(__name__)

_CHUNK: Final = 128
"""Matches that are proposed, opened and assigned together."""
_AT_ONCE: Final = 4
"""Chunks of one pool that are on their way at once: enough to keep an engine busy, and so few that
it answers each in time."""
_RECENT: Final = 0.2
"""What the newest wait counts for in the estimate of the next."""


@dataclass(slots=True)
class Work:
    """What a replica knows of a pool that it owns, or would like to."""

    pool: Pool
    mirror: Mirror = field(default_factory=Mirror)
    busy: set[str] = field(default_factory=set)
    """Matches that somebody here is at work on."""
    estimate_ms: float = 0.0
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))


@dataclass(frozen=True, slots=True)
class Matcher:
    """Matches the tickets of any pool that this replica owns."""

    store: PoolStore
    places: Places
    engines: Engines
    seating: Seating
    backfill: Backfill
    invitations: Invitations
    tables: Tables
    clock: RedisClock
    maintenance: Maintenance
    connect_ms: int
    give_up_ms: int

    async def tend(self, work: Work, survey: Survey, tasks: asyncio.TaskGroup) -> None:
        """One round of a pool; what takes long goes on in `tasks`."""
        own = survey.own
        for ticket in survey.unfollowed:
            await self._cancel(work, ticket, unfollowed=True)
        for record in survey.due:
            if record.match not in work.busy:
                work.busy.add(record.match)
                look = partial(self.seating.look, own, record)
                tasks.create_task(self._released(work, (record,), look))
        left = [record for record in work.mirror.matches.values() if record.match not in work.busy]
        for records in _chunks(left):
            work.busy.update(record.match for record in records)
            finish = partial(self._finish_left, work, own, records)
            tasks.create_task(self._released(work, records, finish))
        if self.maintenance.is_on:
            # Nothing will come of them. What is matched gets its room, where no game begins either.
            await asyncio.gather(
                *(self._cancel(work, ticket) for ticket in (*work.mirror.tickets,))
            )
            return
        async for made in self._made(work, survey):
            work.busy.update(match.record.match for match in made)
            records = [match.record for match in made]
            finish = partial(self._finish_new, work, own, made)
            tasks.create_task(self._released(work, records, finish))

    async def finish(self, own: Ownership, matches: Sequence[Proposed]) -> list[MatchRecord]:
        """Takes recorded matches as far as they get now; gives those to be tried again."""
        again: list[MatchRecord] = []
        opened: list[Proposed] = []
        to_open: list[Proposed] = []
        for match in matches:
            if match.record.offer is not None:
                try:
                    match = await self.backfill.seated(own, match)
                except ServiceError:
                    # Whether they sit there is not known: nothing else may become of them.
                    again.append(match.record)
                    continue
            (opened if match.record.room_id else to_open).append(match)
        if to_open:
            results = await self.engines.open_rooms(own.pool, to_open)
            for match, result in zip(to_open, results, strict=True):
                if not isinstance(result, ServiceError):
                    opened.append(_with_room(match, result))
                elif not await self._is_given_up(own, match, result):
                    again.append(match.record)
            # The room is recorded before anybody is told of it.
            held = await self.store.opened(own, [match.record for match in opened])
            opened = [match for match, holds in zip(opened, held, strict=True) if holds]
        if opened:
            await self._assign(own, opened)
        return again

    async def _made(self, work: Work, survey: Survey) -> AsyncIterator[list[Proposed]]:
        """The matches that can be made now, recorded, in chunks."""
        mirror = work.mirror
        if not mirror.tickets:
            return
        table = self.tables.table(survey.own.pool, bots=await self.invitations.heard())
        with metrics.cycle_seconds.labels(kind_of_pool(work.pool.name)).time():
            found = list(matches(mirror.tickets.values(), table, survey.now_ms))
        for chunk in _chunks(found):
            proposed = await self._propose(work, survey, chunk)
            if proposed:
                yield proposed

    async def _propose(self, work: Work, survey: Survey, chunk: Sequence[Match]) -> list[Proposed]:
        for match in chunk:
            for ticket in match.tickets:
                wait_ms = survey.now_ms - ticket.since_ms
                work.estimate_ms += _RECENT * (wait_ms - work.estimate_ms)
        # A ticket may have been cancelled since the survey; the others are matched next round.
        proposed = await self.store.propose(
            survey.own, chunk, now_ms=survey.now_ms, estimate_ms=int(work.estimate_ms)
        )
        new = [made for made in proposed if made is not None]
        for made in new:
            work.mirror.matches[made.record.match] = made.record
        if new:
            # One line for all: a line for each would be a tenth of the work in a rush.
            names = [made.record.match for made in new]
            log.info("matches_proposed", pool=work.pool.name, matches=names)
        counted = [match for match, made in zip(chunk, proposed, strict=True) if made is not None]
        _count(kind_of_pool(work.pool.name), counted, survey.now_ms)
        return new

    async def _finish_new(self, work: Work, own: Ownership, matches: Sequence[Proposed]) -> None:
        """Goes on with matches that have just been proposed: nothing has come of them anywhere, so
        a bot's seat may still be looked for.
        """
        await self._finish(work, own, await self.backfill.offered(own, matches))

    async def _finish(self, work: Work, own: Ownership, matches: Sequence[Proposed]) -> None:
        async with work.at_once:
            again = {record.match: record for record in await self.finish(own, matches)}
        for match in matches:
            work.mirror.matches.pop(match.record.match, None)
        work.mirror.matches |= again

    async def _finish_left(
        self, work: Work, own: Ownership, records: Sequence[MatchRecord]
    ) -> None:
        """Goes on with matches that were found, or could not be finished before."""
        matches = []
        for record in records:
            members = [await self.store.members(ticket) for ticket in record.tickets]
            matches.append(Proposed(record=record, members=tuple(members)))
        await self._finish(work, own, matches)

    async def _released(
        self,
        work: Work,
        records: Sequence[MatchRecord],
        do: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        """Does something about matches; a failure leaves them to a later round, which begins anew.

        It takes a function, for this may be cancelled before it begins: a coroutine made by then
        would never be awaited.
        """
        try:
            await do()
        except Exception as error:
            metrics.failures.labels(type(error).__name__).inc()
            log.warning("matches_left", pool=work.pool.name, error=type(error).__name__)
            work.mirror.lose()
        finally:
            work.busy.difference_update(record.match for record in records)

    async def _is_given_up(self, own: Ownership, match: Proposed, error: ServiceError) -> bool:
        """Whether a match that could not be opened has come to its end."""
        record = match.record
        log.warning("match_not_opened", match=record.match, reason=reason_name(error.reason))
        if error.reason in FOR_GOOD:
            if await self.store.give_back(own, record, ()):
                for ticket, members in zip(record.tickets, match.members, strict=True):
                    metrics.tickets.labels(CANCELLED).inc()
                    for member in members:
                        await self.places.free(member.player, ticket)
            return True
        if self.clock.now() < record.at_ms + self.give_up_ms:
            return False
        if await self.store.give_back(own, record, record.tickets):
            log.info("match_given_up", match=record.match)
        return True

    async def _assign(self, own: Ownership, matches: Sequence[Proposed]) -> None:
        """Moves the players of opened matches to their seats, then ends their tickets."""
        seats = [
            (member.player, ticket, match.record.room_id)
            for match in matches
            for ticket, members in zip(match.record.tickets, match.members, strict=True)
            for member in members
        ]
        sits = iter(await self.places.seat(*seats))
        states = [
            [
                ASSIGNED if any(list(islice(sits, len(members)))) else CANCELLED
                for members in match.members
            ]
            for match in matches
        ]
        records = [match.record for match in matches]
        done = await self.store.assign(own, records, states, due_ms=self.connect_ms)
        ended: Counter[str] = Counter()
        rooms: dict[str, str] = {}
        for record, ends, is_new in zip(records, states, done, strict=True):
            if not is_new:
                continue
            ended.update(ends)
            rooms[record.match] = record.room_id
            if record.bots:
                await self.seating.invite(record, record.bots)
        if rooms:
            log.info("matches_assigned", rooms=rooms)
        for state, count in ended.items():
            metrics.tickets.labels(state).inc(count)

    async def _cancel(self, work: Work, ticket: str, *, unfollowed: bool = False) -> None:
        """Ends a waiting ticket; an `unfollowed` one only if nobody has come back to it meanwhile."""
        members = await self.store.members(ticket)
        if await self.store.cancel(ticket, unfollowed=unfollowed) == CANCELLED:
            metrics.tickets.labels("unfollowed" if unfollowed else CANCELLED).inc()
            for member in members:
                await self.places.free(member.player, ticket)
            log.info("ticket_dropped", ticket=ticket)
            work.mirror.tickets.pop(ticket, None)


def _with_room(match: Proposed, room: RoomOpened) -> Proposed:
    record = msgspec.structs.replace(match.record, room_id=room.room_id, link_token=room.link_token)
    return replace(match, record=record)


def _chunks(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)]


def _count(kind: str, made: Sequence[Match], now_ms: int) -> None:
    metrics.matches.labels(kind).inc(len(made))
    metrics.bot_fills.labels(kind).inc(sum(match.bots for match in made))
    waits = metrics.wait_seconds.labels(kind)
    for match in made:
        for ticket in match.tickets:
            waits.observe((now_ms - ticket.since_ms) / 1000)
