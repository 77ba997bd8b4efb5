"""A replica that dies in the middle of a match: another one finishes what it left."""

import enum

import msgspec
import pytest

from parlor.matchmaking.engines import Engines
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import Pool, pool_for
from parlor.matchmaking.store import MatchRecord, Ownership, PoolStore
from parlor.serving.channels import Channels
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from tests.integration.matchmaking.support import ASSIGNED, STANDARD, engine, matchmaking

KEYS = Keys()
POOL: Pool = pool_for(STANDARD)
NAMES = ("ada", "bob", "cyd")


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
        async with matchmaking(redis_url, tick_ms=60_000) as desk:
            tickets = {name: (await desk.create(name)).ticket_id for name in NAMES}
        room_id = await _die(batch, died)
        async with matchmaking(redis_url) as desk:
            ends = [(await desk.updates(name, tickets[name]))[-1] for name in NAMES]
            assert {end.state for end in ends} == {ASSIGNED}
            (assigned,) = {end.room_id for end in ends}
            assert assigned == room_id or died is Died.PROPOSED
            assert [await players.place(name) for name in NAMES] == [f"room:{assigned}"] * 3
            assert len(await batch.call("KEYS", "*:room:*")) == 1
            survey = await PoolStore(batch, KEYS).survey(POOL)
            assert (survey.waiting, survey.under_way) == ((), ())


async def test_a_player_who_left_the_room_is_not_put_back(redis_url: str, batch: Batch) -> None:
    players = Players(batch, KEYS)
    async with engine(redis_url):
        async with matchmaking(redis_url, tick_ms=60_000) as desk:
            tickets = {name: (await desk.create(name)).ticket_id for name in NAMES}
        room_id = await _die(batch, Died.ALL_SEATED)
        await players.free("ada", f"room:{room_id}")
        async with matchmaking(redis_url) as desk:
            assert (await desk.updates("bob", tickets["bob"]))[-1].state == ASSIGNED
    assert await players.place("ada") == ""


async def _die(batch: Batch, died: Died) -> str:
    """Goes through a match as far as `died` says; the room's id where there is one."""
    store = PoolStore(batch, KEYS)
    own = await store.own(POOL, "dead", lease_ms=1_000)
    while own is None:
        # The replica before it has just stopped.
        own = await store.own(POOL, "dead", lease_ms=1_000)
    record = await store.record_of(POOL, (await store.survey(POOL)).waiting)
    assert record is not None
    assert await store.propose(own, record)
    if died is not Died.PROPOSED:
        return await _open(batch, store, own, record, died)
    return ""


async def _open(
    batch: Batch, store: PoolStore, own: Ownership, record: MatchRecord, died: Died
) -> str:
    engines = Engines(batch, KEYS, open_ms=2_000, channels=Channels())
    room_id = await engines.open_room(record)
    if died is not Died.ENGINE_OPENED:
        assert await store.opened(own, msgspec.structs.replace(record, room_id=room_id))
    seated = {Died.FIRST_SEATED: 1, Died.ALL_SEATED: 3}.get(died, 0)
    places = Places(batch, KEYS, store, engines)
    for member in record.members[:seated]:
        assert await places.seat(member.player, member.ticket, room_id)
    await engines.aclose()
    return room_id
