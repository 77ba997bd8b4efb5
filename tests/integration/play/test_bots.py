"""Bots fill a lonely player's table, whatever is played there, and stay for as long as people do."""

import asyncio
from functools import partial

import pytest
from google.protobuf.duration_pb2 import Duration

from parlor.bots.config import BotsConfig
from parlor.bots.identity import identities
from parlor.bots.replica import bind
from parlor.client import Client, Refused
from parlor.serving import BadConfig, serving
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.conftest import Eventually
from tests.integration.play.support import deployment, played

CLASSIC = GameConfig(doudizhu=DouDizhuConfig(rule_set=DouDizhuRuleSet.DOU_DIZHU_RULE_SET_CLASSIC))


async def test_a_lonely_player_plays_with_bots_who_leave_when_nobody_is_left(
    redis_url: str, batch: Batch, eventually: Eventually
) -> None:
    async with deployment(redis_url, fill_after_ms=50) as urls:
        config = BotsConfig(redis_url=redis_url, urls=tuple(urls), think_ms=0)
        async with (
            serving("bots", config, bind),
            Client(urls, guest="Ada") as ada,
            asyncio.timeout(300),
        ):
            for _ in range(2):
                await ada.enqueue(CLASSIC)
                room = await ada.watch(await ada.assigned())
                await played(room, games=2)
                assert sorted(seat.bot for seat in room.view.seats) == [False, True, True]
                assert [game.mismatches for game in (room.counts,)] == [0]
                await room.leave()
                bots = [seat.player for seat in room.view.seats if seat.bot]
                await eventually(partial(_are_free, Players(batch, Keys()), bots))


async def _are_free(players: Players, names: list[str]) -> bool:
    return not any([await players.place(name) for name in names])


@pytest.mark.parametrize(
    "pool",
    [
        GameConfig(jinxian=JinxianConfig(fast=True, total_rounds=4)),
        # No pool that anybody has thought of before.
        GameConfig(planes=PlanesConfig(turn_limit=Duration(seconds=17))),
    ],
    ids=["jinxian", "planes"],
)
async def test_bots_play_in_every_pool_to_the_end(redis_url: str, pool: GameConfig) -> None:
    kind = pool.WhichOneof("game") or ""
    async with deployment(redis_url, kind=kind, fill_after_ms=50) as urls:
        config = BotsConfig(redis_url=redis_url, urls=tuple(urls), think_ms=0)
        async with (
            serving("bots", config, bind),
            Client(urls, guest="Ada") as ada,
            asyncio.timeout(300),
        ):
            await ada.enqueue(pool)
            room = await ada.watch(await ada.assigned())
            await played(room, games=1)
            assert room.view.result.game_no == 1
            await room.leave()


async def test_bots_may_sign_their_own_tokens_where_guests_are_not_taken(redis_url: str) -> None:
    secret = "value:" + "s3cret" * 6
    async with deployment(redis_url, token_keys=(f"bots=HS256:{secret}",)) as urls:
        token = await identities(urls, f"bots={secret}").token("Grace")
        async with Client(urls, token=token) as grace:
            opened = await grace.open_room(CLASSIC)
            (seat, *_) = (await grace.watch(opened.room_id)).view.seats
        assert (seat.name, seat.bot) == ("Grace", True)
        with pytest.raises(Refused):
            await identities(urls, "").token("Grace")


@pytest.mark.parametrize("key", ["nothing", "kid=value:short", "=value:" + "x" * 32, "kid=/none"])
def test_a_key_that_cannot_sign_is_refused_at_the_start(key: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_BOTS_TOKEN_KEY"):
        identities(["http://127.0.0.1:1"], key)
