"""The pools in Redis. All keys of a pool share one hash tag, so that each script touches one slot.

| key | what |
|---|---|
| `people`, `bots` | sorted sets: waiting tickets by the instant their wait began |
| `leases` | sorted set: waiting tickets by the instant after which nobody follows them |
| `ticket:<id>` | hash: state, player, name, bot, since, match, room. Missing: forgotten |
| `matches` | hash: matches between proposal and assignment. Missing: none is under way |
| `owner` | hash: replica, until, fence. Missing: nobody has owned the pool for long |

`pools`, of no pool, is a hash of the pools that may hold something, with their `GameConfig`.
"""

import secrets
from dataclasses import dataclass
from typing import NewType

import msgspec

from parlor.matchmaking import scripts
from parlor.matchmaking.pools import Pool
from parlor.matchmaking.queue import Waiting
from parlor.serving.keys import Keys
from parlor.serving.redis import Argument, Batch

Fence = NewType("Fence", int)
"""Proof of owning a pool: it rises whenever the pool changes hands."""

WAITING = "waiting"
MATCHED = "matched"
ASSIGNED = "assigned"
CANCELLED = "cancelled"

PEOPLE = "people"
"""The part of a pool in which people's tickets wait, a sorted set."""

MOST_PEOPLE = 300
MOST_BOTS = 16
"""How much of each queue is looked at in one go, the longest waits."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket as its match remembers it."""

    ticket: str
    player: str
    name: str
    bot: bool
    since_ms: int


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match between proposal and assignment."""

    match: str
    config: bytes
    """The encoded `GameConfig` that all of them asked for."""
    members: tuple[Member, ...]
    """By seat."""
    room_id: str = ""
    """Empty until the room is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRecord:
    """A ticket as it stands."""

    ticket: str
    state: str
    player: str
    since_ms: int
    ahead: int
    room_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the owner of a pool finds."""

    now_ms: int
    waiting: tuple[Waiting, ...]
    unfollowed: tuple[str, ...]
    """Tickets whose lease has run out."""
    under_way: tuple[MatchRecord, ...]
    people: int
    """How many wait in all."""
    bots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """A pool as its owner may change it."""

    pool: Pool
    replica: str
    fence: Fence


def new_ticket(pool: str) -> str:
    """A fresh id; it names its pool, so that a player's place leads to the ticket."""
    return f"{pool}-{secrets.token_hex(8)}"


def pool_of(ticket: str) -> str:
    """The pool of a ticket; empty for what is no ticket.

    >>> pool_of("doudizhu-classic-a1b2-0123456789abcdef")
    'doudizhu-classic-a1b2'
    """
    return ticket.rpartition("-")[0]


class PoolStore:
    """The keys of every pool."""

    def __init__(
        self, batch: Batch, keys: Keys, *, lease_ms: int = 10_000, forget_ms: int = 60_000
    ) -> None:
        self._batch = batch
        self._keys = keys
        self._lease_ms = lease_ms
        self._forget_ms = forget_ms

    # Tickets. Anybody may change them.

    async def add(self, pool: Pool, ticket: str, *, player: str, name: str, bot: bool) -> bool:
        """Puts a ticket into its pool's queue; False where the id has been used before."""
        queue = "bots" if bot else "people"
        keys = [self._ticket(ticket), *self._pool_keys(pool.name, queue, "leases")]
        fields = ("player", player, "name", name, "bot", int(bot))
        added = await scripts.ADD(self._batch, keys, [ticket, self._lease_ms, *fields])
        # After the queue: whoever takes an empty pool off the list looks into it once more.
        await self._list(pool)
        return bool(added)

    async def look(self, ticket: str, *, renew: bool = False) -> TicketRecord | None:
        """The ticket as it stands, None once forgotten; `renew` says that somebody follows it."""
        lease_ms = self._lease_ms if renew else 0
        found = await scripts.LOOK(self._batch, self._ticket_keys(ticket), [ticket, lease_ms])
        if found is None:
            return None
        state, player, since, room, ahead = found
        return TicketRecord(
            ticket=ticket,
            state=state.decode(),
            player=player.decode(),
            since_ms=int(since),
            ahead=ahead,
            room_id=room.decode(),
        )

    async def cancel(self, ticket: str, *, unfollowed: bool = False) -> str:
        """Cancels the ticket if it waits; gives its state then, empty where there is none.

        With `unfollowed` only if its lease has run out: it may have been renewed meanwhile.
        """
        args: list[Argument] = [ticket, self._forget_ms, int(unfollowed)]
        state = await scripts.CANCEL(self._batch, self._ticket_keys(ticket), args)
        return state.decode() if state else ""

    # Pools.

    async def pools(self) -> tuple[Pool, ...]:
        """Every pool that may hold something."""
        pairs = await self._batch.call("HGETALL", self._pools())
        return tuple(
            Pool(name=name.decode(), config=config)
            for name, config in zip(pairs[::2], pairs[1::2], strict=True)
        )

    async def retire(self, pool: Pool) -> None:
        """Takes an empty pool off the list, and puts it back if somebody came in meanwhile."""
        await self._batch.call("HDEL", self._pools(), pool.name)
        survey = await self.survey(pool)
        if survey.waiting or survey.under_way:
            await self._list(pool)

    async def own(self, pool: Pool, replica: str, *, lease_ms: int) -> Ownership | None:
        """Takes or renews the pool; None while another replica owns it."""
        owner = [self._keys.pool(pool.name, "owner")]
        fence = await scripts.LEASE(self._batch, owner, [replica, lease_ms])
        return Ownership(pool=pool, replica=replica, fence=Fence(fence)) if fence else None

    async def release(self, pool: str, replica: str) -> None:
        """Lets another replica own the pool at once."""
        await scripts.RELEASE(self._batch, [self._keys.pool(pool, "owner")], [replica])

    async def survey(self, pool: Pool) -> Survey:
        """What waits, what was left by its followers, what is under way."""
        keys = self._pool_keys(pool.name, "people", "bots", "leases", "matches")
        now, people, bots, unfollowed, records, n_people, n_bots = await scripts.SURVEY(
            self._batch, keys, [MOST_PEOPLE, MOST_BOTS]
        )
        return Survey(
            now_ms=now,
            waiting=(*_waiting(people, bot=False), *_waiting(bots, bot=True)),
            unfollowed=tuple(ticket.decode() for ticket in unfollowed),
            under_way=tuple(msgspec.json.decode(raw, type=MatchRecord) for raw in records),
            people=n_people,
            bots=n_bots,
        )

    # Matches. Only the owner may change them.

    async def record_of(self, pool: Pool, tickets: tuple[Waiting, ...]) -> MatchRecord | None:
        """A match of these tickets, not yet recorded; None where one of them is gone."""
        rows = [
            self._batch.call("HMGET", self._ticket(t.ticket), "player", "name") for t in tickets
        ]
        members = []
        for waiting, row in zip(tickets, rows, strict=True):
            player, name = await row
            if player is None:
                return None
            members.append(
                Member(
                    ticket=waiting.ticket,
                    player=player.decode(),
                    name=name.decode(),
                    bot=waiting.bot,
                    since_ms=waiting.since_ms,
                )
            )
        match = f"m-{secrets.token_hex(12)}"
        return MatchRecord(match=match, config=pool.config, members=tuple(members))

    async def propose(self, own: Ownership, record: MatchRecord) -> bool:
        """Takes the tickets out of the queue and records the match; nothing and False otherwise."""
        keys = self._pool_keys(own.pool.name, "owner", "people", "bots", "leases", "matches")
        ids = [member.ticket for member in record.members]
        args: list[Argument] = [
            own.replica,
            own.fence,
            record.match,
            msgspec.json.encode(record),
            *ids,
        ]
        tickets = [self._ticket(ticket) for ticket in ids]
        return bool(await scripts.PROPOSE(self._batch, [*keys, *tickets], args))

    async def opened(self, own: Ownership, record: MatchRecord) -> bool:
        """Records the room of a match; False where the match is another's or over."""
        keys = self._pool_keys(own.pool.name, "owner", "matches")
        args: list[Argument] = [own.replica, own.fence, record.match, msgspec.json.encode(record)]
        return bool(await scripts.OPENED(self._batch, keys, args))

    async def finish(self, own: Ownership, record: MatchRecord, states: tuple[str, ...]) -> bool:
        """Ends the match, each member's ticket in its state; False where that is done already."""
        keys = self._pool_keys(own.pool.name, "owner", "matches")
        tickets = [self._ticket(member.ticket) for member in record.members]
        args: list[Argument] = [
            own.replica,
            own.fence,
            record.match,
            record.room_id,
            self._forget_ms,
            *states,
        ]
        return bool(await scripts.FINISH(self._batch, [*keys, *tickets], args))

    async def _list(self, pool: Pool) -> None:
        await self._batch.call("HSET", self._pools(), pool.name, pool.config)

    def _pools(self) -> str:
        # No pool has this name: they all have dashes.
        return self._keys.pool("all", "pools")

    def _ticket(self, ticket: str) -> str:
        return self._keys.pool(pool_of(ticket), f"ticket:{ticket}")

    def _ticket_keys(self, ticket: str) -> list[str]:
        return [
            self._ticket(ticket),
            *self._pool_keys(pool_of(ticket), "people", "bots", "leases"),
        ]

    def _pool_keys(self, pool: str, *parts: str) -> list[str]:
        return [self._keys.pool(pool, part) for part in parts]


def _waiting(pairs: list[bytes], *, bot: bool) -> tuple[Waiting, ...]:
    """Tickets from a sorted set's members and scores, as Redis lists them."""
    return tuple(
        Waiting(since_ms=int(float(since)), ticket=ticket.decode(), bot=bot)
        for ticket, since in zip(pairs[::2], pairs[1::2], strict=True)
    )
