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
    """One who follows a ticket."""

    def __init__(self) -> None:
        self._seen: TicketRecord | None = None
        self._looked = asyncio.Event()
        self._over = False

    @property
    def seen(self) -> TicketRecord | None:
        """The ticket as it stood last; None where nobody has looked yet, or it is forgotten."""
        return self._seen

    def show(self, ticket: TicketRecord | None) -> None:
        """The ticket was looked at, or told of."""
        self._seen = ticket
        self._looked.set()

    def end(self) -> None:
        """The replica stops."""
        self._over = True
        self._looked.set()

    async def next(self) -> TicketRecord | None:
        """The ticket as it stands, once it has been looked at again; None once it is forgotten.

        Raises DRAINING where the replica stops first.
        """
        await self._looked.wait()
        if self._over:
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")
        self._looked.clear()
        return self._seen


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
    async def follow(self, ticket: str) -> AsyncIterator[Follower]:
        """A follower of the ticket; it is shown the ticket at once."""
        pool, follower = pool_of(ticket), Follower()
        is_first = pool not in self._pools
        followers = self._pools[pool].setdefault(ticket, set())
        followers.add(follower)
        try:
            if is_first:
                await self._subscriber.subscribe(self._store.moved(pool), self._hear)
            self._call((ticket,))
            yield follower
        finally:
            followers.discard(follower)
            tickets = self._pools.get(pool, {})
            if not followers:
                tickets.pop(ticket, None)
            if not tickets:
                self._pools.pop(pool, None)
                await self._subscriber.unsubscribe(self._store.moved(pool))

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
        seen = next((follower.seen for follower in followers), None)
        if not state or seen is None or ticket in self._looking:
            self._call((ticket,))
            return
        told = replace(seen, state=state, room_id=room_id, ahead=0)
        for follower in followers:
            follower.show(told)

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
                follower.show(record)
