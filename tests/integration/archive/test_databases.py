"""The database itself: migrations that meet, and one that is away."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from sqlalchemy import inspect

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.migrating import migrate
from parlor.archive.tables import metadata
from parlor.serving import BadConfig
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.redis import Batch
from parlor.v1.history_service_pb2 import ListGamesRequest
from tests.conftest import Eventually
from tests.integration.archive import postgres
from tests.integration.archive.support import archive, archived, game, tell, waiting


async def test_replicas_that_start_together_migrate_once(database_url: str) -> None:
    both = [Database(ArchiveConfig(database_url=database_url)) for _ in range(3)]
    await asyncio.gather(*map(migrate, both))
    async with both[0].reading() as connection:
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    assert set(tables) == {*metadata.tables, "alembic_version"}
    for database in both:
        await database.aclose()


def test_migrate_is_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "parlor.archive", "migrate"]
    env = {
        **os.environ,
        "PARLOR_ARCHIVE_DATABASE_URL": f"sqlite:///{tmp_path}/new/archive.db",
    }
    for _ in range(2):
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stdout) == (0, "the schema is at revision 0002\n"), done
    env["PARLOR_ARCHIVE_DATABASE_URL"] = "mysql://x:secret@y/z"
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "expected sqlite:///FILE" in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize("url", ["", "archive.db", "mysql://x@y/z", "redis://x"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_ARCHIVE_DATABASE_URL"):
        ArchiveConfig(database_url=url)


async def test_games_wait_while_the_database_is_busy(
    redis_url: str, batch: Batch, sqlite_url: str, eventually: Eventually
) -> None:
    async with archive(redis_url, sqlite_url, database_timeout_ms=100) as desk:
        other = Database(ArchiveConfig(database_url=sqlite_url))
        async with other.writing():
            await tell(batch, game())
            await eventually(lambda: _is_given(batch))
            # Who only asks is not held up.
            await desk.history.ListGames(ListGamesRequest(player="ann"))
            assert await archived(other) == []
        await eventually(lambda: _none_waits(batch))
        assert len(await archived(other)) == 1
        await other.aclose()


async def test_games_wait_while_postgresql_is_down(
    redis_url: str, batch: Batch, postgres_server: postgres.Server, eventually: Eventually
) -> None:
    url = postgres_server.new_database()
    async with archive(redis_url, url, database_timeout_ms=2_000) as desk:
        await tell(batch, game(1))
        await eventually(lambda: _none_waits(batch))
        await asyncio.to_thread(postgres_server.stop)
        try:
            await tell(batch, game(2))
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await desk.history.ListGames(ListGamesRequest(player="ann"))
            assert reason_name(from_rpc_error(error.value).reason) == "STORE_UNAVAILABLE"
            assert await waiting(batch) == 1
        finally:
            await asyncio.to_thread(postgres_server.start)
        await eventually(lambda: _none_waits(batch))
        listed = await desk.history.ListGames(ListGamesRequest(player="ann"))
        assert [each.game_no for each in listed.games] == [2, 1]


async def _is_given(batch: Batch) -> bool:
    groups = await batch.call("EXISTS", "{s0}:finished")
    if not groups:
        return False
    try:
        pending = await batch.call("XPENDING", "{s0}:finished", "archive")
    except Exception:
        # The group is made with the first look.
        return False
    return bool(pending[0])


async def _none_waits(batch: Batch) -> bool:
    return await waiting(batch) == 0
