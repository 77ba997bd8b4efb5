"""Everybody here who follows a ticket: told by message when it has moved, looked after in batches.

One script renews the leases of hundreds of followed tickets and says where they stand, so that ten
thousand who wait cost a few scripts every few seconds. A message says what a ticket has become, or
that it is worth a look; one that was lost is made up for by the next renewal.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import structlog
from redis.exceptions import RedisError

from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tickets import TicketRecord, pool_of
from parlor.serving.errors import ServiceError
from parlor.serving.redis import Subscriber
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 200


class Follower:
    """One who follows tickets."""

    def __init__(self) -> None:
        self.seen: dict[str, TicketRecord] = {}
        """The tickets as they stood last, without those that nobody has looked at yet or that are forgotten."""
        self._moved: dict[str, TicketRecord | None] = {}
        self._looked = asyncio.Event()
        self._over = False

    def show(self, ticket: str, found: TicketRecord | None) -> None:
        """The ticket was looked at, or told of."""
        if found is None:
            self.seen.pop(ticket, None)
        else:
            self.seen[ticket] = found
        self._moved[ticket] = found
        self._looked.set()

    def end(self) -> None:
        """The replica stops."""
        self._over = True
        self._looked.set()

    async def next(self) -> dict[str, TicketRecord | None]:
        """By id, all that were looked at since the last time, as they stand; None for a forgotten one.

        Raises DRAINING where the replica stops first.
        """
        await self._looked.wait()
        if self._over:
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")
        self._looked.clear()
        moved, self._moved = self._moved, {}
        return moved


class Followers:
    """The followers of one replica."""

    def __init__(self, store: PoolStore, subscriber: Subscriber, *, renew_ms: int) -> None:
        self._store = store
        self._subscriber = subscriber
        self._renew_s = renew_ms / 1000
        self._pools: defaultdict[str, dict[str, set[Follower]]] = defaultdict(dict)
        """By pool, then by ticket."""
        self._moved: set[str] = set()
        self._looking: set[str] = set()
        """Tickets of which an answer is on its way, that may be older than what is told meanwhile."""
        self._called = asyncio.Event()

    async def run(self) -> None:
        """Looks at tickets that have moved, and at all of them every so often, until cancelled."""
        loop = asyncio.get_running_loop()
        renew_at = loop.time() + self._renew_s
        while True:
            try:
                async with asyncio.timeout_at(renew_at):
                    await self._called.wait()
            except TimeoutError:
                renew_at = loop.time() + self._renew_s
                self._moved.update(ticket for pool in self._pools.values() for ticket in pool)
            self._called.clear()
            self._looking, self._moved = self._moved, set()
            await self._look(self._looking)
            self._looking = set()

    @asynccontextmanager
    async def follow(self, *tickets: str) -> AsyncIterator[Follower]:
        """A follower of the tickets; it is shown them at once."""
        follower = Follower()
        try:
            for ticket in tickets:
                await self._join(ticket, follower)
            self._call(tickets)
            yield follower
        finally:
            for ticket in tickets:
                await self.leave(ticket, follower)

    async def leave(self, ticket: str, follower: Follower) -> None:
        """Has the follower follow the ticket no more."""
        tickets = self._pools.get(pool_of(ticket), {})
        followers = tickets.get(ticket, set())
        followers.discard(follower)
        if not followers and tickets.pop(ticket, None) is not None and not tickets:
            del self._pools[pool_of(ticket)]
            await self._subscriber.unsubscribe(self._store.moved(pool_of(ticket)))

    async def _join(self, ticket: str, follower: Follower) -> None:
        pool = pool_of(ticket)
        is_first = pool not in self._pools
        self._pools[pool].setdefault(ticket, set()).add(follower)
        if is_first:
            await self._subscriber.subscribe(self._store.moved(pool), self._hear)

    def end(self) -> None:
        """Sends every follower to another replica."""
        for pool in self._pools.values():
            for followers in pool.values():
                for follower in followers:
                    follower.end()

    def _hear(self, _channel: bytes, words: bytes) -> None:
        state = room = ""
        for word in words.decode().split(" "):
            if ":" in word:
                state, _, room = word.partition(":")
            else:
                self._told(word, state, room)

    def _told(self, ticket: str, state: str, room_id: str) -> None:
        """A ticket has this state now; one that is to be looked at, if it is not said which."""
        followers = self._pools.get(pool_of(ticket), {}).get(ticket, set())
        seen = next((follower.seen.get(ticket) for follower in followers), None)
        if not state or seen is None or ticket in self._looking:
            self._call((ticket,))
            return
        told = replace(seen, state=state, room_id=room_id, ahead=0)
        for follower in followers:
            follower.show(ticket, told)

    def _call(self, tickets: Iterable[str]) -> None:
        self._moved.update(tickets)
        self._called.set()

    async def _look(self, moved: Iterable[str]) -> None:
        """Shows these tickets to who follows them."""
        by_pool: defaultdict[str, list[str]] = defaultdict(list)
        for ticket in moved:
            if ticket in self._pools.get(pool_of(ticket), {}):
                by_pool[pool_of(ticket)].append(ticket)
        chunks = [
            (pool, tickets[start : start + _AT_ONCE])
            for pool, tickets in by_pool.items()
            for start in range(0, len(tickets), _AT_ONCE)
        ]
        await asyncio.gather(*(self._show(pool, tickets) for pool, tickets in chunks))

    async def _show(self, pool: str, tickets: list[str]) -> None:
        try:
            found = await self._store.look_at(pool, tickets, renew=True)
        except RedisError as error:
            log.warning("tickets_not_looked_at", pool=pool, error=type(error).__name__)
            return
        for ticket, record in zip(tickets, found, strict=True):
            for follower in self._pools.get(pool, {}).get(ticket, ()):
                follower.show(ticket, record)
