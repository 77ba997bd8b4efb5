"""Everybody here who follows a ticket: told by message when it has moved, looked after in batches.

One script renews the leases of hundreds of followed tickets and says where they stand, so that ten
thousand who wait cost a few scripts every few seconds. A message says what a ticket has become, or
that it is worth a look; one that was lost is made up for by a renewal. A ticket that was made here a
moment ago needs no look at first: what was written is known, and what came of it was heard.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog
from msgspec.structs import replace
from redis.exceptions import RedisError

from parlor.matchmaking.follower import HELD_MS, Follower
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tickets import WAITING, TicketRecord, pool_of
from parlor.serving.redis import Subscriber

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 200


@dataclass(slots=True, eq=False)
class _Pool:
    """A pool of which tickets are followed, or were made here a moment ago."""

    followers: dict[str, set[Follower]] = field(default_factory=dict)
    """By ticket."""
    is_heard: bool = False
    made: dict[str, TicketRecord | None] = field(default_factory=dict)
    """Tickets that were made here since the last renewal, as they stand; None while they are being
    made, and once somebody follows them."""


class Followers:
    """The followers of one replica."""

    def __init__(
        self,
        store: PoolStore,
        subscriber: Subscriber,
        *,
        renew_ms: int,
        held_ms: int = HELD_MS,
    ) -> None:
        self._store = store
        self._subscriber = subscriber
        self._held_ms = held_ms
        self._renew_s = renew_ms / 1000
        self._pools: dict[str, _Pool] = {}
        self._moved: set[str] = set()
        self._looking: set[str] = set()
        """Tickets of which an answer is on its way, that may be older than what is told meanwhile."""
        self._parted: set[str] = set()
        """Tickets whose last follower has just gone: their players have a whole lease to come back."""
        self._called = asyncio.Event()

    async def run(self) -> None:
        """Looks at tickets that have moved, and at all of them every so often, until cancelled."""
        loop = asyncio.get_running_loop()
        renew_at = loop.time() + self._renew_s
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(renew_at):
                    await self._called.wait()
            # Looked at here: where it is called all the time, no wait ever runs out.
            if loop.time() >= renew_at:
                renew_at = loop.time() + self._renew_s
                for name, pool in list(self._pools.items()):
                    # The lease of those that were made since the last time is new.
                    self._moved.update(pool.followers.keys() - pool.made.keys())
                    pool.made.clear()
                    await self._left(name, pool)
            self._called.clear()
            self._looking, self._moved = self._moved, set()
            await self._look(self._looking)
            self._looking = set()
            parted, self._parted = self._parted, set()
            await asyncio.gather(*(self._renewed(*chunk) for chunk in _chunks(parted)))

    @contextlib.asynccontextmanager
    async def follow(self, *tickets: str) -> AsyncIterator[Follower]:
        """A follower of the tickets; it is shown them at once."""
        follower = Follower(held_ms=self._held_ms)
        try:
            # All of them before anything is waited for: a renewal meanwhile shows them together.
            for ticket in tickets:
                self._pool(pool_of(ticket)).followers.setdefault(ticket, set()).add(follower)
            for name in dict.fromkeys(map(pool_of, tickets)):
                pool = self._pool(name)
                if not pool.is_heard:
                    await self._listen(name, pool)
            self._show_first(tickets, follower)
            yield follower
        finally:
            for ticket in tickets:
                await self.leave(ticket, follower)

    async def leave(self, ticket: str, follower: Follower) -> None:
        """Has the follower follow the ticket no more."""
        name = pool_of(ticket)
        pool = self._pools.get(name)
        followers = pool.followers.get(ticket) if pool is not None else None
        if pool is None or followers is None:
            return
        followers.discard(follower)
        if not followers:
            del pool.followers[ticket]
            seen = follower.seen.get(ticket)
            if seen is None or seen.state == WAITING:
                self._parted.add(ticket)
                self._called.set()
            await self._left(name, pool)

    async def expect(self, name: str, tickets: Sequence[str]) -> None:
        """Hears from now on what becomes of tickets that are about to be made in the pool."""
        pool = self._pool(name)
        # Before it listens: a pool of which nothing is wanted is given up meanwhile.
        pool.made.update(dict.fromkeys(tickets))
        if pool.is_heard:
            return
        try:
            await self._listen(name, pool)
        except RedisError as error:
            # They are looked at then, like those that others have made.
            log.warning("tickets_not_expected", pool=name, error=type(error).__name__)
            for ticket in tickets:
                pool.made.pop(ticket, None)
            await self._left(name, pool)

    def made(self, name: str, tickets: Iterable[TicketRecord]) -> None:
        """Expected tickets have been made: whoever follows one soon is shown it without a look."""
        pool = self._pools.get(name)
        for ticket in tickets:
            # One that has moved already is none of them any more.
            if pool is not None and ticket.ticket in pool.made:
                pool.made[ticket.ticket] = ticket

    def end(self) -> None:
        """Sends every follower to another replica."""
        for pool in self._pools.values():
            for followers in pool.followers.values():
                for follower in followers:
                    follower.end()

    def _show_first(self, tickets: Sequence[str], follower: Follower) -> None:
        """Shows the follower the tickets: those that were all made here a moment ago at once, any
        others when they have been looked at together.
        """
        known: list[tuple[_Pool, TicketRecord]] = []
        for ticket in tickets:
            pool = self._pools[pool_of(ticket)]
            made = pool.made.get(ticket)
            if made is None or ticket in follower.seen:
                for each in tickets:
                    self._call(each)
                return
            known.append((pool, made))
        for pool, made in known:
            pool.made[made.ticket] = None
            follower.show(made.ticket, made)

    def _pool(self, name: str) -> _Pool:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = _Pool()
        return pool

    async def _listen(self, name: str, pool: _Pool) -> None:
        """Hears from now on what becomes of the pool's tickets; raises RedisError."""
        await self._subscriber.subscribe(self._store.moved(name), partial(self._hear, pool))
        pool.is_heard = True

    async def _left(self, name: str, pool: _Pool) -> None:
        """Hears no more of a pool where there is nobody to tell."""
        if not pool.followers and not pool.made and self._pools.get(name) is pool:
            del self._pools[name]
            await self._subscriber.unsubscribe(self._store.moved(name))

    def _hear(self, pool: _Pool, _channel: bytes, words: bytes) -> None:
        state = room = ""
        for word in words.decode().split(" "):
            if ":" in word:
                state, _, room = word.partition(":")
            else:
                self._told(pool, word, state, room)

    def _told(self, pool: _Pool, ticket: str, state: str, room_id: str) -> None:
        """A ticket has this state now; one that is to be looked at, if it is not said which."""
        followers = pool.followers.get(ticket)
        if followers is None:
            made = pool.made.pop(ticket, None)
            if made is not None and state:
                pool.made[ticket] = replace(made, state=state, room_id=room_id, ahead=0)
            return
        seen = next((follower.seen.get(ticket) for follower in followers), None)
        if not state or seen is None or ticket in self._looking:
            self._call(ticket)
            return
        told = replace(seen, state=state, room_id=room_id, ahead=0)
        for follower in followers:
            follower.show(ticket, told)

    def _call(self, ticket: str) -> None:
        self._moved.add(ticket)
        self._called.set()

    async def _look(self, moved: Iterable[str]) -> None:
        """Shows these tickets to who follows them."""
        followed = [
            ticket
            for ticket in moved
            if (pool := self._pools.get(pool_of(ticket))) is not None and ticket in pool.followers
        ]
        await asyncio.gather(*(self._show(*chunk) for chunk in _chunks(followed)))

    async def _show(self, name: str, tickets: list[str]) -> None:
        found = await self._renewed(name, tickets)
        pool = self._pools.get(name)
        if pool is not None:
            for ticket, record in found.items():
                for follower in pool.followers.get(ticket, ()):
                    follower.show(ticket, record)

    async def _renewed(self, name: str, tickets: list[str]) -> dict[str, TicketRecord | None]:
        """Tickets of one pool as they stand, their leases renewed; none where the store is away."""
        try:
            found = await self._store.look_at(name, tickets, renew=True)
        except RedisError as error:
            log.warning("tickets_not_looked_at", pool=name, error=type(error).__name__)
            return {}
        return dict(zip(tickets, found, strict=True))


def _chunks(tickets: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The tickets by their pools, as many as are looked at in one script."""
    by_pool: defaultdict[str, list[str]] = defaultdict(list)
    for ticket in tickets:
        by_pool[pool_of(ticket)].append(ticket)
    return [
        (pool, together[start : start + _AT_ONCE])
        for pool, together in by_pool.items()
        for start in range(0, len(together), _AT_ONCE)
    ]
