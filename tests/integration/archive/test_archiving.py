"""From the streams into the database: once per game, whatever ends in between."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from parlor.archive.archiver import Archiver
from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.filing import Ended, file, parsed
from parlor.archive.migrating import migrate
from parlor.archive.publishing import Publisher
from parlor.archive.source import Source
from parlor.serving import redis_server as servers
from parlor.serving.redis import Batch, connect, open_batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.history_service_pb2 import GetGameRequest, GetRatingsRequest
from tests.conftest import Eventually
from tests.integration.archive.support import (
    KEYS,
    LADDER,
    archive,
    archived,
    game,
    rated,
    tell,
    waiting,
)

SHARDS = 8


def room(shard: int) -> str:
    return f"s{shard}-doudizhu-aaaaaa"


def source(batch: Batch, replica: str) -> Source:
    return Source(batch, KEYS, replica=replica, shards=SHARDS, log_ms=60_000)


def archiver(batch: Batch, database: Database, replica: str = "one") -> Archiver:
    return Archiver(
        source(batch, replica),
        database,
        Publisher(batch, KEYS, database, keep_ms=60_000),
        RedisClock(batch),
        per_shard=4,
        owner_ms=1_000,
        period="month",
    )


async def emptied(one: Archiver) -> int:
    """Archives until nothing is left; how many entries that were."""
    total = 0
    while count := await one.round():
        total += count
    return total


async def test_the_oldest_first_over_all_shards(batch: Batch, database: Database) -> None:
    """So that a player's games are rated in the order in which they were played."""
    ended = [game(number, room_id=room(number % 3), wins=number % 2 == 0) for number in range(1, 7)]
    for each in reversed(ended):
        await tell(batch, each)
    assert await emptied(archiver(batch, database)) == 6
    ratings = await rated(database)
    async with database.writing() as connection:
        for table in ("games", "seats", "ratings", "players"):
            await connection.exec_driver_sql(f"DELETE FROM {table}")
    for each in ended:
        await tell(batch, each)
        await emptied(archiver(batch, database))
    assert await rated(database) == ratings


async def test_one_that_died_between_writing_and_acknowledging(
    batch: Batch, database: Database
) -> None:
    await tell(batch, game())
    (entry,) = await source(batch, "dead").take(4)
    async with database.writing() as connection:
        ended = Ended(game=parsed(entry.game), token=entry.token)
        await file(database, connection, [ended], period="month")
    ratings = await rated(database)
    assert await waiting(batch) == 1
    assert await emptied(archiver(batch, database, "two")) == 1
    assert await rated(database) == ratings
    assert (await waiting(batch), len(await archived(database))) == (0, 1)


async def test_one_that_died_before_writing(batch: Batch, database: Database) -> None:
    await tell(batch, game())
    assert len(await source(batch, "dead").take(4)) == 1
    assert await emptied(archiver(batch, database, "two")) == 1
    assert len(await archived(database)) == 1


async def test_two_at_once_file_each_game_once(batch: Batch, database: Database) -> None:
    for number in range(1, 25):
        await tell(batch, game(number, room_id=room(number % SHARDS)))
    await asyncio.gather(
        *(emptied(archiver(batch, database, replica)) for replica in ("one", "two"))
    )
    assert len(await archived(database)) == 24
    assert (await rated(database))["ann"][2:] == (24, 24)
    assert await waiting(batch) == 0


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"no game", id="no message"),
        # PostgreSQL takes no NUL in a text, SQLite does.
        pytest.param(game(7, players=("a\0b", "bob", "cat")).SerializeToString(), id="a bad value"),
    ],
)
async def test_what_cannot_be_filed_holds_nobody_up(
    batch: Batch, database: Database, bad: bytes
) -> None:
    await batch.call("XADD", KEYS.finished(0), "*", "game", bad, "token", b"t")
    await tell(batch, game())
    one = archiver(batch, database)
    assert await emptied(one) == 2
    assert ("s0-doudizhu-aaaaaa", 1) in await archived(database)
    # It is kept for the operator unless it was filed, and nobody is given it again.
    assert await waiting(batch) == 2 - len(await archived(database))
    assert await one.round() == 0


async def test_a_log_stays_in_redis_for_a_while_only(batch: Batch, sqlite_url: str) -> None:
    async with kept(sqlite_url) as database:
        log = KEYS.log(room(0), 1)
        await batch.call(
            "XADD", log, "1-0", "token", b"t", "at", 5, "what", "clock", "seat", -1, "body", b""
        )
        await tell(batch, game())
        await emptied(archiver(batch, database))
        assert 0 < await batch.call("PTTL", log) <= 60_000


async def test_the_archived_log_names_nobody(batch: Batch, sqlite_url: str) -> None:
    """Whatever an engine notes of who sat where: the seats have it, where it can be erased."""
    start = {"config": b"c", "seed": b"s", "entropy": [b""], "sitters": [["ann", "Ann", False]]}
    line = ("token", b"t", "at", 5, "what", "start", "seat", -1)
    await batch.call(
        "XADD", KEYS.log(room(0), 1), "3-0", *line, "body", msgspec.msgpack.encode(start)
    )
    (read,) = await source(batch, "one").log(room(0), 1)
    assert (read.version, read.at, read.what, read.seat) == (3, 5, "start", -1)
    del start["sitters"]
    assert msgspec.msgpack.decode(read.body) == start


async def test_replicas_take_turns(
    redis_url: str, batch: Batch, sqlite_url: str, eventually: Eventually
) -> None:
    async with archive(redis_url, sqlite_url) as first:
        async with archive(redis_url, sqlite_url) as second:
            await tell(batch, game(1))
            await eventually(lambda: _none_waits(batch))
            owner = await batch.call("GET", KEYS.archive_owner())
            for desk in (first, second):
                found = await desk.history.GetGame(GetGameRequest(room_id=room(0), game_no=1))
                assert found.game.game.reason == "OUT"
        # One of them has left; whichever is still there goes on.
        await tell(batch, game(2))
        await eventually(lambda: _none_waits(batch))
        request = GetRatingsRequest(players=["ann"], ladder=LADDER)
        (rating,) = (await first.history.GetRatings(request)).ratings
        assert (rating.games, rating.wins, rating.name) == (2, 2, "Ann")
        assert owner


async def test_redis_comes_back_older_or_empty(
    tmp_path: Any, sqlite_url: str, eventually: Eventually
) -> None:
    server = servers.start(tmp_path / "redis", append_only=False)
    client = connect(server.url)
    batch = open_batch(client)
    try:
        async with archive(server.url, sqlite_url), kept(sqlite_url) as database:
            await tell(batch, game(1))
            await eventually(lambda: _none_waits(batch))
            server.kill()
            server.restart()
            # Its streams and groups are gone, and what is told again is known already.
            await eventually(lambda: _told(batch, 1))
            await eventually(lambda: _told(batch, 2))
            await eventually(lambda: _none_waits(batch))
            assert (await rated(database))["ann"][2:] == (2, 2)
    finally:
        await batch.aclose()
        await client.aclose()
        server.stop()


async def test_killed_again_and_again(
    redis_url: str, batch: Batch, sqlite_url: str, eventually: Eventually
) -> None:
    """A process that is killed whenever it has archived some of what waits."""
    count = 400
    for number in range(1, count + 1):
        await tell(batch, game(number, room_id=room(number % SHARDS)))
    async with kept(sqlite_url) as database:
        for _ in range(3):
            before = await waiting(batch, SHARDS)
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "parlor.archive", env=_environment(redis_url, sqlite_url)
            )
            try:
                await eventually(lambda b=before: _fewer_wait(batch, b), timeout=60)
            finally:
                process.send_signal(signal.SIGKILL)
                await process.wait()
        await emptied(archiver(batch, database))
        assert len(await archived(database)) == count
        assert (await rated(database))["ann"][2:] == (count, count)
        # As if it had never been killed.
        once = Database(ArchiveConfig(database_url=f"{sqlite_url}.once"))
        await migrate(once)
        for number in range(1, count + 1):
            await tell(batch, game(number, room_id=room(number % SHARDS)))
        await emptied(archiver(batch, once))
        assert await rated(once) == await rated(database)
        await once.aclose()


@asynccontextmanager
async def kept(url: str) -> AsyncIterator[Database]:
    """The database, with its schema."""
    database = Database(ArchiveConfig(database_url=url))
    await migrate(database)
    yield database
    await database.aclose()


async def _none_waits(batch: Batch) -> bool:
    return await waiting(batch) == 0


async def _fewer_wait(batch: Batch, before: int) -> bool:
    return await waiting(batch, SHARDS) < before


async def _told(batch: Batch, number: int) -> bool:
    """Tells of a game, as soon as Redis takes it."""
    try:
        await tell(batch, game(number))
    except Exception:
        return False
    return True


def _environment(redis_url: str, database_url: str) -> dict[str, str]:
    return {
        **os.environ,
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_LOG_LEVEL": "error",
        "PARLOR_ARCHIVE_DATABASE_URL": database_url,
        "PARLOR_ARCHIVE_SHARDS": str(SHARDS),
        "PARLOR_ARCHIVE_PER_SHARD": "1",
        "PARLOR_ARCHIVE_POLL_MS": "20",
        "PARLOR_ARCHIVE_OWNER_MS": "200",
    }
