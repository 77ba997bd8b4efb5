"""The schema brought up to date, by Alembic's migrations that lie beside.

They run in one transaction that writes alone, so replicas that start together do not meet, and one
that dies half way leaves nothing behind.
"""

from importlib import resources

import structlog
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from parlor.archive.database import Database

_log = structlog.get_logger(__name__)


async def migrate(database: Database) -> None:
    """Brings an empty or older schema to this release's; a newer one is left alone and raises."""
    async with database.writing() as connection:
        await connection.run_sync(_upgrade)
    _log.info("schema_is_current", revision=newest())


def newest() -> str:
    """The revision that this release needs."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(resources.files("parlor.archive") / "migrations"))
    return config
