"""What matchmaking reads of ratings is what the archive has made of finished games."""

import asyncio

import pytest
from redis.asyncio import Redis

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.filing import Ended, file
from parlor.archive.migrating import migrate
from parlor.archive.people import erase
from parlor.archive.publishing import Publisher
from parlor.matchmaking.pools import pool_for
from parlor.matchmaking.ratings import PublishedRatings
from parlor.serving.redis import Batch, open_batch
from parlor.v1.admin_service_pb2 import ErasePlayerRequest
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.archive.support import (
    KEYS,
    LADDER,
    NAMES,
    archive,
    game,
    rated,
    tell,
    waiting,
)

STANDARD = pool_for(GameConfig(doudizhu=DouDizhuConfig())).name
CLASSIC = pool_for(
    GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))
).name
PLANES = pool_for(GameConfig(planes=PlanesConfig())).name
UNKNOWN = 25.0
PAUSE_MS = 600_000


async def seen(batch: Batch, pool: str = STANDARD) -> dict[str, float]:
    """What the matchmaker takes each player for."""
    ratings = PublishedRatings(batch, KEYS, default=UNKNOWN)
    return {player: await ratings.of([player], pool) for player in NAMES}


async def test_a_finished_game_changes_by_what_its_players_are_matched_and_stays_so(
    redis_url: str, sqlite_url: str, batch: Batch, eventually: Eventually
) -> None:
    async def is_archived() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, sqlite_url):
        await tell(batch, game())
        await eventually(is_archived)
    first = await seen(batch)
    assert first["ann"] > UNKNOWN > first["bob"] == first["cat"]
    assert await PublishedRatings(batch, KEYS, default=UNKNOWN).of(NAMES, STANDARD) == (
        pytest.approx(sum(first.values()) / 3)
    )
    for other in (CLASSIC, PLANES):
        assert set((await seen(batch, other)).values()) == {UNKNOWN}
    # Another process goes on from what the database has.
    async with archive(redis_url, sqlite_url):
        await tell(batch, game(2))
        await eventually(is_archived)
    second = await seen(batch)
    assert second["ann"] > first["ann"]
    assert second["bob"] < first["bob"]
    database = Database(ArchiveConfig(database_url=sqlite_url))
    try:
        assert {player: row[0] for player, row in (await rated(database)).items()} == second
    finally:
        await database.aclose()


async def test_a_game_with_a_bot_publishes_nothing(
    redis_url: str, sqlite_url: str, batch: Batch, eventually: Eventually
) -> None:
    async def is_archived() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, sqlite_url):
        await tell(batch, game(bot=2))
        await eventually(is_archived)
    assert set((await seen(batch)).values()) == {UNKNOWN}


async def test_what_was_filed_by_one_that_died_is_published_by_the_next(
    redis_url: str, sqlite_url: str, batch: Batch, eventually: Eventually
) -> None:
    database = Database(ArchiveConfig(database_url=sqlite_url))
    try:
        await migrate(database)
        async with database.writing() as connection:
            await file(database, connection, [Ended(game=game(), token=b"t")], period="month")
    finally:
        await database.aclose()
    assert set((await seen(batch)).values()) == {UNKNOWN}
    await tell(batch, game())

    async def is_archived() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, sqlite_url):
        await eventually(is_archived)
    assert (await seen(batch))["ann"] > UNKNOWN


async def test_who_is_erased_is_unknown_to_the_matchmaker_too(
    redis_url: str, sqlite_url: str, batch: Batch, eventually: Eventually
) -> None:
    async def is_archived() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, sqlite_url) as desk:
        await tell(batch, game())
        await eventually(is_archived)
        await desk.admin.ErasePlayer(ErasePlayerRequest(request_id="1", player="ann"))
        assert (await seen(batch))["ann"] == UNKNOWN
        assert (await seen(batch))["bob"] < UNKNOWN


async def test_who_is_erased_while_the_rating_is_published_stays_unknown(
    redis_url: str, database: Database, redis: Redis, batch: Batch, eventually: Eventually
) -> None:
    filed = [Ended(game=game(), token=b"t")]
    async with database.writing() as connection:
        await file(database, connection, filed, period="month")
    patient = open_batch(redis, timeout_ms=PAUSE_MS)
    publisher = Publisher(patient, KEYS, database, keep_ms=PAUSE_MS)
    # What is published hangs between the database and Redis.
    await redis.client_pause(PAUSE_MS, all=False)
    try:
        publishing = asyncio.create_task(publisher.publish(filed))

        async def hangs() -> bool:
            clients = await redis.client_list()
            return any("b" in client["flags"] for client in clients)

        await eventually(hangs)
        # Nothing was published of her yet, so there is nothing to take back after this.
        await erase(database, "ann", now_ms=0, remembered_ms=0)
    finally:
        await redis.client_unpause()
    await publishing
    await patient.aclose()
    assert (await seen(batch))["ann"] == UNKNOWN
    assert (await seen(batch))["bob"] < UNKNOWN


async def test_what_a_replica_published_of_the_erased_before_it_died_is_taken_back_by_the_next(
    database: Database, batch: Batch
) -> None:
    filed = [Ended(game=game(), token=b"t")]
    async with database.writing() as connection:
        await file(database, connection, filed, period="month")
    await erase(database, "ann", now_ms=0, remembered_ms=0)
    await batch.call("HSET", KEYS.ratings("ann"), LADDER, "31.5")
    await Publisher(batch, KEYS, database, keep_ms=60_000).publish(filed)
    assert (await seen(batch))["ann"] == UNKNOWN
    assert (await seen(batch))["bob"] < UNKNOWN
