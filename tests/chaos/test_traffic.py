"""A table ends when all have seen the end, and its log is read however it ends."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from tests.chaos.history import Readied, Sent, Told
from tests.chaos.traffic import Traffic
from tests.integration.gateway.support import engine, gateway

PATIENCE_S = 60.0


class Reading:
    """Takes as long as it is held."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.read: list[str] = []

    async def collect(self, room_id: str, _games: int) -> None:
        self.begun.set()
        await self.may_end.wait()
        self.read.append(room_id)


@pytest.fixture
def reading() -> Reading:
    return Reading()


@pytest_asyncio.fixture
async def traffic(redis_url: str, reading: Reading) -> AsyncIterator[Traffic]:
    async with engine(redis_url), gateway(redis_url) as door:
        url = f"http://{door.http_address}"
        yield Traffic(urls=[url], chance=random.Random(5), collect=reading.collect)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            # Looks in each round of the loop: what is waited for may soon be over.
            await asyncio.sleep(0)


def is_under_way(traffic: Traffic) -> bool:
    """Whether somebody has moved, and the spectator has seen something happen."""
    happened = [item for each in traffic.listeners for item in each.history.happened]
    spectator = traffic.listeners[-1].history
    assert spectator.spectates
    return any(isinstance(item, Sent) for item in happened) and len(spectator.happened) > 1


async def ended(task: "asyncio.Task[None]", reading: Reading, *, times: int) -> None:
    """Cancels the table, so often in all, and more than once only while its log is read."""
    task.cancel()
    await until(reading.begun.is_set)
    for _ in range(times - 1):
        task.cancel()
        await asyncio.wait([task], timeout=0.05)
    assert not task.done()
    reading.may_end.set()
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.wait([task])
    assert task.cancelled()


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_table_that_is_cancelled_while_it_plays(
    traffic: Traffic, reading: Reading, times: int
) -> None:
    task = asyncio.create_task(traffic.table(0, "doudizhu", matched=False).run())
    await until(lambda: is_under_way(traffic))
    await ended(task, reading, times=times)
    assert reading.read == [stay.room_id for stay in traffic.stays]
    assert not traffic.stays[0].finished


async def test_what_players_are_told_of_their_seats_is_in_their_histories(
    traffic: Traffic, reading: Reading
) -> None:
    """Else the checker would have nothing to compare with the game's start."""
    task = asyncio.create_task(traffic.table(0, "doudizhu", matched=False).run())
    await until(lambda: is_under_way(traffic))
    *players, _ = (each.history.happened for each in traffic.listeners)
    for seat, happened in enumerate(players):
        (readied, *_) = (item for item in happened if isinstance(item, Readied))
        assert (readied.game_no, readied.seat) == (1, seat)
        told = [item for item in happened if isinstance(item, Told) and item.accepted]
        assert (readied.room_id, seat) in [(item.room_id, item.seat) for item in told]
        assert readied.request_id in [item.request_id for item in told]
    await ended(task, reading, times=1)


async def test_a_table_that_is_cancelled_while_its_players_leave(
    traffic: Traffic, reading: Reading
) -> None:
    table = traffic.table(0, "doudizhu", matched=False)
    task = asyncio.create_task(table.run())
    await until(table.is_open.is_set)
    traffic.stopping.set()
    await until(lambda: traffic.stays)
    await ended(task, reading, times=2)
    assert reading.read == [stay.room_id for stay in traffic.stays]
    assert traffic.stays[0].finished


async def test_a_table_waits_for_its_spectator_to_see_the_end(
    traffic: Traffic, reading: Reading
) -> None:
    """So that one who is shown no more is found: the table is stuck."""
    table = traffic.table(0, "doudizhu", matched=False)
    task = asyncio.create_task(table.run())
    await until(table.is_open.is_set)
    *_, spectator = traffic.listeners
    spectator.client.drop(away_ms=1_500)
    traffic.stopping.set()
    await until(lambda: traffic.stays)
    assert spectator.history.spectates
    assert spectator.history.happened
    await ended(task, reading, times=1)
