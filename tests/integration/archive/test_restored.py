"""A backup of the archive in PostgreSQL, taken and restored by the commands of docs/operations.md."""

import re
from pathlib import Path

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.serving.redis import Batch
from tests.conftest import Eventually
from tests.integration.archive import postgres
from tests.integration.archive.support import archive, archived, game, rated, tell, waiting

ROOM = "s0-doudizhu-aaaaaa"
OPERATIONS = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
DUMP = ("--format", "custom")
RESTORE = ("--clean", "--if-exists")


async def test_an_archive_goes_on_from_its_dump_and_lacks_what_came_after_it(
    redis_url: str, batch: Batch, postgres_server: postgres.Server, eventually: Eventually
) -> None:
    live, fresh = postgres_server.new_database(), postgres_server.new_database()
    # In a folder of the server's user, who runs the programs.
    dump = postgres_server.data.parent / "archive.dump"

    async def none_waits() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, live):
        await tell(batch, game(1))
        await eventually(none_waits, timeout=30)
        postgres_server.run("pg_dump", *DUMP, "--file", dump, "--dbname", live)
        await tell(batch, game(2))
        await eventually(none_waits, timeout=30)
        # Not archived yet when the archive is stopped.
    await tell(batch, game(3))
    # Twice, as into a database that has something in it.
    for _ in range(2):
        postgres_server.run("pg_restore", *RESTORE, "--dbname", fresh, dump)
    database = Database(ArchiveConfig(database_url=fresh))
    try:
        assert await archived(database) == [(ROOM, 1)]
        async with archive(redis_url, fresh):
            await tell(batch, game(4))
            await eventually(none_waits, timeout=30)
        assert await archived(database) == [(ROOM, 1), (ROOM, 3), (ROOM, 4)]
        assert {games for _, _, games, _ in (await rated(database)).values()} == {3}
    finally:
        await database.aclose()
        dump.unlink()


def test_the_documents_have_these_commands() -> None:
    for program, options in (("pg_dump", DUMP), ("pg_restore", RESTORE)):
        assert re.search(rf"{program} .*{' '.join(options)}\b", OPERATIONS)
