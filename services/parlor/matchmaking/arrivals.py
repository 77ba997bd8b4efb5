"""Tickets on their way into their pools: all that come in one turn of the event loop go in one script.

A script costs more than what it does for one ticket, and in a rush hundreds come at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from redis.exceptions import RedisError

from parlor.matchmaking.pools import Pool
from parlor.matchmaking.tickets import NewTicket, TicketRecord

_MOST: Final = 100

Added = TicketRecord | None
Add = Callable[[Pool, Sequence[NewTicket]], Awaitable[Sequence[Added]]]
"""Puts tickets into their pool; None for one whose id has been used. Raises RedisError."""

_Arriving = tuple[NewTicket, "asyncio.Future[Added]"]


class Arrivals:
    """The tickets of one replica that are on their way."""

    def __init__(self, add: Add) -> None:
        self._add = add
        self._waiting: dict[Pool, list[_Arriving]] = {}
        self._adding: set[asyncio.Task[None]] = set()

    async def add(self, pool: Pool, new: NewTicket) -> Added:
        """The ticket in its pool, None where its id has been used before; raises RedisError."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        added: asyncio.Future[Added] = loop.create_future()
        self._waiting.setdefault(pool, []).append((new, added))
        return await added

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for pool, arriving in waiting.items():
            for start in range(0, len(arriving), _MOST):
                task = asyncio.create_task(self._enter(pool, arriving[start : start + _MOST]))
                self._adding.add(task)
                task.add_done_callback(self._adding.discard)

    async def _enter(self, pool: Pool, arriving: Sequence[_Arriving]) -> None:
        try:
            records = await self._add(pool, [new for new, _ in arriving])
        except RedisError as error:
            for _, added in arriving:
                if not added.done():
                    # One exception raised in many tasks would gather all their tracebacks.
                    added.set_exception(type(error)(*error.args))
            return
        for (_, added), record in zip(arriving, records, strict=True):
            # Whoever asked may have gone meanwhile.
            if not added.done():
                added.set_result(record)
