"""What Redis keeps of rooms for the gateways: the last entries of each."""

from collections.abc import Sequence
from typing import Any

from redis.exceptions import RedisError

from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, answers
from parlor.v1.feed_pb2 import FeedEntry, FeedItem


class Feeds:
    """The feeds of all rooms."""

    def __init__(self, batch: Batch, keys: Keys) -> None:
        self._batch = batch
        self._keys = keys

    async def read(self, room_id: str, *, most: int | None = None) -> list[FeedEntry]:
        """The last entries, oldest first: all that are kept, or `most` of them. Empty where there is no
        such room. Raises RedisError.
        """
        count = () if most is None else ("COUNT", most)
        stored = await self._batch.call("XREVRANGE", self._keys.feed(room_id), "+", "-", *count)
        return [_entry(fields) for _, fields in reversed(stored)]

    async def last(self, room_ids: Sequence[str]) -> list[FeedEntry | RedisError | None]:
        """The last entry of each room, all asked for in one batch; or why it is not known."""
        # All are called before the first is waited for.
        calls = [
            self._batch.call("XREVRANGE", self._keys.feed(room_id), "+", "-", "COUNT", 1)
            for room_id in room_ids
        ]
        return [_last(answer) for answer in await answers(calls)]


def _last(answer: Any) -> FeedEntry | RedisError | None:
    if isinstance(answer, RedisError):
        return answer
    return _entry(answer[0][1]) if answer else None


def _entry(fields: list[bytes]) -> FeedEntry:
    return FeedItem.FromString(fields[fields.index(b"e") + 1]).entry
