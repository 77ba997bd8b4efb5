"""A room asks for bots: who may, when, how often, and what bots are then told."""

from typing import Any

from redis.asyncio import Redis

from parlor.serving.invitations import PAUSE_MS, Invitation, Invitations
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.play_pb2 import AddBots, Leave
from tests.integration.engine.support import Guest, Replica, playing, replica, seated

KEYS = Keys()


async def test_bots_who_are_free_are_told_of_every_free_seat_once(
    redis_url: str, redis: Redis, batch: Batch
) -> None:
    async with replica(redis_url) as engine:
        ann, *others = await seated(engine)
        for other in others:
            await other.accepted(leave=Leave())
        bots = Invitations(batch, KEYS)
        assert await bots.take(5) == []
        for _ in range(2):
            await ann.accepted(request_id="both", add_bots=AddBots())
        (token,) = {invitation.link_token for invitation in await bots.take(1)}
        assert token == (await ann.look()).link_token
        assert await bots.take(5) == [Invitation(ann.room_id, link_token=token)]
        assert await bots.take(5) == []
        await _refused_as_too_fast(ann, engine)
        assert await bots.take(5) == []


async def test_a_room_gets_no_more_bots_than_it_asks_for_or_has_seats(
    redis_url: str, redis: Redis, batch: Batch
) -> None:
    async with replica(redis_url) as engine:
        for count, expected in ((1, 1), (2, 2), (3, 2), (1_000, 2)):
            ann, *others = await seated(engine)
            for other in others:
                await other.accepted(leave=Leave())
            bots = Invitations(batch, KEYS)
            await bots.take(1)
            await ann.accepted(add_bots=AddBots(count=count))
            assert len(await bots.take(5)) == expected
            await ann.accepted(leave=Leave())


async def test_only_a_host_asks_for_a_free_seat_between_games(redis_url: str, redis: Redis) -> None:
    async with replica(redis_url) as engine:
        ann, bob, cat = await seated(engine)
        assert await ann.refused(add_bots=AddBots()) == "ROOM_FULL"
        await cat.accepted(leave=Leave())
        assert await ann.refused(add_bots=AddBots()) == "NO_BOTS"
        await redis.set(KEYS.bots_here(), "")
        assert await bob.refused(add_bots=AddBots()) == "NOT_HOST"
        assert await cat.refused(add_bots=AddBots()) == "NOT_SEATED"
        assert await ann.refused(add_bots=AddBots(count=-1)) == "MALFORMED"
        assert await redis.exists(KEYS.invitations()) == 0


async def test_nobody_is_invited_to_a_game_that_runs(redis_url: str, redis: Redis) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine)
        await redis.set(KEYS.bots_here(), "")
        assert await ann.refused(add_bots=AddBots()) == "WRONG_STATUS"


async def test_nobody_waits_for_bots_who_have_gone(
    redis_url: str, redis: Redis, batch: Batch
) -> None:
    async with replica(redis_url) as engine:
        ann, bob, _ = await seated(engine)
        await bob.accepted(leave=Leave())
        await Invitations(batch, KEYS).take(1)
        await ann.accepted(add_bots=AddBots())
        # Both go by themselves: nobody has to come and tidy up.
        assert await redis.pttl(KEYS.invitations()) > 0
        assert await redis.pttl(KEYS.bots_here()) > 0


async def _refused_as_too_fast(guest: Guest, engine: Replica) -> None:
    answer: Any = await guest.command(add_bots=AddBots())
    assert answer.refused.metadata["retry_after_ms"] == str(PAUSE_MS)
    assert 0 < await engine.redis.pttl(KEYS.invited(guest.room_id)) <= PAUSE_MS
