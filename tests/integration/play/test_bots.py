"""Bots fill a lonely player's table, stay for a rematch, and are replaced."""

import asyncio
import random

from parlor.bots.config import BotsConfig
from parlor.bots.policies import POLICIES, pool_named
from parlor.bots.replica import bind
from parlor.client import Client, Room
from parlor.serving import serving
from parlor.v1.room_pb2 import RoomStatus
from tests.integration.play.support import deployment

POOL = "doudizhu:classic"


async def test_a_lonely_player_plays_two_games_with_bots_who_then_leave(redis_url: str) -> None:
    async with deployment(redis_url, fill_after_ms=50) as urls:
        config = BotsConfig(
            redis_url=redis_url, urls=tuple(urls), pools=(POOL,), idle=2, think_ms=0
        )
        async with (
            serving("bots", config, bind),
            Client(urls, guest="Ada") as ada,
            asyncio.timeout(60),
        ):
            for _ in range(2):
                # The second time other bots wait already.
                await ada.enqueue(pool_named(POOL))
                room = await ada.watch(await ada.assigned())
                assert [seat.bot for seat in room.view.seats] == [False, True, True]
                await _play(room, games=2)
                assert [game.mismatches for game in (room.counts,)] == [0]
                async for _ in room.changes():
                    if not any(seat.bot for seat in room.view.seats):
                        break
                await room.leave()


async def _play(room: Room, games: int) -> None:
    """Plays as the bots do."""
    answered: set[tuple[int, int]] = set()
    ready_for = 0
    async for _ in room.changes():
        game_no = room.view.game_no
        if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
            action = POLICIES["doudizhu"](room.game_view, random.Random(game_no))
            if action is not None and (game_no, action.decision) not in answered:
                answered.add((game_no, action.decision))
                await room.act(action)
        elif game_no == games:
            return
        elif ready_for <= game_no:
            ready_for = game_no + 1
            await room.ready()
