"""How well a player plays, as far as anybody knows."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from parlor.matchmaking.pools import ladder_of_pool
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch


class Ratings(Protocol):
    """A source of ratings."""

    async def of(self, players: Sequence[str], pool: str) -> float:
        """The rating that these players are matched by together, at least 0: the mean of theirs."""


class PublishedRatings:
    """The ratings that the archive publishes in Redis, by ladder."""

    def __init__(self, batch: Batch, keys: Keys, *, default: float) -> None:
        self._batch = batch
        self._keys = keys
        self._default = default

    async def of(self, players: Sequence[str], pool: str) -> float:
        ladder = ladder_of_pool(pool)
        calls = [self._batch.call("HGET", self._keys.ratings(player), ladder) for player in players]
        found = await asyncio.gather(*calls)
        ratings = [self._default if raw is None else max(0.0, float(raw)) for raw in found]
        return sum(ratings) / len(ratings)
