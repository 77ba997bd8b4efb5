"""The beginning and the end of tasks."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

_AGAIN_S: Final = 2.0
"""Longer than a task takes to clean up after itself."""


def begun(tasks: asyncio.TaskGroup, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T] | None":
    """The work as a task of the group; None where the group has ended, and nothing of it is done.

    A message or a call may still come when what it is for has just ended.
    """
    try:
        return tasks.create_task(work)
    except RuntimeError:
        work.close()
        return None


async def stop(*tasks: "asyncio.Task[Any]", again_s: float = _AGAIN_S) -> list[BaseException]:
    """Cancels tasks and waits until all have ended; gives what they raised.

    A cancellation can get lost. Before Python 3.12 `asyncio.wait_for`, through which redis-py writes,
    keeps one to itself that comes in the turn in which the write ends; then the task goes on, and whoever
    waits for its end would wait for ever. So a task that has not ended is cancelled again.
    """
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=again_s)
    return [error for task in tasks if not task.cancelled() and (error := task.exception())]
