"""The archiver: round after round, ended games into the database, then out of Redis.

Whatever ends a round between the two, the next one, here or in another replica, is given the same
entries again and finds their games filed. One replica at a time does this. Its lease only keeps the
order, oldest first over all shards, and so the order in which a player's games are rated; two that
archive at once, for one was stalled, are kept apart by the database and harmless.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from parlor.archive import metrics
from parlor.archive.database import Database, Unavailable
from parlor.archive.filing import ARCHIVED, Filed, Unfit, file, parsed
from parlor.archive.seasons import Period
from parlor.archive.source import Entry, Source
from parlor.serving.redis_clock import RedisClock
from parlor.v1.archive_service_pb2 import LogLine
from parlor.v1.finished_pb2 import FinishedGame
from parlor.wire.times import instant

_log = structlog.get_logger(__name__)

_REJECTED: Final = "rejected"


@dataclass(frozen=True, slots=True)
class _Ended:
    """An entry with its game and log."""

    entry: Entry
    game: FinishedGame
    log: list[LogLine]


class Archiver:
    """One replica's part in archiving."""

    def __init__(
        self,
        source: Source,
        database: Database,
        clock: RedisClock,
        *,
        per_shard: int,
        owner_ms: int,
        period: Period,
    ) -> None:
        self._source = source
        self._database = database
        self._clock = clock
        self._per_shard = per_shard
        self._owner_ms = owner_ms
        self._period = period

    async def run(self, poll_ms: int) -> None:
        """Archives until cancelled. A failure ends the round: the next one retries."""
        while True:
            taken = 0
            try:
                owns = await self._source.hold(self._owner_ms)
                metrics.OWNS.set(owns)
                taken = await self.round() if owns else 0
            except (RedisError, *Unavailable) as error:
                metrics.FAILURES.labels(type(error).__name__).inc()
                _log.warning("round_failed", error=type(error).__name__)
            except Exception as error:
                metrics.FAILURES.labels(type(error).__name__).inc()
                _log.exception("round_failed")
            if not taken:
                await asyncio.sleep(poll_ms / 1000)

    async def release(self) -> None:
        """Leaves archiving to another replica."""
        metrics.OWNS.set(0)
        await self._source.release()

    async def round(self) -> int:
        """Archives some of what waits; gives how many entries that were."""
        ended: list[_Ended] = []
        rejected: list[Entry] = []
        for entry in await self._source.take(self._per_shard):
            try:
                game = parsed(entry.game)
            except Unfit as error:
                self._reject(rejected, entry, error)
            else:
                log = await self._source.log(game.room_id, game.game_no)
                ended.append(_Ended(entry, game, log))
        ended.sort(key=lambda each: instant(each.game.end_time))
        filed: list[tuple[_Ended, Filed]] = []
        if ended:
            async with self._database.writing() as connection:
                for each in ended:
                    try:
                        filed.append((each, await self._file(connection, each)))
                    except DBAPIError as error:
                        if not _is_refused(error):
                            raise
                        self._reject(rejected, each.entry, error)
        await self._source.done(
            [(each.entry, each.game.room_id, each.game.game_no) for each, _ in filed], rejected
        )
        self._count(filed)
        return len(filed) + len(rejected)

    async def _file(self, connection: AsyncConnection, each: _Ended) -> Filed:
        # What one game breaks, it does not break for those filed with it.
        async with connection.begin_nested():
            return await file(
                self._database,
                connection,
                each.game,
                token=each.entry.token,
                log=each.log,
                period=self._period,
            )

    def _reject(self, rejected: list[Entry], entry: Entry, error: Exception) -> None:
        rejected.append(entry)
        metrics.GAMES.labels(_REJECTED).inc()
        _log.error(
            "game_rejected",
            shard=entry.shard,
            entry=entry.entry_id.decode(),
            error=type(error).__name__,
        )

    def _count(self, filed: list[tuple[_Ended, Filed]]) -> None:
        now = self._clock.now()
        for each, result in filed:
            metrics.GAMES.labels(result.outcome).inc()
            if result.outcome == ARCHIVED:
                lag_ms = max(0, now - instant(each.game.end_time))
                metrics.LAG_SECONDS.observe(lag_ms / 1000)
            if result.rated:
                metrics.RATED.labels(each.game.ladder).inc()
        if filed:
            _log.info("games_archived", count=len(filed))


def _is_refused(error: DBAPIError) -> bool:
    """Whether the database would refuse the same again, and not for want of space, time or connection."""
    # The driver of PostgreSQL has one class for much; the standard's class 22 is of bad values.
    state = getattr(error.orig, "sqlstate", None) or ""
    return isinstance(error, DataError | IntegrityError) or state.startswith("22")
