"""A backup of the archive, taken and restored by the commands of docs/operations.md."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.serving.redis import Batch
from tests.conftest import Eventually
from tests.integration.archive import postgres
from tests.integration.archive.support import archive, archived, game, rated, tell, waiting
from tests.integration.deploy.support import OPERATIONS, documented

ROOM = "s0-doudizhu-aaaaaa"
DUMP = ("--format", "custom")
RESTORE = ("--clean", "--if-exists")


FILES = {
    "with containers": (
        "docker compose exec archive python",
        'docker compose run --rm --no-deps --volume "$PWD/backup.db',
    ),
    "without": (".venv/bin/python -c 'from sqlite3", "rm -f archive.db-wal"),
}
"""How a file is backed up, and how it is restored."""


def run(words: list[str], folder: Path) -> None:
    """Carries out in a folder what is told to be done in the archive's."""
    if words[0] == "docker":
        # What runs inside, where the volume is.
        program = "sh" if "--entrypoint" in words else sys.executable
        inside = words[words.index("-c") + 1].replace("/var/lib/parlor", str(folder))
        words = [program, "-c", inside.replace(" /backup.db", f" {folder}/backup.db")]
    elif words[0].startswith(".venv"):
        words = [sys.executable, *words[1:]]
    else:
        words = ["sh", "-c", " ".join(words)]
    subprocess.run(words, cwd=folder, check=True, timeout=60)


@pytest.mark.parametrize("how", FILES)
async def test_a_file_goes_on_from_its_backup_and_lacks_what_came_after_it(
    redis_url: str, batch: Batch, tmp_path: Path, eventually: Eventually, how: str
) -> None:
    url, wal = f"sqlite:///{tmp_path}/archive.db", tmp_path / "archive.db-wal"
    back_up, restore = map(documented, FILES[how])

    async def none_waits() -> bool:
        return await waiting(batch) == 0

    async with archive(redis_url, url):
        await tell(batch, game(1))
        await eventually(none_waits)
        # Nothing of it is in the file itself yet.
        run(back_up, tmp_path)
        await tell(batch, game(2))
        await eventually(none_waits)
        shutil.copy(wal, tmp_path / "wal")
    # As it is left by an archive that was killed.
    shutil.copy(tmp_path / "wal", wal)
    run(restore, tmp_path)
    database = Database(ArchiveConfig(database_url=url))
    try:
        assert await archived(database) == [(ROOM, 1)]
        async with archive(redis_url, url):
            await tell(batch, game(3))
            await eventually(none_waits)
        assert await archived(database) == [(ROOM, 1), (ROOM, 3)]
    finally:
        await database.aclose()


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
        await eventually(none_waits)
        postgres_server.run("pg_dump", *DUMP, "--file", dump, "--dbname", live)
        await tell(batch, game(2))
        await eventually(none_waits)
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
            await eventually(none_waits)
        assert await archived(database) == [(ROOM, 1), (ROOM, 3), (ROOM, 4)]
        assert {games for _, _, games, _ in (await rated(database)).values()} == {3}
    finally:
        await database.aclose()
        dump.unlink()


def test_the_documents_have_these_commands() -> None:
    for program, options in (("pg_dump", DUMP), ("pg_restore", RESTORE)):
        assert re.search(rf"{program} .*{' '.join(options)}\b", OPERATIONS.read_text())
