"""The way to the database: one file of SQLite, or PostgreSQL.

All writes are serialised, by the database itself and whoever asks: SQLite has one writer at a time
anyway, and PostgreSQL is told so by a lock. Ratings are read, computed and written, and a player is
erased, with nobody in between; no rule of isolation has to be known for that.

Errors do not quote the values of a statement, which may be names or seeds.
"""

import contextlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from parlor.archive.config import ArchiveConfig
from parlor.serving import BadConfig

_ALONE: Final = "parlor_alone"
_LOCK: Final = 0x7061726C6F72
"""The number of our lock in PostgreSQL, which has one space of numbers per database."""


class Database:
    """The database that a URL names; entered by `opened`."""

    def __init__(self, config: ArchiveConfig) -> None:
        url, timeout_s = make_url(config.driver_url), config.database_timeout_ms / 1000
        self.is_sqlite: Final = url.get_backend_name() == "sqlite"
        try:
            self._engine = _sqlite(url, timeout_s) if self.is_sqlite else _postgres(url, timeout_s)
        except ModuleNotFoundError as error:
            raise BadConfig(
                f"PARLOR_ARCHIVE_DATABASE_URL: {error.name} is not installed: pip install 'parlor[postgres]'"
            ) from None

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that reads."""
        async with self._engine.connect() as connection, connection.begin():
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes, alone in all replicas; an error takes all of it back."""
        async with self._engine.connect() as connection:
            await connection.execution_options(**{_ALONE: True})
            async with connection.begin():
                if not self.is_sqlite:
                    await connection.execute(
                        text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK}
                    )
                yield connection

    def insert(self, table: Table) -> Any:
        """An INSERT that knows ON CONFLICT, which both databases have and no standard does."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)


def _postgres(url: Any, timeout_s: float) -> AsyncEngine:
    return create_async_engine(
        url,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_timeout=timeout_s,
        connect_args={"timeout": timeout_s, "command_timeout": timeout_s},
    )


def _sqlite(url: Any, timeout_s: float) -> AsyncEngine:
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(
        url, hide_parameters=True, pool_timeout=timeout_s, connect_args={"timeout": timeout_s}
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # The driver of Python 3.11 would begin transactions by itself, late, and not around all.
        connection.isolation_level = None
        cursor = connection.cursor()
        with contextlib.suppress(sqlite3.OperationalError):
            # Kept in the file. It waits for nobody: where others are at it now, the next one sees to it.
            cursor.execute("PRAGMA journal_mode=WAL")
        # An acknowledged game is gone from Redis: it has to be on the disk.
        cursor.execute("PRAGMA synchronous=FULL")
        # What was erased is overwritten.
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and then wants to write could be refused at that point.
        alone = connection.get_execution_options().get(_ALONE)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if alone else "BEGIN")

    return engine
