"""A host who lacks players asks for bots, and they sit down as anybody does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from redis.asyncio import Redis

from parlor.bots.config import BotsConfig
from parlor.bots.replica import bind
from parlor.client import Client, Refused, Room
from parlor.serving import serving
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.play_pb2 import Command, Join
from parlor.v1.play_service_pb2 import ExecuteRequest
from parlor.v1.play_service_pb2_grpc import PlayServiceStub
from parlor.v1.room_pb2 import GameConfig, RoomOptions, RoomStatus
from tests.conftest import Eventually
from tests.integration.gateway.support import bearer, gateway
from tests.integration.play.support import deployment, played

CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))
SLOW = GameConfig(
    doudizhu=DouDizhuConfig(
        rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC, bid_limit=Duration(seconds=60)
    )
)
"""Nobody's answer is late, however slow the machine."""
PRIVATE = RoomOptions(private=True, spectators=True)


async def test_bots_fill_a_private_room_and_stay_for_as_long_as_people_do(redis_url: str) -> None:
    async with (
        deployment(redis_url) as urls,
        bots(redis_url, urls),
        Client(urls, guest="Ada") as ada,
        asyncio.timeout(300),
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
        async with asyncio.timeout(300):
            while not await app.redis.exists(Keys().bots_here()):
                await asyncio.sleep(0.01)
        yield


async def until(room: Room, holds: Callable[[], bool]) -> None:
    """Waits for a change after which it holds."""
    async for _ in room.changes():
        if holds():
            return


async def test_late_people_take_the_bots_seats_while_the_game_runs(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with (
        deployment(redis_url) as urls,
        bots(redis_url, urls),
        Client(urls, guest="Ada") as ada,
        Client(urls, guest="Bob", json=True) as bob,
        Client(urls, guest="Cyd") as cyd,
        asyncio.timeout(300),
    ):
        opened = await ada.open_room(SLOW, options=PRIVATE)
        room = await ada.watch(opened.room_id)
        await room.add_bots()
        await room.ready()
        await until(room, lambda: room.view.status == RoomStatus.ROOM_STATUS_PLAYING)
        programs = [seat.player for seat in room.view.seats if seat.bot]
        # One looks on first and takes the seat by the code; the other is a program by gRPC.
        theirs = await bob.watch(code=opened.code)
        assert theirs.seat is None
        await theirs.join(code=opened.code)
        async with (
            gateway(redis_url) as door,
            grpc.aio.insecure_channel(door.grpc_address) as channel,
        ):
            join = Join(link_token=opened.link_token)
            asked = ExecuteRequest(
                command=Command(request_id="1", room_id=opened.room_id, join=join)
            )
            said = await PlayServiceStub(channel).Execute(asked, metadata=bearer(cyd.token))
        assert said.answer.accepted.seat == 2
        names = ["Ada", "Bob", "Cyd"]
        await until(room, lambda: [seat.name for seat in room.view.seats] == names)
        assert not any(seat.bot for seat in room.view.seats)
        assert theirs.game_view.hands[1]
        assert not theirs.game_view.hands[2]

        async def are_dismissed() -> bool:
            places = [await Players(batch, Keys()).place(program) for program in programs]
            return not any(places)

        await eventually(are_dismissed)
        third = await cyd.watch(opened.room_id)
        assert third.seat == 2
        # All three play on to the end of the game, and then another one.
        async with asyncio.TaskGroup() as tasks:
            for each in (room, theirs, third):
                tasks.create_task(played(each, games=2))
        assert (room.counts.gaps, theirs.counts.mismatches, third.counts.mismatches) == (0, 0, 0)
