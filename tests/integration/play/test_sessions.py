"""The client's session against real gateways: it comes back, resends, gives way, and finds opponents."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest

from parlor.bots.policies import POLICIES
from parlor.cli.doudizhu import DouDizhuTable
from parlor.cli.tally import EXPECTED
from parlor.client import Client, Refused, Room, SessionOver, login
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Plan, call_off, plan
from parlor.serving.redis import Batch
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import GoodbyeReason
from parlor.v1.room_pb2 import RoomOptions, RoomStatus
from tests.conftest import Eventually
from tests.integration.play.support import deployment

CONFIG = DouDizhuTable().config("standard")
OPEN = RoomOptions(spectators=True)
_TASTE = random.Random(5)


async def test_a_dropped_session_comes_back_on_the_other_gateway_without_a_gap(
    redis_url: str, eventually: Eventually
) -> None:
    async with (
        deployment(redis_url) as urls,
        Client(urls, guest="Ada") as ada,
        Client(urls, guest="Bob", json=True) as bob,
    ):
        opened = await ada.open_room(CONFIG, options=OPEN)
        room = await ada.watch(opened.room_id)
        seen = await bob.watch(code=opened.code)
        await seen.join()
        await eventually(lambda: room.view.seq == seen.view.seq)
        ada.drop()
        for ready in (True, False) * 4:
            await seen.ready(ready)
        await eventually(lambda: ada.connections == 2 and room.view.seq >= seen.view.seq)
        assert (room.counts.gaps, room.counts.duplicates, room.counts.views) == (0, 0, 1)


async def test_a_request_without_an_answer_is_sent_again_by_the_next_connection(
    redis_url: str,
) -> None:
    async with deployment(redis_url) as urls, Client(urls, guest="Ada") as ada:
        opened = await ada.open_room(CONFIG, options=OPEN)
        room = await ada.watch(opened.room_id)
        asked = [
            asyncio.create_task(room.ready(entropy=b"one", request_id=f"r{n}")) for n in (1, 2)
        ]
        await asyncio.sleep(0)
        ada.drop()
        first, second = await asyncio.gather(*asked)
        assert first == await room.ready(entropy=b"one", request_id="r1")
        assert second.seat == 0
        assert ada.connections == 2


async def test_the_same_request_id_with_other_content_is_refused(redis_url: str) -> None:
    async with deployment(redis_url) as urls, Client(urls, guest="Ada") as ada:
        opened = await ada.open_room(CONFIG, options=OPEN)
        room = await ada.watch(opened.room_id)
        await room.ready(entropy=b"one", request_id="r1")
        with pytest.raises(Refused) as refused:
            await room.ready(entropy=b"two", request_id="r1")
        assert refused.value.reason == ErrorReason.ERROR_REASON_REQUEST_ID_REUSED


async def test_a_replaced_session_ends_and_stays_away(redis_url: str) -> None:
    async with deployment(redis_url) as urls:
        guest = await login(urls[0], "Ada")
        async with Client(urls, token=guest.token) as older:
            opened = await older.open_room(CONFIG, options=OPEN)
            room = await older.watch(opened.room_id)
            async with Client(urls, token=guest.token) as newer:
                with pytest.raises(SessionOver) as over:
                    async for _ in room.changes():
                        pass
                replaced = GoodbyeReason.GOODBYE_REASON_REPLACED
                assert over.value.goodbye.reason == replaced
                with pytest.raises(SessionOver):
                    await room.leave()
                assert newer.welcome.room_id == opened.room_id


async def test_a_token_that_no_gateway_takes_ends_the_session_at_once(redis_url: str) -> None:
    async with deployment(redis_url) as urls:
        with pytest.raises(SessionOver) as over:
            async with Client(urls, token="not.a.token"):
                pass
        assert over.value.goodbye.refusal.reason == ErrorReason.ERROR_REASON_INVALID_TOKEN


async def test_a_room_that_does_not_exist_is_refused_and_the_next_one_is_not(
    redis_url: str,
) -> None:
    async with deployment(redis_url) as urls, Client(urls, guest="Ada") as ada:
        with pytest.raises(Refused) as refused:
            await ada.watch("s1-doudizhu-nothere")
        assert refused.value.name == "ROOM_NOT_FOUND"
        with pytest.raises(Refused) as refused:
            await ada.watch(code="000000")
        assert refused.value.name == "CODE_NOT_FOUND"
        opened = await ada.open_room(CONFIG, options=OPEN)
        assert (await ada.watch(code=opened.code)).seat == 0


async def test_a_private_room_is_joined_by_its_code_and_by_nothing_else(redis_url: str) -> None:
    async with (
        deployment(redis_url) as urls,
        Client(urls, guest="Ada") as ada,
        Client(urls, guest="Bob") as bob,
    ):
        opened = await ada.open_room(CONFIG, options=RoomOptions(private=True))
        with pytest.raises(Refused) as refused:
            await bob.watch(opened.room_id)
        assert refused.value.name == "NO_SPECTATORS"
        room = await bob.join(opened.code)
        assert room.seat == 1
        await room.leave()
        async with asyncio.timeout(300):
            async for _ in room.changes():
                pass
        assert opened.room_id not in bob.rooms


async def test_what_is_said_is_heard_by_the_others(redis_url: str, eventually: Eventually) -> None:
    async with (
        deployment(redis_url) as urls,
        Client(urls, guest="Ada") as ada,
        Client(urls, guest="Bob", json=True) as bob,
    ):
        opened = await ada.open_room(CONFIG, options=RoomOptions(private=True))
        room = await bob.join(opened.code)
        mine = await ada.watch(opened.room_id)
        await mine.say("你好")
        await eventually(lambda: [line.text for line in room.view.chat] == ["你好"])


async def test_three_guests_are_matched_and_play_a_game_to_its_end(redis_url: str) -> None:
    async with deployment(redis_url) as urls, AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(Client(urls, guest=name, json=name == "Cyd"))
            for name in ("Ada", "Bob", "Cyd")
        ]
        async with asyncio.timeout(300):
            rooms = await asyncio.gather(*(_matched(client) for client in clients))
            assert len({room.room_id for room in rooms}) == 1
            await asyncio.gather(*(_play(room) for room in rooms))
        assert {room.view.result.reason for room in rooms} == {"OUT"}
        assert [room.counts.mismatches for room in rooms] == [0, 0, 0]


async def test_a_ticket_is_given_back_and_another_taken(redis_url: str) -> None:
    async with deployment(redis_url) as urls, Client(urls, guest="Ada") as ada:
        for _ in range(2):
            await ada.enqueue(CONFIG)
            waiting = asyncio.create_task(ada.assigned())
            await ada.dequeue()
            assert await waiting == ""


async def _matched(client: Client) -> Room:
    await client.enqueue(CONFIG)
    return await client.watch(await client.assigned())


async def _play(room: Room) -> None:
    """Plays one game as bots do."""
    await room.ready()
    answered: set[int] = set()
    async for _ in room.changes():
        if room.view.status == RoomStatus.ROOM_STATUS_FINISHED:
            return
        if room.game_view is None:
            continue
        action = POLICIES["doudizhu"](room.game_view, _TASTE)
        if action is not None and action.decision not in answered:
            answered.add(action.decision)
            try:
                await room.act(action)
            except Refused as refused:
                # The clock was faster.
                if refused.name not in EXPECTED:
                    raise


async def test_a_planned_maintenance_is_known_and_forgotten(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    keys = Keys()
    async with deployment(redis_url) as urls, Client(urls, guest="Ada") as ada:
        assert ada.maintenance is None
        await plan(batch, keys, Plan(at_ms=1))
        await eventually(lambda: ada.maintenance is not None)

        async def is_refused() -> bool:
            try:
                await ada.open_room(CONFIG, options=OPEN, join=False)
            except Refused as refused:
                return refused.reason == ErrorReason.ERROR_REASON_MAINTENANCE
            return False

        await eventually(is_refused)
        ada.drop()
        await eventually(lambda: ada.connections == 2 and ada.maintenance is not None)
        await call_off(batch, keys)
        await eventually(lambda: ada.maintenance is None)
