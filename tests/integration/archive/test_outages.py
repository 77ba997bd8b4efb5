"""A database that is away is told from a defect of ours, by what the databases really raise."""

import grpc
import pytest
from sqlalchemy import text

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.outages import is_away
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1.history_service_pb2 import GetGameRequest
from tests.integration.archive import postgres
from tests.integration.archive.support import archive


async def raised(url: str, *statements: str, timeout_ms: int = 2_000) -> Exception:
    """What comes of the last statement."""
    database = Database(ArchiveConfig(database_url=url, database_timeout_ms=timeout_ms))
    try:
        async with database.writing() as connection:
            for statement in statements:
                await connection.execute(text(statement))
    except Exception as error:
        return error
    finally:
        await database.aclose()
    pytest.fail("nothing was raised")


async def test_what_is_wrong_with_a_statement_is_a_defect(database_url: str) -> None:
    assert not is_away(await raised(database_url, "SELECT 1 FROM nowhere"))
    assert not is_away(await raised(database_url, "SELEKT 1"))
    table = "CREATE TABLE once (id INTEGER PRIMARY KEY)"
    again = "INSERT INTO once VALUES (1)"
    assert not is_away(await raised(database_url, table, again, again))


async def test_a_file_that_another_is_writing_is_away(sqlite_url: str) -> None:
    other = Database(ArchiveConfig(database_url=sqlite_url))
    async with other.writing():
        assert is_away(await raised(sqlite_url, "SELECT 1", timeout_ms=100))
    await other.aclose()


async def test_a_file_that_is_no_database_is_away(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    with open(path, "wb") as file:
        file.write(b"no database" * 1000)
    assert is_away(await raised(sqlite_url, "SELECT 1 FROM games"))


async def test_a_server_without_the_database_is_away(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_database()
    assert is_away(await raised(url.replace("@/t", "@/not_t"), "SELECT 1"))


async def test_a_server_that_ends_a_statement_is_away(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_database()
    ended = "SELECT pg_terminate_backend(pg_backend_pid())"
    assert is_away(await raised(url, ended))
    assert is_away(await raised(url, "SET LOCAL statement_timeout = 10", "SELECT pg_sleep(60)"))


async def test_nobody_is_told_to_try_a_defect_again(redis_url: str, sqlite_url: str) -> None:
    async with archive(redis_url, sqlite_url) as desk:
        database = Database(ArchiveConfig(database_url=sqlite_url))
        async with database.writing() as connection:
            await connection.execute(text("ALTER TABLE games RENAME TO lost"))
        await database.aclose()
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await desk.history.GetGame(GetGameRequest(room_id="s0-doudizhu-aaaaaa", game_no=1))
        assert reason_name(from_rpc_error(error.value).reason) == "INTERNAL"
