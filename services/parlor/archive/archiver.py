"""The archiver: round after round, ended games into the database, then out of Redis.

Whatever ends a round between the two, the next one, here or in another replica, is given the same
entries again and finds their games filed. One replica at a time does this. Its lease only keeps the
order, oldest first over all shards, and so the order in which a player's games are rated; two that
archive at once, for one was stalled, are kept apart by the database and harmless.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from parlor.archive import metrics
from parlor.archive.database import Database
from parlor.archive.filing import ARCHIVED, Ended, Unfit, file, parsed
from parlor.archive.outages import is_away
from parlor.archive.publishing import Publisher
from parlor.archive.seasons import Period
from parlor.archive.source import Entry, Source
from parlor.serving.redis import is_away as redis_is_away
from parlor.serving.redis_clock import RedisClock

_log = structlog.get_logger(__name__)

_REJECTED: Final = "rejected"

_Waiting = tuple[Entry, Ended]
"""An entry and what it tells of."""


class Archiver:
    """One replica's part in archiving."""

    def __init__(
        self,
        source: Source,
        database: Database,
        publisher: Publisher,
        clock: RedisClock,
        *,
        per_shard: int,
        owner_ms: int,
        period: Period,
    ) -> None:
        self._source = source
        self._database = database
        self._publisher = publisher
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
            except Exception as error:
                metrics.FAILURES.labels(type(error).__name__).inc()
                if is_away(error) or (isinstance(error, RedisError) and redis_is_away(error)):
                    _log.warning("round_failed", error=type(error).__name__)
                else:
                    _log.exception("round_failed")
            if not taken:
                await asyncio.sleep(poll_ms / 1000)

    async def release(self) -> None:
        """Leaves archiving to another replica."""
        metrics.OWNS.set(0)
        await self._source.release()

    async def round(self) -> int:
        """Archives some of what waits; gives how many entries that were."""
        taken = await self._source.take(self._per_shard)
        ended = await asyncio.gather(*(self._read(entry) for entry in taken))
        waiting = [(entry, each) for entry, each in zip(taken, ended, strict=True) if each]
        waiting.sort(key=lambda each: each[1].end_ms)
        filed = await self._file(waiting)
        # Before the entries are acknowledged: what was filed is published by whoever comes after.
        await self._publisher.publish([each for _, each in filed])
        done = {entry.entry_id for entry, _ in filed}
        await self._source.done(
            [(entry, each.game.room_id, each.game.game_no) for entry, each in filed],
            [entry for entry in taken if entry.entry_id not in done],
        )
        return len(taken)

    async def _read(self, entry: Entry) -> Ended | None:
        """The game that the entry tells of, with its log; None for what is none."""
        try:
            game = parsed(entry.game)
        except Unfit as error:
            _reject(entry, error)
            return None
        log = await self._source.log(game.room_id, game.game_no)
        return Ended(game=game, token=entry.token, log=log)

    async def _file(self, waiting: Sequence[_Waiting]) -> list[_Waiting]:
        """Files games, and gives those that are filed now: all but what the database refuses for good."""
        if not waiting:
            return []
        try:
            async with self._database.writing() as connection:
                outcomes = await file(
                    self._database,
                    connection,
                    [each for _, each in waiting],
                    period=self._period,
                )
        except DBAPIError as error:
            if not _is_refused(error):
                raise
            if len(waiting) == 1:
                _reject(waiting[0][0], error)
                return []
            # One of them is to blame, and the others are not to wait for it.
            return [filed for each in waiting for filed in await self._file([each])]
        self._count(waiting, outcomes)
        return list(waiting)

    def _count(self, filed: Sequence[_Waiting], outcomes: Sequence[str]) -> None:
        now = self._clock.now()
        for (_, each), outcome in zip(filed, outcomes, strict=True):
            metrics.GAMES.labels(outcome).inc()
            if outcome == ARCHIVED:
                metrics.LAG_SECONDS.observe(max(0, now - each.end_ms) / 1000)
                if each.rates:
                    metrics.RATED.labels(each.game.ladder).inc()
        _log.info("games_archived", count=outcomes.count(ARCHIVED))


def _reject(entry: Entry, error: Exception) -> None:
    metrics.GAMES.labels(_REJECTED).inc()
    _log.error(
        "game_rejected",
        shard=entry.shard,
        entry=entry.entry_id.decode(),
        error=type(error).__name__,
    )


def _is_refused(error: DBAPIError) -> bool:
    """Whether the database would refuse the same again, and not for want of space, time or connection."""
    # The driver of PostgreSQL has one class for much; the standard's class 22 is of bad values.
    state = getattr(error.orig, "sqlstate", None) or ""
    return isinstance(error, DataError | IntegrityError) or state.startswith("22")
