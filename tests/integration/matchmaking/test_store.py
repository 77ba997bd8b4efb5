"""The pools' keys in a real Redis."""

import secrets

import pytest

from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.pools import Pool, pool_for
from parlor.matchmaking.queue import Match, Waiting
from parlor.matchmaking.store import Ownership, PoolStore, Survey
from parlor.matchmaking.tickets import CANCELLED, MATCHED, WAITING, Member, NewTicket, new_ticket
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.room_pb2 import GameConfig

POOL = pool_for(GameConfig(doudizhu=DouDizhuConfig()))


@pytest.fixture
def store(batch: Batch) -> PoolStore:
    return PoolStore(batch, Keys("test:"))


def asked(player: str, ticket: str) -> NewTicket:
    return NewTicket(
        ticket=ticket,
        members=(Member(player, player.title()),),
        rating=25.0,
        request_id=secrets.token_hex(4),
        digest="",
    )


async def enqueue(store: PoolStore, player: str, *, pool: Pool = POOL) -> str:
    ticket = new_ticket(pool.name)
    assert await store.add(pool, asked(player, ticket))
    return ticket


async def surveyed(store: PoolStore, mirror: Mirror, replica: str = "r1") -> Survey:
    survey = await store.survey(POOL, mirror, replica, lease_ms=60_000)
    assert survey is not None
    return survey


def together(mirror: Mirror) -> Match:
    return Match(tickets=tuple(sorted(mirror.tickets.values())))


async def proposed(store: PoolStore, own: Ownership, match: Match) -> bool:
    (made,) = await store.propose(own, [match], now_ms=0, estimate_ms=0)
    return made is not None


async def test_a_ticket_id_is_used_once(store: PoolStore) -> None:
    ticket = await enqueue(store, "ada")
    assert await store.add(POOL, asked("bob", ticket)) is None
    found = await store.look(ticket)
    assert found is not None
    assert (found.has("ada"), found.has("bob"), found.state) == (True, False, WAITING)


async def test_a_proposal_takes_all_tickets_or_none(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    mirror = Mirror()
    own = (await surveyed(store, mirror)).own
    match = together(mirror)
    assert await store.cancel(tickets[1]) == CANCELLED
    assert not await proposed(store, own, match)
    await surveyed(store, mirror)
    assert mirror.tickets.keys() == {tickets[0], tickets[2]}
    assert not mirror.matches


async def test_a_matched_ticket_cannot_be_cancelled_or_matched_again(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    mirror = Mirror()
    own = (await surveyed(store, mirror)).own
    match = together(mirror)
    assert await proposed(store, own, match)
    assert not await proposed(store, own, match)
    assert await store.cancel(tickets[0]) == MATCHED
    successor = Mirror()
    await surveyed(store, successor)
    assert not successor.tickets
    assert [record.tickets for record in successor.matches.values()] == [
        tuple(ticket.ticket for ticket in match.tickets)
    ]


async def test_a_ticket_that_is_forgotten_while_it_waits_leaves_the_queue(
    store: PoolStore, batch: Batch
) -> None:
    gone, kept = await enqueue(store, "ada"), await enqueue(store, "bob")
    mirror = Mirror()
    await surveyed(store, mirror)
    await batch.call("DEL", Keys("test:").pool(POOL.name, f"ticket:{gone}"))
    assert await store.cancel(gone, unfollowed=True) == ""
    await surveyed(store, mirror)
    assert mirror.tickets.keys() == {kept}


async def test_a_ticket_that_is_forgotten_in_a_match_stays_so_when_the_match_ends(
    store: PoolStore, batch: Batch
) -> None:
    gone, *kept = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    mirror = Mirror()
    own = (await surveyed(store, mirror)).own
    (made,) = await store.propose(own, [together(mirror)], now_ms=0, estimate_ms=0)
    assert made is not None
    await batch.call("DEL", Keys("test:").pool(POOL.name, f"ticket:{gone}"))
    assert await store.give_back(own, made.record, [gone, *kept])
    assert await store.look(gone) is None
    await surveyed(store, mirror)
    assert mirror.tickets.keys() == set(kept)


async def test_a_pool_that_nobody_was_called_to_is_listed_by_who_looks_at_its_tickets(
    store: PoolStore, batch: Batch
) -> None:
    """Whoever put the first ticket in may have died, or lost Redis, before it could say so."""
    ticket = await enqueue(store, "ada")
    await batch.call("DEL", Keys("test:").pool("all", "pools"))
    await enqueue(store, "bob")
    assert await store.pools() == ()
    assert await store.look(ticket, renew=True)
    assert await store.pools() == (POOL,)


async def test_who_lost_the_pool_changes_nothing(store: PoolStore) -> None:
    await enqueue(store, "ada")
    mirror = Mirror()
    before = (await surveyed(store, mirror)).own
    await store.release(POOL.name, "r1")
    assert (await surveyed(store, mirror)).own == before
    await store.release(POOL.name, "r1")
    other = Mirror()
    assert (await surveyed(store, other, "r2")).own.fence > before.fence
    assert await store.survey(POOL, mirror, "r1", lease_ms=60_000) is None
    assert not await proposed(store, before, together(mirror))
    await surveyed(store, other, "r2")
    assert len(other.tickets) == 1


async def test_the_mirror_learns_what_has_changed_and_nothing_twice(
    store: PoolStore, batch: Batch
) -> None:
    mirror, fresh = Mirror(), Mirror()
    kept = await enqueue(store, "ada")
    gone = await enqueue(store, "bob")
    await surveyed(store, mirror)
    assert await store.cancel(gone) == CANCELLED
    late = await enqueue(store, "cyd")
    # What a reader of the whole queue would see now is not what the owner reads.
    await batch.call("DEL", Keys("test:").pool(POOL.name, "queue"))
    await surveyed(store, mirror)
    assert mirror.tickets.keys() == {kept, late}
    await surveyed(store, fresh)
    assert not fresh.tickets


@pytest.mark.parametrize("lost", ["trimmed", "older"])
async def test_a_mirror_that_missed_changes_begins_anew(
    store: PoolStore, batch: Batch, lost: str
) -> None:
    """The stream was trimmed too far, or Redis came back as it was before."""
    mirror, keys = Mirror(), Keys("test:")
    await enqueue(store, "ada")
    await surveyed(store, mirror)
    mirror.tickets["ghost"] = Waiting(since_ms=0, ticket="ghost")
    await enqueue(store, "bob")
    await enqueue(store, "cyd")
    if lost == "trimmed":
        await batch.call("XTRIM", keys.pool(POOL.name, "changes"), "MAXLEN", 1)
    else:
        mirror.version = 1_000
    await surveyed(store, mirror)
    assert len(mirror.tickets) == 3
    assert "ghost" not in mirror.tickets


async def test_what_many_at_once_change_is_read_as_changes(store: PoolStore) -> None:
    mirror = Mirror()
    await enqueue(store, "ada")
    await surveyed(store, mirror)
    # Only who reads the queue as a whole would lose it.
    mirror.tickets["mark"] = Waiting(since_ms=0, ticket="mark")
    tickets = [new_ticket(POOL.name) for _ in range(5)]
    added = await store.add_each(
        POOL, [asked(f"p{number}", ticket) for number, ticket in enumerate(tickets)]
    )
    assert sorted(ticket.ahead for ticket in added if ticket) == [1, 2, 3, 4, 5]
    assert await store.cancel(tickets[0]) == CANCELLED
    await surveyed(store, mirror)
    assert mirror.tickets.keys() >= {"mark", *tickets[1:]}
    assert tickets[0] not in mirror.tickets
    assert mirror.version == 7


async def test_tickets_that_are_given_back_keep_their_wait(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    mirror = Mirror()
    survey = await surveyed(store, mirror)
    before = dict(mirror.tickets)
    (made,) = await store.propose(survey.own, [together(mirror)], now_ms=0, estimate_ms=0)
    assert made is not None
    assert await store.give_back(survey.own, made.record, tickets[:2])
    assert not await store.give_back(survey.own, made.record, tickets)
    await surveyed(store, mirror)
    assert mirror.tickets == {ticket: before[ticket] for ticket in tickets[:2]}
    looks = await store.look_at(POOL.name, tickets)
    assert [look.state for look in looks if look] == [WAITING, WAITING, CANCELLED]


async def test_only_what_nobody_follows_is_unfollowed(batch: Batch) -> None:
    store = PoolStore(batch, Keys("test:"), lease_ms=1)
    ticket = await enqueue(store, "ada")
    patient = PoolStore(batch, Keys("test:"), lease_ms=60_000)
    other = await enqueue(patient, "bob")
    mirror = Mirror()
    survey = await surveyed(store, mirror)
    while not survey.unfollowed:
        survey = await surveyed(store, mirror)
    assert survey.unfollowed == (ticket,)
    assert await store.cancel(other, unfollowed=True) == WAITING
    assert await store.cancel(ticket, unfollowed=True) == CANCELLED


async def test_leases_that_run_out_while_nobody_owns_the_pool_are_good_for_as_long_again(
    batch: Batch,
) -> None:
    """Matchmaking or Redis was away: whoever followed a ticket could not."""
    brief = PoolStore(batch, Keys("test:"), lease_ms=1)
    patient = PoolStore(batch, Keys("test:"), lease_ms=60_000)
    mirror = Mirror()
    ticket = await enqueue(brief, "ada")
    while not (await surveyed(brief, mirror)).unfollowed:
        pass
    await brief.release(POOL.name, "r1")
    for replica in ("r1", "r2"):
        assert not (await surveyed(patient, mirror, replica)).unfollowed
        # Nor in the rounds after it.
        assert not (await surveyed(patient, mirror, replica)).unfollowed
        await brief.release(POOL.name, replica)
    survey = await surveyed(brief, mirror)
    while not survey.unfollowed:
        survey = await surveyed(brief, mirror)
    assert survey.unfollowed == (ticket,)


async def test_a_retired_pool_comes_back_with_its_next_ticket(store: PoolStore) -> None:
    ticket = await enqueue(store, "ada")
    assert not await store.retire(POOL)
    assert POOL in await store.pools()
    await store.cancel(ticket)
    assert await store.retire(POOL)
    assert POOL not in await store.pools()
    await enqueue(store, "ada")
    assert POOL in await store.pools()


async def test_a_place_in_the_queue_counts_those_who_wait_longer(store: PoolStore) -> None:
    tickets = [await enqueue(store, player) for player in ("ada", "bob", "cyd")]
    looks = [await store.look(ticket) for ticket in tickets]
    assert sorted(look.ahead for look in looks if look) == [0, 1, 2]
