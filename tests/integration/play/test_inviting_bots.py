"""A host who lacks players asks for bots, and they sit down as anybody does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from parlor.bots.config import BotsConfig
from parlor.bots.replica import bind
from parlor.client import Client, Refused, Room
from parlor.serving import serving
from parlor.serving.keys import Keys
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.room_pb2 import GameConfig, RoomOptions
from tests.integration.play.support import deployment, played

CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))
PRIVATE = RoomOptions(private=True, spectators=True)


async def test_bots_fill_a_private_room_and_stay_for_as_long_as_people_do(redis_url: str) -> None:
    async with (
        deployment(redis_url) as urls,
        bots(redis_url, urls),
        Client(urls, guest="Ada") as ada,
        asyncio.timeout(60),
    ):
        opened = await ada.open_room(CLASSIC, options=PRIVATE)
        room = await ada.watch(opened.room_id)
        await room.add_bots()
        await played(room, games=3)
        assert [seat.bot for seat in room.view.seats] == [False, True, True]
        with pytest.raises(Refused, match="ROOM_FULL"):
            await room.add_bots()
        await room.leave()
        await until(room, lambda: not any(seat.player for seat in room.view.seats))


@asynccontextmanager
async def bots(redis_url: str, urls: list[str]) -> AsyncIterator[None]:
    """A process of bots, who are free once the context is entered."""
    config = BotsConfig(redis_url=redis_url, urls=tuple(urls), think_ms=0, processes=0)
    async with serving("bots", config, bind) as app:
        assert isinstance(app.redis, Redis)
        async with asyncio.timeout(30):
            while not await app.redis.exists(Keys().bots_here()):
                await asyncio.sleep(0.01)
        yield


async def until(room: Room, holds: Callable[[], bool]) -> None:
    """Waits for a change after which it holds."""
    async for _ in room.changes():
        if holds():
            return
