"""The pools' keys in a real Redis."""

import pytest

from parlor.matchmaking.pools import Pool, pool_for
from parlor.matchmaking.store import (
    CANCELLED,
    MATCHED,
    WAITING,
    Ownership,
    PoolStore,
    new_ticket,
)
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.room_pb2 import GameConfig

POOL = pool_for(GameConfig(doudizhu=DouDizhuConfig()))


@pytest.fixture
def store(batch: Batch) -> PoolStore:
    return PoolStore(batch, Keys("test:"))


async def enqueue(store: PoolStore, player: str, *, bot: bool = False, pool: Pool = POOL) -> str:
    ticket = new_ticket(pool.name)
    assert await store.add(pool, ticket, player=player, name=player.title(), bot=bot)
    return ticket


async def owned(store: PoolStore, replica: str = "r1") -> Ownership:
    own = await store.own(POOL, replica, lease_ms=60_000)
    assert own is not None
    return own


async def test_a_ticket_id_is_used_once(store: PoolStore) -> None:
    ticket = await enqueue(store, "ada")
    assert not await store.add(POOL, ticket, player="bob", name="Bob", bot=False)
    found = await store.look(ticket)
    assert found is not None
    assert (found.player, found.state) == ("ada", WAITING)


async def test_a_proposal_takes_all_tickets_or_none(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    own = await owned(store)
    survey = await store.survey(POOL)
    record = await store.record_of(POOL, survey.waiting)
    assert record is not None
    assert await store.cancel(tickets[1]) == CANCELLED
    assert not await store.propose(own, record)
    survey = await store.survey(POOL)
    assert {waiting.ticket for waiting in survey.waiting} == {tickets[0], tickets[2]}
    assert not survey.under_way


async def test_a_matched_ticket_cannot_be_cancelled_or_matched_again(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    own = await owned(store)
    record = await store.record_of(POOL, (await store.survey(POOL)).waiting)
    assert record is not None
    assert await store.propose(own, record)
    assert not await store.propose(own, record)
    assert await store.cancel(tickets[0]) == MATCHED
    survey = await store.survey(POOL)
    assert (survey.waiting, survey.under_way) == ((), (record,))


async def test_who_lost_the_pool_changes_nothing(store: PoolStore) -> None:
    await enqueue(store, "ada")
    before = await owned(store, "r1")
    await store.release(POOL.name, "r1")
    assert await store.own(POOL, "r1", lease_ms=0) == before
    assert (await owned(store, "r2")).fence > before.fence
    assert await store.own(POOL, "r1", lease_ms=60_000) is None
    record = await store.record_of(POOL, (await store.survey(POOL)).waiting)
    assert record is not None
    assert not await store.propose(before, record)
    assert len((await store.survey(POOL)).waiting) == 1


async def test_only_what_nobody_follows_is_unfollowed(batch: Batch) -> None:
    store = PoolStore(batch, Keys("test:"), lease_ms=1)
    ticket = await enqueue(store, "ada")
    patient = PoolStore(batch, Keys("test:"), lease_ms=60_000)
    other = await enqueue(patient, "bob")
    own = await owned(store)
    survey = await store.survey(own.pool)
    while not survey.unfollowed:
        survey = await store.survey(own.pool)
    assert survey.unfollowed == (ticket,)
    assert await store.cancel(other, unfollowed=True) == WAITING
    assert await store.cancel(ticket, unfollowed=True) == CANCELLED


async def test_a_retired_pool_comes_back_with_its_next_ticket(store: PoolStore) -> None:
    ticket = await enqueue(store, "ada")
    await store.retire(POOL)
    assert POOL in await store.pools()
    await store.cancel(ticket)
    await store.retire(POOL)
    assert POOL not in await store.pools()
    await enqueue(store, "ada")
    assert POOL in await store.pools()


async def test_a_place_in_the_queue_counts_those_who_wait_longer(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    looks = [await store.look(ticket) for ticket in tickets]
    assert sorted(look.ahead for look in looks if look) == [0, 1, 2]
