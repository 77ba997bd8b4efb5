"""Databases for the tests of the archive."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.migrating import migrate
from tests.integration.archive import postgres

BOTH = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """One for all tests of the worker."""
    programs = postgres.binaries()
    if programs is None:
        pytest.skip("no PostgreSQL is installed: neither initdb on PATH nor /usr/lib/postgresql")
    with postgres.server(programs) as running:
        yield running


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path}/archive.db"


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_url"))
    server: postgres.Server = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A database of each kind with the schema."""
    found = Database(ArchiveConfig(database_url=database_url))
    await migrate(found)
    yield found
    await found.aclose()
