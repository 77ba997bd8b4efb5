"""One replica of the archive, put together. Several may run: one of them archives, all of them answer."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from redis.exceptions import RedisError

from parlor.archive.archiver import Archiver
from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.archive.migrating import migrate
from parlor.archive.publishing import Publisher
from parlor.archive.service import AdminServicer, ArchiveServicer, HistoryServicer
from parlor.archive.source import Source
from parlor.serving import App
from parlor.serving.keys import Keys
from parlor.serving.redis import open_batch
from parlor.serving.redis_clock import RedisClock
from parlor.serving.tasks import stop
from parlor.v1.admin_service_pb2_grpc import add_AdminServiceServicer_to_server
from parlor.v1.archive_service_pb2_grpc import add_ArchiveServiceServicer_to_server
from parlor.v1.history_service_pb2_grpc import add_HistoryServiceServicer_to_server

_log = structlog.get_logger(__name__)

SERVICES = ("parlor.v1.HistoryService", "parlor.v1.AdminService", "parlor.v1.ArchiveService")


@asynccontextmanager
async def bind(app: App[ArchiveConfig]) -> AsyncIterator[None]:
    """Brings the schema up to date, then archives and answers until told to stop."""
    config = app.config
    database = Database(config)
    batch = open_batch(app.redis, timeout_ms=config.redis_timeout_ms)
    try:
        await migrate(database)
        clock = RedisClock(batch)
        await clock.measure()
        keys = Keys(config.redis_prefix)
        publisher = Publisher(batch, keys, database, keep_ms=config.rating_ms)
        source = Source(
            batch,
            keys,
            replica=secrets.token_hex(8),
            shards=config.shards,
            log_ms=config.log_ms,
        )
        archiver = Archiver(
            source,
            database,
            publisher,
            clock,
            per_shard=config.per_shard,
            owner_ms=config.owner_ms,
            period=config.season,
        )
        add_HistoryServiceServicer_to_server(
            HistoryServicer(database, config, clock.now), app.server
        )
        add_AdminServiceServicer_to_server(
            AdminServicer(database, publisher, config, clock.now), app.server
        )
        add_ArchiveServiceServicer_to_server(ArchiveServicer(database), app.server)
        app.add_ready_check("database", lambda: _answers(database))
        archiving = asyncio.create_task(archiver.run(config.poll_ms), name="archiver")
        app.add_ready_check("archiver", lambda: _runs(archiving))
        loops = [archiving, asyncio.create_task(clock.keep(), name="clock")]
        try:
            yield
        finally:
            await stop(*loops)
            try:
                await archiver.release()
            except RedisError as error:
                # The lease runs out by itself.
                _log.warning("lease_not_released", error=type(error).__name__)
    finally:
        await batch.aclose()
        await database.aclose()


async def _runs(task: "asyncio.Task[None]") -> bool:
    return not task.done()


async def _answers(database: Database) -> bool:
    """Whether it can be read; whatever is raised is a no as well."""
    async with database.reading():
        return True
