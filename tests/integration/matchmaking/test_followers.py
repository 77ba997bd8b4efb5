"""What who follows tickets is told, and when nobody has to look for it."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from parlor.matchmaking.follower import Follower
from parlor.matchmaking.followers import Followers
from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.pools import pool_for
from parlor.matchmaking.queue import Match
from parlor.matchmaking.store import Ownership, PoolStore
from parlor.matchmaking.tickets import (
    ASSIGNED,
    CANCELLED,
    MATCHED,
    WAITING,
    MatchRecord,
    Member,
    NewTicket,
    TicketRecord,
    new_ticket,
)
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, open_subscriber
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually

KEYS = Keys("test:")
POOL = pool_for(GameConfig(doudizhu=DouDizhuConfig()))
PATIENCE_S = 60.0
NEVER_MS = 3_600_000


@pytest.fixture
def store(batch: Batch) -> PoolStore:
    return PoolStore(batch, KEYS)


@asynccontextmanager
async def following(
    store: PoolStore,
    redis: Redis,
    *,
    looks: bool,
    renew_ms: int = NEVER_MS,
    held_ms: int = 0,
) -> AsyncIterator[Followers]:
    """The followers of a replica; without `looks` they know only what they hear and are given."""
    async with open_subscriber(redis) as subscriber:
        followers = Followers(store, subscriber, renew_ms=renew_ms, held_ms=held_ms)
        running = asyncio.create_task(followers.run()) if looks else None
        try:
            yield followers
        finally:
            if running is not None:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)


def asked(player: str) -> NewTicket:
    return NewTicket(
        ticket=new_ticket(POOL.name),
        members=(Member(player, player.title()),),
        rating=25.0,
        request_id=secrets.token_hex(4),
        digest="",
    )


async def made(store: PoolStore, followers: Followers, *players: str) -> list[TicketRecord]:
    """Tickets of these players, made as a replica makes them."""
    tickets = [asked(player) for player in players]
    await followers.expect(POOL.name, [new.ticket for new in tickets])
    records = await added(store, *tickets)
    followers.made(POOL.name, records)
    return records


async def added(store: PoolStore, *tickets: NewTicket) -> list[TicketRecord]:
    return [each for each in await store.add_each(POOL, tickets) if each is not None]


async def states(follower: Follower) -> dict[str, str | None]:
    """What the follower is told next."""
    async with asyncio.timeout(PATIENCE_S):
        told = await follower.next()
    return {ticket: record.state if record else None for ticket, record in told.items()}


async def heard(store: PoolStore, followers: Followers) -> None:
    """Returns when all that was said of the pool's tickets before has been heard."""
    (last,) = await made(store, followers, "last")
    async with followers.follow(last.ticket) as follower:
        assert await states(follower) == {last.ticket: WAITING}
        await store.cancel(last.ticket)
        assert await states(follower) == {last.ticket: CANCELLED}


async def test_a_ticket_that_was_made_here_is_shown_without_a_look(
    store: PoolStore, redis: Redis
) -> None:
    async with following(store, redis, looks=False) as followers:
        ada, bob = await made(store, followers, "ada", "bob")
        async with followers.follow(ada.ticket, bob.ticket) as follower:
            assert await states(follower) == {ada.ticket: WAITING, bob.ticket: WAITING}
            assert follower.seen == {ada.ticket: ada, bob.ticket: bob}
            assert (ada.ahead, bob.ahead) == (0, 1)


async def test_what_became_of_a_ticket_before_anybody_followed_it_is_known(
    store: PoolStore, redis: Redis
) -> None:
    async with following(store, redis, looks=False) as followers:
        (ada,) = await made(store, followers, "ada")
        await store.cancel(ada.ticket)
        await heard(store, followers)
        async with followers.follow(ada.ticket) as follower:
            assert await states(follower) == {ada.ticket: CANCELLED}


async def test_a_ticket_that_moved_while_it_was_being_made_is_looked_at(
    store: PoolStore, redis: Redis
) -> None:
    async with following(store, redis, looks=True) as followers:
        new = asked("ada")
        await followers.expect(POOL.name, [new.ticket])
        records = await added(store, new)
        await store.cancel(new.ticket)
        await heard(store, followers)
        followers.made(POOL.name, records)
        async with followers.follow(new.ticket) as follower:
            assert await states(follower) == {new.ticket: CANCELLED}


async def test_tickets_of_which_some_were_made_elsewhere_are_looked_at_together(
    store: PoolStore, redis: Redis
) -> None:
    async with following(store, redis, looks=True) as followers:
        (ada,) = await made(store, followers, "ada")
        (bob,) = await added(store, asked("bob"))
        unknown = new_ticket(POOL.name)
        async with followers.follow(ada.ticket, bob.ticket, unknown) as follower:
            told = {ada.ticket: WAITING, bob.ticket: WAITING, unknown: None}
            assert await states(follower) == told


async def test_a_ticket_that_nobody_comes_for_is_neither_remembered_nor_renewed(
    store: PoolStore, redis: Redis, batch: Batch, eventually: Eventually
) -> None:
    async with following(store, redis, looks=True, renew_ms=10) as followers:
        (ada,) = await made(store, followers, "ada")

        async def nobody_listens() -> bool:
            _, listeners = await batch.call("PUBSUB", "SHARDNUMSUB", store.moved(POOL.name))
            return bool(listeners == 0)

        await eventually(nobody_listens)
        until = await batch.call("ZSCORE", KEYS.pool(POOL.name, "leases"), ada.ticket)
        assert int(float(until)) == ada.since_ms + 10_000
        await batch.call("DEL", KEYS.ticket(ada.ticket))
        async with followers.follow(ada.ticket) as follower:
            assert await states(follower) == {ada.ticket: None}


async def test_who_is_followed_no_more_has_a_whole_lease_to_come_back(
    store: PoolStore, redis: Redis, batch: Batch, eventually: Eventually
) -> None:
    """The last renewal may be long ago: of a ticket that was just made nearly twice `renew_ms`."""
    leases = KEYS.pool(POOL.name, "leases")

    async def is_renewed() -> bool:
        return float(await batch.call("ZSCORE", leases, ada.ticket)) > ada.since_ms + 10_000

    async with following(store, redis, looks=True) as followers:
        (ada,) = await made(store, followers, "ada")
        async with followers.follow(ada.ticket) as first, followers.follow(ada.ticket) as other:
            assert await states(first) == {ada.ticket: WAITING}
            assert await states(other) == {ada.ticket: WAITING}
            await batch.call("ZADD", leases, ada.since_ms, ada.ticket)
        await eventually(is_renewed)
        async with followers.follow(ada.ticket) as follower:
            assert await states(follower) == {ada.ticket: WAITING}
            await store.cancel(ada.ticket)
            assert await states(follower) == {ada.ticket: CANCELLED}
    # One that has ended is in no queue any more, and nobody gives it a lease.
    assert await batch.call("ZSCORE", leases, ada.ticket) is None


async def test_a_match_is_not_told_where_its_room_comes_at_once(
    store: PoolStore, redis: Redis
) -> None:
    async with following(store, redis, looks=False, held_ms=NEVER_MS) as followers:
        (ada,) = await made(store, followers, "ada")
        async with followers.follow(ada.ticket) as follower:
            assert await states(follower) == {ada.ticket: WAITING}
            own, record = await proposed(store)
            assert await store.assign(own, [record], [[ASSIGNED]], due_ms=NEVER_MS) == [True]
            assert await states(follower) == {ada.ticket: ASSIGNED}


async def test_a_match_that_waits_for_its_room_is_told(store: PoolStore, redis: Redis) -> None:
    async with following(store, redis, looks=False, held_ms=10) as followers:
        (ada,) = await made(store, followers, "ada")
        async with followers.follow(ada.ticket) as follower:
            assert await states(follower) == {ada.ticket: WAITING}
            await proposed(store)
            assert await states(follower) == {ada.ticket: MATCHED}


async def proposed(store: PoolStore) -> tuple[Ownership, MatchRecord]:
    """A match of all who wait."""
    mirror = Mirror()
    survey = await store.survey(POOL, mirror, "r1", lease_ms=NEVER_MS)
    assert survey is not None
    match = Match(tickets=tuple(sorted(mirror.tickets.values())))
    (found,) = await store.propose(survey.own, [match], now_ms=0, estimate_ms=0)
    assert found is not None
    return survey.own, found.record
