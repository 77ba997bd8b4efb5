"""The pools in Redis. All keys of a pool share one hash tag, so that each script touches one slot.

| key | what |
|---|---|
| `waiting` | sorted set: waiting tickets by the instant their wait began |
| `ratings` | sorted set: waiting tickets by their rating |
| `queue` | hash: waiting tickets to what the owner needs of each: since, size, rating |
| `leases` | sorted set: waiting tickets by the instant after which nobody follows them |
| `changes` | stream: what became of the queue, entries numbered by the last change in each. Missing: it is empty |
| `ticket:<id>` | hash: state, members, since, size, rating, request, digest, room, begun. Missing: forgotten |
| `matches` | hash: matches between proposal and assignment. Missing: none is under way |
| `seating` | hash: matches between assignment and the beginning of their game |
| `due` | sorted set: those by the instant until which they have to have begun |
| `owner` | hash: replica, until, fence, version, called, estimate, config, spared. Missing: long without owner |

`pools`, of no pool, is a hash of the pools that may hold something, with their `GameConfig`.
Channel `moved` of a pool names tickets whose state is another, after `<state>:<room>` where that is
all that is to be known of them; channel `called`, of no pool, names pools in which somebody waits
for an owner who may be asleep.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NewType

import msgspec

from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.pools import Pool
from parlor.matchmaking.queue import Match
from parlor.matchmaking.scripts import matches as match_scripts
from parlor.matchmaking.scripts import ownership, prelude
from parlor.matchmaking.scripts import tickets as ticket_scripts
from parlor.matchmaking.tickets import (
    WAITING,
    MatchRecord,
    Member,
    NewTicket,
    TicketRecord,
    members_of,
    new_match,
    pool_of,
    record_of,
)
from parlor.serving.keys import Keys
from parlor.serving.redis import Argument, Batch, Script
from parlor.serving.together import Together

_TOGETHER: Final = 100
"""Tickets that enter their pool in one script."""

Fence = NewType("Fence", int)
"""Proof of owning a pool: it rises whenever the pool changes hands."""

QUEUED: Final = "waiting"
"""The part of a pool in which tickets wait, a sorted set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """A pool as its owner may change it."""

    pool: Pool
    replica: str
    fence: Fence


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the owner of a pool finds; the queue itself is in the mirror."""

    own: Ownership
    now_ms: int
    unfollowed: tuple[str, ...]
    """Tickets whose lease has run out, while the pool had an owner all the time."""
    due: tuple[MatchRecord, ...]
    """Matches whose time to begin is over."""
    seating: int
    """How many matches have not begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A match that is recorded, with who plays."""

    record: MatchRecord
    members: tuple[tuple[Member, ...], ...]
    """By ticket."""


class PoolStore:
    """The keys of every pool."""

    def __init__(
        self, batch: Batch, keys: Keys, *, lease_ms: int = 10_000, forget_ms: int = 60_000
    ) -> None:
        self._batch = batch
        self._keys = keys
        self._lease_ms = lease_ms
        self._forget_ms = forget_ms
        self._adding = Together(self._add, most=_TOGETHER)

    # Tickets. Anybody may change them.

    async def add(self, pool: Pool, new: NewTicket) -> TicketRecord | None:
        """Puts a ticket into its pool's queue; None where the id has been used before."""
        return await self._adding(pool, new)

    async def add_each(self, pool: Pool, tickets: Sequence[NewTicket]) -> list[TicketRecord | None]:
        """As `add` for many."""
        chunks = range(0, len(tickets), _TOGETHER)
        added = await asyncio.gather(
            *(self._add(pool, tickets[start : start + _TOGETHER]) for start in chunks)
        )
        return [ticket for chunk in added for ticket in chunk]

    async def _add(self, pool: Pool, tickets: Sequence[NewTicket]) -> list[TicketRecord | None]:
        args: list[Argument] = [self._lease_ms, pool.config]
        for new in tickets:
            args += [new.ticket, msgspec.json.encode(new.members), len(new.members)]
            args += [repr(new.rating), new.request_id, new.digest]
        ids = [new.ticket for new in tickets]
        since_ms, estimate, is_first, ranks = await self._run(
            ticket_scripts.ADD, pool.name, ids, args
        )
        if is_first:
            # After the queue: whoever takes an empty pool off the list looks into it once more.
            await self._call(pool)
        estimate_s = _seconds(estimate)
        return [
            None
            if ahead is None
            else TicketRecord(
                ticket=new.ticket,
                state=WAITING,
                members=new.members,
                since_ms=since_ms,
                rating=new.rating,
                ahead=ahead,
                room_id="",
                has_begun=False,
                request_id=new.request_id,
                digest=new.digest,
                estimate_s=estimate_s,
            )
            for new, ahead in zip(tickets, ranks, strict=True)
        ]

    async def look(self, ticket: str, *, renew: bool = False) -> TicketRecord | None:
        """The ticket as it stands, None once forgotten; `renew` says that somebody follows it."""
        (found,) = await self.look_at(pool_of(ticket), (ticket,), renew=renew)
        return found

    async def look_at(
        self, pool: str, tickets: Sequence[str], *, renew: bool = False
    ) -> list[TicketRecord | None]:
        """Several tickets of one pool."""
        lease_ms = self._lease_ms if renew else 0
        estimate, config, *found = await self._run(
            ticket_scripts.LOOK, pool, tickets, [lease_ms, *tickets]
        )
        if config and any(row is not None and row[0].decode() == WAITING for row in found):
            # Whoever should have called for an owner has died first, or the owner has.
            await self._call(Pool(name=pool, config=config))
        estimate_s = _seconds(estimate)
        return [
            None if row is None else _ticket(ticket, row, estimate_s)
            for ticket, row in zip(tickets, found, strict=True)
        ]

    async def cancel(self, ticket: str, *, unfollowed: bool = False) -> str:
        """Cancels the ticket if it waits; gives its state then, empty where there is none.

        With `unfollowed` only if its lease has run out: it may have been renewed meanwhile.
        """
        pool = pool_of(ticket)
        args: list[Argument] = [ticket, self._forget_ms, self.moved(pool), int(unfollowed)]
        state = await self._run(ticket_scripts.CANCEL, pool, (ticket,), args)
        return state.decode() if state else ""

    async def reach(self, pool: str, low: float, high: float) -> tuple[int, int]:
        """How many tickets wait in the pool, and how many of them within these ratings."""
        waiting, ratings = (self._keys.pool(pool, part) for part in (QUEUED, "ratings"))
        all_of_them = self._batch.call("ZCARD", waiting)
        within = self._batch.call("ZCOUNT", ratings, repr(low), repr(high))
        return int(await all_of_them), int(await within)

    async def members(self, ticket: str) -> tuple[Member, ...]:
        """The players on a ticket; none once it is forgotten."""
        raw = await self._batch.call("HGET", self._keys.ticket(ticket), "members")
        return members_of(raw) if raw else ()

    def moved(self, pool: str) -> str:
        """The channel that names tickets of the pool whose state is another."""
        return self._keys.pool(pool, "moved")

    def called(self) -> str:
        """The channel that names pools in which somebody waits for their owner."""
        return self._keys.pool("all", "called")

    # Pools.

    async def pools(self) -> tuple[Pool, ...]:
        """Every pool that may hold something."""
        pairs = await self._batch.call("HGETALL", self._pools())
        return tuple(
            Pool(name=name.decode(), config=config)
            for name, config in zip(pairs[::2], pairs[1::2], strict=True)
        )

    async def retire(self, pool: Pool) -> bool:
        """Takes an empty pool off the list, and puts it back if somebody came in meanwhile."""
        await self._batch.call("HDEL", self._pools(), pool.name)
        if await self._run(ownership.RETIRE, pool.name, (), []):
            return True
        await self._list(pool)
        return False

    async def release(self, pool: str, replica: str) -> None:
        """Lets another replica own the pool at once."""
        await self._run(ownership.RELEASE, pool, (), [replica])

    async def survey(
        self, pool: Pool, mirror: Mirror, replica: str, *, lease_ms: int
    ) -> Survey | None:
        """Takes or renews the pool and brings the mirror up to date; None while another owns it."""
        args: list[Argument] = [replica, lease_ms, mirror.fence, mirror.version, self._lease_ms]
        found = await self._run(ownership.SURVEY, pool.name, (), args)
        if found is None:
            return None
        fence, now, version, whole, rows, matches, unfollowed, due, seating = found
        mirror.take(fence, version, rows, whole=bool(whole))
        if whole:
            mirror.matches = {record.match: record for record in map(record_of, matches)}
        return Survey(
            own=Ownership(pool=pool, replica=replica, fence=Fence(fence)),
            now_ms=now,
            unfollowed=tuple(ticket.decode() for ticket in unfollowed),
            due=tuple(record_of(raw) for raw in due if raw),
            seating=seating,
        )

    # Matches. Only the owner may change them.

    async def propose(
        self, own: Ownership, matches: Sequence[Match], *, now_ms: int, estimate_ms: int
    ) -> list[Proposed | None]:
        """Takes the matches' tickets out of the queue and records them; None for a match of which a
        ticket is gone, and for all of them where the pool is another's.
        """
        pool = own.pool.name
        records = [
            MatchRecord(
                match=new_match(),
                tickets=tuple(ticket.ticket for ticket in match.tickets),
                bots=match.bots,
                at_ms=now_ms,
            )
            for match in matches
        ]
        args: list[Argument] = [own.replica, own.fence, self.moved(pool), estimate_ms]
        for record in records:
            encoded = msgspec.json.encode(record)
            args += [record.match, encoded, len(record.tickets), *record.tickets]
        made = await self._run(match_scripts.PROPOSE, pool, _tickets(records), args)
        if made is None:
            return [None] * len(records)
        return [
            None if rows is None else Proposed(record=record, members=tuple(map(members_of, rows)))
            for record, rows in zip(records, made, strict=True)
        ]

    async def opened(self, own: Ownership, records: Sequence[MatchRecord]) -> list[bool]:
        """Records the rooms of matches; False for one that is another's or over."""
        args: list[Argument] = [own.replica, own.fence]
        for record in records:
            args += [record.match, msgspec.json.encode(record)]
        return _each(records, await self._run(match_scripts.OPENED, own.pool.name, (), args))

    async def assign(
        self,
        own: Ownership,
        records: Sequence[MatchRecord],
        states: Sequence[Sequence[str]],
        *,
        due_ms: int,
    ) -> list[bool]:
        """Ends the tickets of matches, each in its state; False for a match that is done already.

        They are due to have begun `due_ms` from now.
        """
        pool = own.pool.name
        args: list[Argument] = [own.replica, own.fence, self.moved(pool), due_ms, self._forget_ms]
        for record, ends in zip(records, states, strict=True):
            args += [record.match, msgspec.json.encode(record), record.room_id, len(record.tickets)]
            for ticket, state in zip(record.tickets, ends, strict=True):
                args += [ticket, state]
        return _each(records, await self._run(match_scripts.ASSIGN, pool, _tickets(records), args))

    async def postpone(self, own: Ownership, record: MatchRecord, *, due_ms: int) -> bool:
        """Has an assigned match looked at again later."""
        encoded = msgspec.json.encode(record)
        args: list[Argument] = [own.replica, own.fence, record.match, encoded, due_ms]
        return bool(await self._run(match_scripts.POSTPONE, own.pool.name, (), args))

    async def settle(self, own: Ownership, record: MatchRecord) -> bool:
        """Forgets an assigned match that has begun."""
        pool = own.pool.name
        args: list[Argument] = [
            *(own.replica, own.fence, record.match, self._forget_ms, self.moved(pool)),
            *record.tickets,
        ]
        return bool(await self._run(match_scripts.SETTLE, pool, record.tickets, args))

    async def give_back(
        self, own: Ownership, record: MatchRecord, returning: Iterable[str]
    ) -> bool:
        """Ends a match that comes to nothing: these of its tickets wait again, the others end."""
        pool, again = own.pool.name, frozenset(returning)
        args: list[Argument] = [
            *(own.replica, own.fence, record.match),
            *(self._lease_ms, self._forget_ms, self.moved(pool)),
        ]
        for ticket in record.tickets:
            args += [ticket, int(ticket in again)]
        return bool(await self._run(match_scripts.RETURN, pool, record.tickets, args))

    async def _call(self, pool: Pool) -> None:
        """Has some replica look after the pool."""
        await self._list(pool)
        await self._batch.call("SPUBLISH", self.called(), pool.name)

    async def _list(self, pool: Pool) -> None:
        await self._batch.call("HSET", self._pools(), pool.name, pool.config)

    async def _run(
        self, script: Script, pool: str, tickets: Sequence[str], args: Sequence[Argument]
    ) -> Any:
        prefix = self._keys.pool(pool, "")
        keys = [prefix + part for part in (*prelude.POOL_KEYS, *("ticket:" + t for t in tickets))]
        return await script(self._batch, keys, args)

    def _pools(self) -> str:
        # No pool has this name: they all have dashes.
        return self._keys.pool("all", "pools")


def _tickets(records: Iterable[MatchRecord]) -> tuple[str, ...]:
    return tuple(ticket for record in records for ticket in record.tickets)


def _each(records: Sequence[MatchRecord], done: list[int] | None) -> list[bool]:
    """What a script says of each match; False for all of them where the pool is another's."""
    return [False] * len(records) if done is None else [bool(each) for each in done]


def _seconds(raw_ms: bytes) -> int | None:
    """Milliseconds as a script gives them, rounded up; None where it gives none."""
    return -(-int(raw_ms) // 1000) if raw_ms else None


def _ticket(ticket: str, row: list[Any], estimate_s: int | None) -> TicketRecord:
    state, members, since, rating, room, request, digest, begun, ahead = row
    return TicketRecord(
        ticket=ticket,
        state=state.decode(),
        members=members_of(members),
        since_ms=int(since),
        rating=float(rating),
        ahead=ahead,
        room_id=room.decode(),
        has_begun=bool(begun),
        request_id=request.decode(),
        digest=digest.decode(),
        estimate_s=estimate_s,
    )
