"""Whether an error is the database's, which may do later what it did not do now, or a defect of ours.

SQLAlchemy's classes do not tell: SQLite's driver calls a table that is missing "operational", and
PostgreSQL's calls most of what an operator does to a server by no name. Both give a number.
"""

import sqlite3
from typing import Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree

_SQLITE: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
"""Result codes that speak of the file, its disk and who else uses it."""

_SQLSTATES: Final = (
    "08",
    "25006",
    "28",
    "3D000",
    "40",
    "53",
    "55P03",
    "57",
    "58",
    "XX001",
    "XX002",
)
"""How states begin that speak of the server: no connection, a standby, no login, no such database,
a transaction to try again, no resources, a lock, a shutdown or start, its disk, damaged data.
"""


def is_away(error: BaseException) -> bool:
    """Whether the database is gone, silent, full or busy, or its operator has it at work.

    >>> is_away(TimeoutError())
    True
    >>> is_away(sqlite3.OperationalError("no such table"))
    False
    """
    # Of no server at all, drivers speak as of any other address; asyncio's timeout is one as well.
    if isinstance(error, OSError | NoneFree):
        return True
    if isinstance(error, DBAPIError):
        if error.connection_invalidated:
            return True
        # While a connection is made, the driver's own comes without this wrapping.
        return error.orig is not None and is_away(error.orig)
    if isinstance(error, sqlite3.Error):
        # The low byte is the code, what is above it a kind of that.
        return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _SQLITE
    return str(getattr(error, "sqlstate", None) or "").startswith(_SQLSTATES)
