"""Tasks end when they are stopped."""

import asyncio

from parlor.serving.tasks import stop


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
