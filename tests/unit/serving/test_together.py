"""What is asked for in one turn of the event loop is carried out together."""

import asyncio
from collections.abc import Sequence

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from parlor.serving.together import Together


class Doubling:
    """Doubles numbers, and remembers which came together; there is no 13, and no key `away`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[int]]] = []

    async def __call__(self, key: str, numbers: Sequence[int]) -> "list[int | RedisError]":
        self.calls.append((key, list(numbers)))
        if key == "away":
            raise RedisConnectionError("gone")
        return [RedisError("no such number") if n == 13 else 2 * n for n in numbers]


async def test_those_of_one_key_and_one_turn_go_together_and_no_more_than_fit() -> None:
    work = Doubling()
    doubled = Together(work, most=2)
    asked = [("a", 1), ("b", 2), ("a", 3), ("a", 4)]
    assert await asyncio.gather(*(doubled(key, n) for key, n in asked)) == [2, 4, 6, 8]
    assert sorted(work.calls) == [("a", [1, 3]), ("a", [4]), ("b", [2])]
    assert await doubled("a", 5) == 10
    assert work.calls[-1] == ("a", [5])


async def test_each_has_its_own_end() -> None:
    work = Doubling()
    doubled = Together(work, most=9)
    good, bad, *lost = await asyncio.gather(
        doubled("a", 1),
        doubled("a", 13),
        doubled("away", 1),
        doubled("away", 2),
        return_exceptions=True,
    )
    assert good == 2
    assert str(bad) == "no such number"
    assert [type(each) for each in lost] == [RedisConnectionError] * 2
    assert lost[0] is not lost[1]


async def test_who_has_gone_keeps_nobody_from_an_answer() -> None:
    doubled = Together(Doubling(), most=9)
    gone, stays = (asyncio.create_task(doubled("a", n)) for n in (1, 2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays == 4
    with pytest.raises(asyncio.CancelledError):
        await gone
