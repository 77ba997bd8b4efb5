"""`python -m parlor.archive` serves; `python -m parlor.archive migrate` only brings the schema up to date."""

import asyncio
import sys

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.migrating import migrate, newest
from parlor.archive.outages import is_away
from parlor.archive.replica import SERVICES, bind
from parlor.serving import BadConfig, from_env, logs, run


async def _migrate(config: ArchiveConfig) -> None:
    database = Database(config)
    try:
        await migrate(database)
    finally:
        await database.aclose()


def _migrate_once() -> int:
    try:
        config = from_env(ArchiveConfig, "ARCHIVE")
        logs.configure("archive", level=config.log_level, form=config.log_format)
        asyncio.run(_migrate(config))
    except BadConfig as error:
        print(f"parlor archive: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        if not is_away(error):
            raise
        print(f"parlor archive: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(f"the schema is at revision {newest()}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["migrate"]:
        sys.exit(_migrate_once())
    if sys.argv[1:]:
        sys.exit("usage: python -m parlor.archive [migrate]")
    run("archive", ArchiveConfig, bind, services=SERVICES)
