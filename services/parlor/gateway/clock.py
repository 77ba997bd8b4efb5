"""The server's time: that of Redis, by which every deadline is set."""

import time

from google.protobuf.timestamp_pb2 import Timestamp

from parlor.serving.redis import Batch


class RedisClock:
    """An estimate of Redis time between the looks at it."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._offset_ms = time.time() * 1000 - time.monotonic() * 1000

    async def look(self) -> None:
        """Measures the offset again."""
        before = time.monotonic()
        seconds, microseconds = await self._batch.call("TIME")
        between = (before + time.monotonic()) / 2
        self._offset_ms = int(seconds) * 1000 + int(microseconds) / 1000 - between * 1000

    def now_ms(self) -> int:
        """Redis time, in ms."""
        return int(time.monotonic() * 1000 + self._offset_ms)

    def stamp(self) -> Timestamp:
        """The same as a message."""
        stamp = Timestamp()
        stamp.FromMilliseconds(self.now_ms())
        return stamp
