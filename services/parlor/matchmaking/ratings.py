"""How well a player plays, as far as anybody knows."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from parlor.matchmaking.pools import ladder_of_pool
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script

_READ: Final = Script("""
-- KEYS: ratings of players; ARGV, for each: its ladder
local ratings = {}
for i, key in ipairs(KEYS) do ratings[i] = redis.call('HGET', key, ARGV[i]) end
return ratings
""")


class Ratings(Protocol):
    """A source of ratings."""

    async def of(self, players: Sequence[str], pool: str) -> float:
        """The rating that these players are matched by together, at least 0: the mean of theirs."""

    async def of_each(self, players: Sequence[tuple[str, str]]) -> list[float]:
        """The rating of each player in the pool named with it, at least 0; raises RedisError."""


class PublishedRatings:
    """The ratings that the archive publishes in Redis, by ladder."""

    def __init__(self, batch: Batch, keys: Keys, *, default: float) -> None:
        self._batch = batch
        self._keys = keys
        self._default = default

    async def of(self, players: Sequence[str], pool: str) -> float:
        ratings = await self.of_each([(player, pool) for player in players])
        return sum(ratings) / len(ratings)

    async def of_each(self, players: Sequence[tuple[str, str]]) -> list[float]:
        asked = [(self._keys.ratings(player), ladder_of_pool(pool)) for player, pool in players]
        found: dict[tuple[str, str], float] = {}

        async def read(group: Sequence[tuple[str, str]]) -> None:
            keys, ladders = [key for key, _ in group], [ladder for _, ladder in group]
            for one, raw in zip(group, await _READ(self._batch, keys, ladders), strict=True):
                found[one] = self._default if raw is None else max(0.0, float(raw))

        await asyncio.gather(*map(read, self._batch.by_slot(asked, lambda one: one[0])))
        return [found[one] for one in asked]
