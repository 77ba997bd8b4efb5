"""A replica tends its pools also where it could not listen to anybody when it began."""

import asyncio

from parlor.matchmaking.backfill import Backfill
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.matcher import Matcher
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import pool_for
from parlor.matchmaking.rounds import Rounds
from parlor.matchmaking.seating import Seating
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tickets import Member, NewTicket, new_ticket
from parlor.serving.channels import Channels
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis import Batch, connect, open_subscriber
from parlor.serving.redis_clock import RedisClock
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually

KEYS = Keys()
POOL = pool_for(GameConfig(planes=PlanesConfig()))
PAUSE_MS = 1_000


async def test_a_redis_that_is_silent_at_the_start_ends_no_replica(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    store, client = PoolStore(batch, KEYS), connect(redis_url)
    new = NewTicket(
        ticket=new_ticket(POOL.name),
        members=(Member("ada", "Ada"),),
        rating=25.0,
        request_id="1",
        digest="",
    )
    assert await store.add(POOL, new)

    async def is_owned() -> bool:
        owner = KEYS.pool(POOL.name, "owner")
        return bool(await batch.call("HGET", owner, "replica") == b"r1")

    async with open_subscriber(client, timeout_ms=PAUSE_MS // 10) as subscriber:
        rounds = Rounds(
            store,
            matcher(batch, store),
            subscriber,
            replica="r1",
            owner_ms=3_000,
            tick_ms=10,
            look_ms=100,
        )
        await batch.call("CLIENT", "PAUSE", PAUSE_MS, "ALL")
        running = asyncio.create_task(rounds.run())
        try:
            await eventually(is_owned)
            assert not running.done()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    await client.aclose()


def matcher(batch: Batch, store: PoolStore) -> Matcher:
    """What a replica matches with."""
    engines, invitations = (
        Engines(batch, KEYS, open_ms=2_000, channels=Channels()),
        Invitations(batch, KEYS),
    )
    places, tables = Places(batch, KEYS, store, engines), MatchmakingConfig().tables()
    clock = RedisClock(batch)
    backfill = Backfill(KEYS, batch, store, places, engines, tables, clock, None)
    seating = Seating(KEYS, batch, store, places, engines, invitations, tables, backfill, 20_000)
    maintenance = Maintenance(batch, KEYS, clock.now)
    return Matcher(
        store,
        places,
        engines,
        seating,
        backfill,
        invitations,
        tables,
        clock,
        maintenance,
        20_000,
        10_000,
    )
