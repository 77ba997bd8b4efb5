"""Calls of one turn of the event loop, carried out together.

A script, or a call over gRPC, costs more than what it does for one caller, and in a rush hundreds
come at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

from redis.exceptions import RedisError

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
R = TypeVar("R")


class Together(Generic[K, T, R]):
    """Carries items out by `work`, those of one key together and at most so many.

    `work` gives what came of each, in order, a RedisError where that is what came of it; one that it
    raises is everybody's.
    """

    def __init__(
        self, work: Callable[[K, Sequence[T]], Awaitable[Sequence[R | RedisError]]], *, most: int
    ) -> None:
        self._work = work
        self._most = most
        self._waiting: dict[K, list[tuple[T, asyncio.Future[R]]]] = {}
        self._working: set[asyncio.Task[None]] = set()

    async def __call__(self, key: K, item: T) -> R:
        """What came of the item; raises RedisError."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        done: asyncio.Future[R] = loop.create_future()
        self._waiting.setdefault(key, []).append((item, done))
        return await done

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for key, items in waiting.items():
            for start in range(0, len(items), self._most):
                task = asyncio.create_task(self._carry_out(key, items[start : start + self._most]))
                self._working.add(task)
                task.add_done_callback(self._working.discard)

    async def _carry_out(self, key: K, items: "Sequence[tuple[T, asyncio.Future[R]]]") -> None:
        try:
            results = await self._work(key, [item for item, _ in items])
        except RedisError as error:
            results = [error] * len(items)
        for (_, done), result in zip(items, results, strict=True):
            # Whoever asked may have gone meanwhile.
            if done.done():
                continue
            if isinstance(result, RedisError):
                # One exception raised in many tasks would gather all their tracebacks.
                done.set_exception(type(result)(*result.args))
            else:
                done.set_result(result)
