"""Whole games over real sockets while the processes that carry them are killed."""

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.cli.tally import EXPECTED, Tally
from parlor.client import Client, Refused, Room
from parlor.everything import Everything, EverythingConfig
from parlor.serving.redis import connect
from parlor.v1.play_pb2 import Command, Join, Leave, RoomOpened
from parlor.v1.room_pb2 import RoomOptions, RoomStatus
from tests.conftest import Eventually
from tests.stalls import BrokenPromise

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAME = GAMES["doudizhu"]
PATIENCE_S = 60


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parlor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Everything]:
    """Two engines of each kind, two gateways, each a process of its own."""
    directory: Path = tmp_path_factory.mktemp("survival")
    config = EverythingConfig(port=0, engines=2, gateways=2, bots=0, directory=str(directory))
    async with Everything(config) as running:
        yield running


async def games(parlor: Everything, kind: str, *, count: int) -> Tally:
    """Games at as many tables at once, by players who live well."""
    game = GAMES[kind]
    setting = Setting(
        urls=[gateway.url for gateway in parlor.gateways],
        game=game,
        config=game.config(game.rule_sets[0]),
        habits=Habits(timeout_in=0, drop_in=0),
        say=lambda line: None,
    )
    return await play(setting, games=count, parallel=count, seed=7, limit_s=300)


@pytest.mark.parametrize(
    ("kind", "service"),
    [
        ("doudizhu", "engine"),
        ("jinxian", "engine"),
        ("planes", "engine"),
        ("doudizhu", "gateway"),
        ("doudizhu", "matchmaking"),
    ],
)
async def test_games_go_on_when_a_process_is_killed(
    parlor: Everything, eventually: Eventually, kind: str, service: str
) -> None:
    """Nothing acknowledged is lost or doubled, nothing leaks, and every game reaches its end."""
    await eventually(lambda: ready(parlor), timeout=PATIENCE_S)
    start = await committed(parlor)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(games(parlor, kind, count=4))
        for number in (1, 2):

            async def under_way(wanted: int = start + 20 * number) -> bool:
                return await committed(parlor) >= wanted

            await eventually(under_way, timeout=PATIENCE_S)
            only = kind if service == "engine" else ""
            # The one killed before may have been the only one.
            await eventually(lambda only=only: parlor.pids(service, only), timeout=PATIENCE_S)
            pids = parlor.pids(service, only)
            os.kill(random.Random(number).choice(pids), signal.SIGKILL)
    tally = running.result()
    if tally.lost or tally.duplicated or tally.leaks:
        raise BrokenPromise("\n".join(tally.lines()))
    assert tally.is_clean, "\n".join(tally.lines())
    assert tally.client.gaps == 0


async def ready(parlor: Everything) -> bool:
    """Whether every gateway takes connections: one that was killed before is back."""
    try:
        async with aiohttp.ClientSession() as http:
            for gateway in parlor.gateways:
                async with http.get(f"{gateway.url}/readyz") as response:
                    if response.status != 200:
                        return False
    except aiohttp.ClientError:
        return False
    return True


async def committed(parlor: Everything) -> int:
    """Log lines so far."""
    # As long as a busy disk takes: this Redis waits for it after every command.
    redis: Any = connect(parlor.redis_url, timeout_ms=1000 * PATIENCE_S)
    lines = 0
    async for key in redis.scan_iter("*:log:*"):
        lines += await redis.xlen(key)
    await redis.aclose()
    return lines


async def test_a_player_moves_to_another_gateway_mid_game_without_a_gap(
    parlor: Everything, eventually: Eventually
) -> None:
    await eventually(lambda: ready(parlor), timeout=PATIENCE_S)
    here, there = (gateway.url for gateway in parlor.gateways)
    chance = random.Random(3)
    async with (
        # After each break it goes to the other one.
        Client([here, there], guest="Ann", chance=chance) as ann,
        Client([here], guest="Bob", chance=chance) as bob,
        Client([there], guest="Cat", chance=chance) as cat,
    ):
        opened = await ann.open_room(GAME.config("standard"), options=RoomOptions(spectators=True))
        rooms = [await ann.watch(opened.room_id)]
        for client in (bob, cat):
            room = await client.watch(code=opened.code)
            await room.join(code=opened.code)
            rooms.append(room)
        for room in rooms:
            await room.ready(entropy=b"x")
        moves = asyncio.create_task(moving(ann, rooms[0]))
        async with asyncio.timeout(2 * PATIENCE_S), asyncio.TaskGroup() as tasks:
            for room in rooms:
                tasks.create_task(to_the_end(room, chance))
        assert await moves == 3
        for room in rooms:
            assert (room.counts.gaps, room.counts.duplicates, room.counts.rewound) == (0, 0, 0)
        assert ann.connections == 4
        # What was missed came as entries: a view was needed once, at the start of each seat.
        assert rooms[0].counts.views == 1


async def test_a_bots_seat_has_one_new_owner_though_engines_are_killed_meanwhile(
    parlor: Everything, eventually: Eventually
) -> None:
    await eventually(lambda: ready(parlor), timeout=PATIENCE_S)
    urls = [gateway.url for gateway in parlor.gateways]
    async with (
        Client(urls, guest="Ann") as ann,
        Client(urls, guest="Bot", bot=True) as bot,
        Client(urls, guest="Bot", bot=True) as other,
        Client(urls, guest="Dan") as dan,
        Client(urls, guest="Eve") as eve,
        asyncio.timeout(5 * PATIENCE_S),
    ):
        for killed in ("before they ask", "when they have asked", "when one is answered"):
            opened = await ann.open_room(GAME.config("standard"), options=RoomOptions())
            rooms = [await ann.watch(opened.room_id)]
            rooms += [await sat_down(each, opened) for each in (bot, other)]
            for room in rooms:
                await room.ready()
            async for _ in rooms[0].changes():
                if rooms[0].view.status == RoomStatus.ROOM_STATUS_PLAYING:
                    break
            reaching = [asyncio.create_task(reach(each, opened.room_id)) for each in (dan, eve)]
            if killed == "when they have asked":
                await asyncio.sleep(0)
            elif killed == "when one is answered":
                await asyncio.wait(reaching, return_when=asyncio.FIRST_COMPLETED)
            for pid in parlor.pids("engine", "doudizhu"):
                os.kill(pid, signal.SIGKILL)
            has = await asyncio.gather(*reaching)
            assert sorted(has) == [False, True]
            winner, loser = (dan, eve) if has[0] else (eve, dan)
            seats = [ann.player, winner.player, other.player]
            async for _ in rooms[0].changes():
                if [seat.player for seat in rooms[0].view.seats] == seats:
                    break
            # Who has lost the race is free, and who has won it is not.
            free = await loser.open_room(GAME.config("standard"))
            with pytest.raises(Refused, match="PLAYER_BUSY"):
                await winner.open_room(GAME.config("standard"))
            await loser.command(Command(room_id=free.room_id, leave=Leave()))
            for each in (ann, winner, other):
                await each.command(Command(room_id=opened.room_id, leave=Leave()))


async def sat_down(client: Client, opened: RoomOpened) -> Room:
    """The room, with a seat in it.

    Who was replaced stays busy for some seconds where the engine died that had to free it.
    """
    while True:
        try:
            return await client.join_by_link(opened.room_id, opened.link_token)
        except Refused as refused:
            if refused.name != "PLAYER_BUSY":
                raise
            await asyncio.sleep(0.05)


async def reach(client: Client, room_id: str) -> bool:
    """Whether the client gets the seat that it reaches for."""
    command = Command(request_id="reach", room_id=room_id, join=Join(seat=1))
    while True:
        try:
            await client.command(command)
        except Refused as refused:
            if refused.name != "SEAT_TAKEN":
                raise
            return False
        except TimeoutError:
            # It takes long until an engine is there again; the same request may be sent again.
            continue
        return True


async def moving(client: Client, room: Room) -> int:
    """Breaks the client's connection three times while its game runs; how often it did."""
    moves = 0
    async for _ in room.changes():
        if room.view.status == RoomStatus.ROOM_STATUS_FINISHED or moves == 3:
            break
        # Soon enough: few games end in twenty steps.
        if room.game_view is not None and room.view.seq >= 5 * (moves + 2):
            moves += 1
            client.drop()
    return moves


async def to_the_end(room: Room, chance: random.Random) -> None:
    """Plays one game."""
    answered = 0
    async for _ in room.changes():
        if room.view.status == RoomStatus.ROOM_STATUS_FINISHED:
            return
        if room.game_view is None:
            continue
        decision = GAME.decision(room.game_view)
        if decision > answered:
            answered = decision
            try:
                await room.act(GAME.choose(room.game_view, chance))
            except Refused as refused:
                # The clock was faster.
                if refused.name not in EXPECTED:
                    raise
