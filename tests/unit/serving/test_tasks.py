"""Tasks begin where they can, and end when they are stopped."""

import asyncio
import inspect

from parlor.serving.tasks import begun, stop


async def test_what_tasks_raised_is_given_and_what_was_cancelled_is_not() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    tasks = [asyncio.create_task(fail()), asyncio.create_task(asyncio.sleep(3_600))]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    (error,) = await stop(*tasks)
    assert isinstance(error, ValueError)
    assert tasks[1].cancelled()


async def test_a_task_that_loses_a_cancellation_is_cancelled_again() -> None:
    """A cluster's keeper asked for the slots for ever, and closing waited for it."""
    written = asyncio.get_running_loop().create_future()
    lost = []

    async def keep() -> None:
        try:
            await written
        except asyncio.CancelledError as error:
            lost.append(error)
        await asyncio.sleep(3_600)

    task = asyncio.create_task(keep())
    await asyncio.sleep(0)
    assert await stop(task, again_s=0.01) == []
    assert lost
    assert task.cancelled()


async def test_nothing_to_stop_is_stopped_at_once() -> None:
    assert await stop() == []


async def test_what_comes_after_the_end_of_its_group_is_not_begun() -> None:
    async def work() -> int:
        return 1

    async with asyncio.TaskGroup() as tasks:
        first = begun(tasks, work())
    assert first is not None
    assert first.result() == 1
    late = work()
    assert begun(tasks, late) is None
    # Not left to be complained of as never awaited.
    assert inspect.getcoroutinestate(late) == inspect.CORO_CLOSED
