"""Redis time as this process estimates it: the clock by which rooms are dated."""

import asyncio
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from parlor.serving.redis import Batch

MEASURE_S = 1.0


class RedisClock:
    """Milliseconds of Redis time, from a monotonic clock and an offset measured once a second."""

    def __init__(self, batch: Batch, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._batch = batch
        self._monotonic = monotonic
        self._offset_ms = 0.0

    def now(self) -> int:
        """The estimate; wrong by half a round trip at the most, plus drift since the last measurement."""
        return int(self._monotonic() * 1000 + self._offset_ms)

    async def measure(self) -> None:
        """Asks Redis once. A slow answer says little, so the shortest of three counts."""
        best = float("inf")
        for _ in range(3):
            before = self._monotonic()
            seconds, micros = await self._batch.call("TIME")
            after = self._monotonic()
            if after - before < best:
                best = after - before
                # The earliest instant that it can be: an estimate ahead of Redis finds nothing due yet.
                self._offset_ms = int(seconds) * 1000 + int(micros) / 1000 - after * 1000

    async def keep(self) -> None:
        """Measures for ever; a Redis that does not answer leaves the offset as it is."""
        while True:
            await asyncio.sleep(MEASURE_S)
            try:
                await self.measure()
            except RedisError:
                continue
