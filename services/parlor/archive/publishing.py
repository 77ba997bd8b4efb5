"""Ratings where matchmaking reads them: in Redis, beside the player's place.

What is published is read from the database each time, so that it may be done again: of a game that
was filed and not published, for the replica died in between, the next round publishes.
"""

import asyncio
from collections.abc import Iterable

from sqlalchemy import select

from parlor.archive.database import Database
from parlor.archive.filing import Ended
from parlor.archive.seasons import ALL_TIME
from parlor.archive.tables import ratings
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch


class Publisher:
    """The published ratings, for one replica."""

    def __init__(self, batch: Batch, keys: Keys, database: Database, *, keep_ms: int) -> None:
        self._batch = batch
        self._keys = keys
        self._database = database
        self._keep_ms = keep_ms

    async def publish(self, filed: Iterable[Ended]) -> None:
        """Publishes what the players of these games are worth now, of all time, on their ladders.

        Raises RedisError, or what the database raises where it is away.
        """
        rated = [each.game for each in filed if each.rates]
        if not rated:
            return
        asked = select(ratings.c.player, ratings.c.ladder, ratings.c.mu).where(
            ratings.c.season == ALL_TIME,
            # More than is asked for, where players of one ladder are on another too: it is as true.
            ratings.c.ladder.in_({game.ladder for game in rated}),
            ratings.c.player.in_({seat.player for game in rated for seat in game.seats}),
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(asked)).all()
        await asyncio.gather(*(self._tell(row.player, row.ladder, row.mu) for row in rows))

    async def forget(self, player: str) -> None:
        """Takes back all that was published of a player; raises RedisError."""
        await self._batch.call("DEL", self._keys.ratings(player))

    async def _tell(self, player: str, ladder: str, mu: float) -> None:
        key = self._keys.ratings(player)
        written = self._batch.call("HSET", key, ladder, repr(mu))
        kept = self._batch.call("PEXPIRE", key, self._keep_ms)
        await asyncio.gather(written, kept)
