"""A guest's first step: any gateway will do, and one that is away for a moment is no reason to give up."""

import asyncio
import random
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from parlor.client import Client, Refused
from parlor.client.login import login_at_any
from parlor.serving.ports import free_port
from parlor.v1.error_reason_pb2 import ErrorReason


class Door:
    """The login of a gateway: refuses with each of `refusals` first, then gives tokens."""

    def __init__(self, *refusals: str) -> None:
        self.port = free_port()
        self.asked = 0
        self._refusals = list(refusals)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def open(self) -> None:
        app = web.Application()
        app.router.add_post("/login", self._login)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _login(self, request: web.Request) -> web.Response:
        self.asked += 1
        if self._refusals:
            reason = f"ERROR_REASON_{self._refusals.pop(0)}"
            return web.json_response({"reason": reason}, status=429)
        name = (await request.json())["name"]
        return web.json_response({"token": f"token of {name}", "player": name})


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """One that is closed so far."""
    door = Door()
    yield door
    await door.close()


class Pauses(random.Random):
    """Chance that notes that it was asked how long to pause."""

    def __init__(self) -> None:
        super().__init__(1)
        self.begun = asyncio.Event()

    def uniform(self, a: float, b: float) -> float:
        self.begun.set()
        return super().uniform(a, b)


async def entered(
    *doors: Door, chance: random.Random | None = None, within_s: float = 60.0
) -> tuple[int, str]:
    urls = [door.url for door in doors]
    chance = chance or random.Random(1)
    index, guest = await login_at_any(urls, "Ada", chance=chance, within_s=within_s)
    return index, guest.token


async def test_where_one_gateway_is_away_the_next_is_asked(door: Door) -> None:
    await door.open()
    assert await entered(Door(), Door(), door) == (2, "token of Ada")


async def test_gateways_that_are_all_away_are_asked_again(door: Door) -> None:
    pauses = Pauses()
    entering = asyncio.create_task(entered(door, chance=pauses))
    await pauses.begun.wait()
    await door.open()
    assert await entering == (0, "token of Ada")


async def test_gateways_that_stay_away_are_given_up(door: Door) -> None:
    with pytest.raises(aiohttp.ClientError):
        await entered(door, within_s=0.2)


async def test_a_client_whose_first_gateway_is_away_logs_in_at_the_other(door: Door) -> None:
    await door.open()
    for seed in range(3):
        client = Client([Door().url, door.url], guest="Ada", chance=random.Random(seed))
        assert await client._log_in() == "token of Ada"
    assert door.asked == 3


async def test_a_refusal_that_may_pass_is_waited_for_and_no_other() -> None:
    crowded, closed = Door("TOO_FAST", "OVERLOADED"), Door("INVALID_TOKEN")
    try:
        await crowded.open()
        await closed.open()
        assert await entered(crowded) == (0, "token of Ada")
        with pytest.raises(Refused) as refused:
            await entered(closed)
        assert refused.value.reason == ErrorReason.ERROR_REASON_INVALID_TOKEN
        assert (crowded.asked, closed.asked) == (3, 1)
    finally:
        await crowded.close()
        await closed.close()
