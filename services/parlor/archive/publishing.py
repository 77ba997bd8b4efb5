"""Ratings where matchmaking reads them: in Redis, beside the player's place.

What is published is read from the database each time, so that it may be done again: of a game that
was filed and not published, for the replica died in between, the next round publishes.
"""

import asyncio
from collections.abc import Iterable, Sequence

from sqlalchemy import select

from parlor.archive.database import Database
from parlor.archive.filing import Ended
from parlor.archive.seasons import ALL_TIME
from parlor.archive.tables import ratings
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.finished_pb2 import FinishedGame


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
        worth = await self._worth(rated)
        await asyncio.gather(*(self._tell(*pair, mu) for pair, mu in worth.items()))
        # Of who was erased meanwhile, or before a replica that died here looked, nothing stays. Who is
        # erased from now on is forgotten after this.
        asked = {(seat.player, game.ladder) for game in rated for seat in game.seats}
        gone = (asked | worth.keys()) - (await self._worth(rated)).keys()
        await asyncio.gather(*(self._take_back(*pair) for pair in gone))

    async def forget(self, player: str) -> None:
        """Takes back all that was published of a player; raises RedisError."""
        await self._batch.call("DEL", self._keys.ratings(player))

    async def _worth(self, rated: Sequence[FinishedGame]) -> dict[tuple[str, str], float]:
        """By player and ladder, the ratings of all who played these games."""
        asked = select(ratings.c.player, ratings.c.ladder, ratings.c.mu).where(
            ratings.c.season == ALL_TIME,
            # More than is asked for, where players of one ladder are on another too: it is as true.
            ratings.c.ladder.in_({game.ladder for game in rated}),
            ratings.c.player.in_({seat.player for game in rated for seat in game.seats}),
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(asked)).all()
        return {(row.player, row.ladder): row.mu for row in rows}

    async def _tell(self, player: str, ladder: str, mu: float) -> None:
        key = self._keys.ratings(player)
        written = self._batch.call("HSET", key, ladder, repr(mu))
        kept = self._batch.call("PEXPIRE", key, self._keep_ms)
        await asyncio.gather(written, kept)

    async def _take_back(self, player: str, ladder: str) -> None:
        await self._batch.call("HDEL", self._keys.ratings(player), ladder)
