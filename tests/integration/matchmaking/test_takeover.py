"""A replica that dies in the middle of a match: another one finishes what it left."""

import asyncio
import enum
from typing import Any

import msgspec
import pytest

from parlor.matchmaking.engines import Engines
from parlor.matchmaking.mirror import Mirror
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, pool_for
from parlor.matchmaking.queue import Match
from parlor.matchmaking.store import Ownership, PoolStore, Proposed
from parlor.serving.channels import Channels
from parlor.serving.errors import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from tests.integration.matchmaking.support import (
    ASSIGNED,
    STANDARD,
    engine,
    matchmaking,
    once_alive,
)

KEYS = Keys()
POOL: Pool = pool_for(STANDARD)
NAMES = ("ada", "bob", "cyd")
ASLEEP: dict[str, Any] = {"pools": ("doudizhu.window=0:0",)}
"""Nobody is matched: no two of them have the same rating."""


class Died(enum.Enum):
    """After what the replica died."""

    PROPOSED = "proposed"
    ENGINE_OPENED = "the engine opened the room"
    OPENED = "opened"
    FIRST_SEATED = "the first of them is seated"
    ALL_SEATED = "all are seated"


@pytest.mark.parametrize("died", Died)
async def test_what_a_dead_replica_left_is_finished(
    redis_url: str, batch: Batch, died: Died
) -> None:
    players = Players(batch, KEYS)
    async with engine(redis_url):
        # The first replica takes the tickets and has no time to do anything about them.
        async with matchmaking(redis_url, **ASLEEP) as desk:
            tickets = {
                name: (await desk.create(name, rating=1.0 + NAMES.index(name))).ticket_id
                for name in NAMES
            }
        room_id = await _die(batch, died)
        async with matchmaking(redis_url) as desk:
            ends = [(await desk.updates(name, tickets[name]))[-1] for name in NAMES]
            assert {end.state for end in ends} == {ASSIGNED}
            (assigned,) = {end.room_id for end in ends}
            assert assigned == room_id or died is Died.PROPOSED
            assert [await players.place(name) for name in NAMES] == [f"room:{assigned}"] * 3
            assert len(await batch.call("KEYS", "*:room:*")) == 1
            assert await batch.call("HLEN", KEYS.pool(POOL.name, "matches")) == 0
            assert await batch.call("ZCARD", KEYS.pool(POOL.name, "waiting")) == 0


async def test_a_player_who_left_the_room_is_not_put_back(redis_url: str, batch: Batch) -> None:
    players = Players(batch, KEYS)
    async with engine(redis_url):
        async with matchmaking(redis_url, **ASLEEP) as desk:
            tickets = {
                name: (await desk.create(name, rating=1.0 + NAMES.index(name))).ticket_id
                for name in NAMES
            }
        room_id = await _die(batch, Died.ALL_SEATED)
        await players.free("ada", f"room:{room_id}")
        async with matchmaking(redis_url) as desk:
            assert (await desk.updates("bob", tickets["bob"]))[-1].state == ASSIGNED
    assert await players.place("ada") == ""


async def test_who_waits_is_still_waiting_when_matchmaking_was_away_for_longer_than_a_lease(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url, **ASLEEP) as desk:
        ticket = (await desk.create("ada")).ticket_id
    await batch.call("ZADD", KEYS.pool(POOL.name, "leases"), 0, ticket)
    async with engine(redis_url), matchmaking(redis_url) as desk:
        bob, _ = await asyncio.gather(desk.play("bob"), desk.play("cyd"))
        assert await Players(batch, KEYS).place("ada") == f"room:{bob.room_id}"


async def _die(batch: Batch, died: Died) -> str:
    """Goes through a match as far as `died` says; the room's id where there is one."""
    store, mirror = PoolStore(batch, KEYS), Mirror()
    survey = await store.survey(POOL, mirror, "dead", lease_ms=1_000)
    while survey is None:
        # The replica before it has just stopped.
        survey = await store.survey(POOL, mirror, "dead", lease_ms=1_000)
    match = Match(tickets=tuple(sorted(mirror.tickets.values())))
    (made,) = await store.propose(survey.own, [match], now_ms=survey.now_ms, estimate_ms=0)
    assert made is not None
    if died is not Died.PROPOSED:
        return await _open(batch, store, survey.own, made, died)
    return ""


async def _open(batch: Batch, store: PoolStore, own: Ownership, match: Proposed, died: Died) -> str:
    engines = Engines(batch, KEYS, open_ms=2_000, channels=Channels())

    async def open_room() -> str:
        (opened,) = await engines.open_rooms(POOL, [match])
        if isinstance(opened, ServiceError):
            raise opened
        return opened.room_id

    room_id = await once_alive(open_room)
    if died is not Died.ENGINE_OPENED:
        record = msgspec.structs.replace(match.record, room_id=room_id)
        assert await store.opened(own, [record]) == [True]
    seated = {Died.FIRST_SEATED: 1, Died.ALL_SEATED: 3}.get(died, 0)
    places = Places(batch, KEYS, store, engines)
    for ticket, (member,) in list(zip(match.record.tickets, match.members, strict=True))[:seated]:
        assert await places.seat((member.player, ticket, room_id)) == [True]
    await engines.aclose()
    return room_id
