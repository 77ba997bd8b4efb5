"""Bots fill a lonely player's table, stay for a rematch, and are replaced."""

import asyncio

import pytest

from parlor.bots.config import BotsConfig
from parlor.bots.identity import identities
from parlor.bots.policies import pool_named
from parlor.bots.replica import bind
from parlor.client import Client, Refused
from parlor.serving import BadConfig, serving
from tests.integration.play.support import deployment, played

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
                await played(room, games=2)
                assert [game.mismatches for game in (room.counts,)] == [0]
                async for _ in room.changes():
                    if not any(seat.bot for seat in room.view.seats):
                        break
                await room.leave()


@pytest.mark.parametrize("pool", ["jinxian:fast", "planes:all_cells"])
async def test_bots_play_the_other_games_to_their_end(redis_url: str, pool: str) -> None:
    kind = pool.partition(":")[0]
    async with deployment(redis_url, kind=kind, fill_after_ms=50) as urls:
        config = BotsConfig(
            redis_url=redis_url, urls=tuple(urls), pools=(pool,), idle=3, think_ms=0
        )
        async with (
            serving("bots", config, bind),
            Client(urls, guest="Ada") as ada,
            asyncio.timeout(60),
        ):
            await ada.enqueue(pool_named(pool))
            room = await ada.watch(await ada.assigned())
            await played(room, games=1)
            assert room.view.result.game_no == 1
            await room.leave()


async def test_bots_may_sign_their_own_tokens_where_guests_are_not_taken(redis_url: str) -> None:
    secret = "value:" + "s3cret" * 6
    async with deployment(redis_url, token_keys=(f"bots=HS256:{secret}",)) as urls:
        token = await identities(urls, f"bots={secret}").token("Grace")
        async with Client(urls, token=token) as grace:
            opened = await grace.open_room(pool_named(POOL))
            (seat, *_) = (await grace.watch(opened.room_id)).view.seats
        assert (seat.name, seat.bot) == ("Grace", True)
        with pytest.raises(Refused):
            await identities(urls, "").token("Grace")


@pytest.mark.parametrize("key", ["nothing", "kid=value:short", "=value:" + "x" * 32, "kid=/none"])
def test_a_key_that_cannot_sign_is_refused_at_the_start(key: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_BOTS_TOKEN_KEY"):
        identities(["http://127.0.0.1:1"], key)
