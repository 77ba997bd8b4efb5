"""What is left to do in a Parlor: its running games and waiting tickets, counted in Redis itself.

Services count what they have met; this counts what is there, also while none of them runs.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from redis.asyncio import Redis

from parlor.engine.formats import RELEASED
from parlor.engine.record import Status
from parlor.engine.snapshot import UnreadableRecord
from parlor.matchmaking.store import QUEUED
from parlor.serving.keys import Keys, kind_of
from parlor.serving.redis import Batch, Cluster, primaries

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """What was counted."""

    games: Counter[str]
    """Running ones, by kind."""
    tickets: int
    """Tickets that wait."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left."""
        return not self.games.total() and not self.tickets


async def census(redis: Redis | Cluster, batch: Batch, keys: Keys) -> Census:
    """Counts; what begins or ends meanwhile may be counted or not. Raises Redis' errors."""
    games: Counter[str] = Counter()
    # A running game has a clock, and so a deadline.
    async for deadlines in _found(redis, keys.deadlines_pattern()):
        rooms = iter(await batch.call("ZRANGE", deadlines, 0, -1))
        while chunk := [room.decode() for room in islice(rooms, _AT_ONCE)]:
            records = await asyncio.gather(
                *(batch.call("HGET", keys.room(room_id), "record") for room_id in chunk)
            )
            games.update(
                kind_of(room_id)
                for room_id, record in zip(chunk, records, strict=True)
                if record is not None and _plays(record)
            )
    tickets = 0
    async for queue in _found(redis, keys.pools_pattern(QUEUED)):
        tickets += await batch.call("ZCARD", queue)
    return Census(games=games, tickets=tickets)


def _plays(record: bytes) -> bool:
    """Whether the record is of a room whose game runs; what nobody here can read may be one."""
    try:
        return RELEASED.decode(record).status is Status.PLAYING
    except UnreadableRecord:
        return True


async def _found(redis: Redis | Cluster, pattern: str) -> AsyncIterator[bytes]:
    """The keys of all servers that match, each once."""
    for server in primaries(redis):
        # SCAN may give a key twice.
        for key in {key async for key in server.scan_iter(pattern, count=1_000)}:
            yield key
