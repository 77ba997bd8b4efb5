"""What an ended game leaves for the archive, and for how long."""

from dataclasses import replace

import pytest

from parlor.engine.host import RoomLimits
from parlor.serving.keys import shard_of
from parlor.v1 import play_pb2
from parlor.v1.finished_pb2 import FinishedGame
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS, Guest, Replica, host, playing, replica

BRIEF = RoomLimits(finished_idle_ms=100)


async def dissolve(guests: list[Guest]) -> None:
    for guest in guests:
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))


async def told(engine: Replica, room_id: str) -> list[FinishedGame]:
    """What the stream of the room's shard has."""
    entries = await engine.redis.xrange(KEYS.finished(shard_of(room_id)))
    return [FinishedGame.FromString(fields[b"game"]) for _, fields in entries]


async def test_the_step_that_ends_a_game_tells_of_it(engine: Replica) -> None:
    guests = await playing(engine)
    room_id = guests[0].room_id
    assert await told(engine, room_id) == []
    for number in (1, 2):
        await dissolve(guests)
        game = (await told(engine, room_id))[-1]
        view = await guests[0].look()
        assert (game.room_id, game.game_no, game.result) == (room_id, number, view.result)
        assert (game.config, game.ladder) == (view.config, "doudizhu-standard")
        assert [seat.player for seat in game.seats] == ["ann", "bob", "cat"]
        for guest in guests:
            await guest.accepted(ready=play_pb2.Ready(ready=True))
    assert len(await told(engine, room_id)) == 2


async def test_a_repeat_of_the_last_request_tells_nothing_more(engine: Replica) -> None:
    guests = await playing(engine)
    await dissolve(guests[:2])
    for _ in range(2):
        await guests[2].accepted(request_id="last", dissolve=play_pb2.Dissolve(agree=True))
    assert len(await told(engine, guests[0].room_id)) == 1


async def test_who_waited_too_long_for_an_archive_is_forgotten(engine: Replica) -> None:
    guests = await playing(engine)
    stream = KEYS.finished(shard_of(guests[0].room_id))
    # Trimming drops whole nodes of a stream, and one has a hundred entries.
    for _ in range(150):
        await engine.redis.xadd(stream, {"game": b"old", "token": b""}, id="1-*")
    await dissolve(guests)
    assert await engine.redis.xlen(stream) < 100
    newest = (await engine.redis.xrevrange(stream, count=1))[0][1]
    assert FinishedGame.FromString(newest[b"game"]).room_id == guests[0].room_id


@pytest.mark.parametrize("is_archived", [True, False])
async def test_a_log_outlives_its_room_until_it_is_archived(
    redis_url: str, eventually: Eventually, is_archived: bool
) -> None:
    served = replace(host(), limits=BRIEF)
    async with replica(redis_url, served=served, unarchived_ms=60_000) as engine:
        guests = await playing(engine)
        log = KEYS.log(guests[0].room_id, 1)
        await dissolve(guests)
        assert await engine.redis.pttl(log) == -1
        if is_archived:
            await engine.redis.pexpire(log, 50_000)
        for guest in guests:
            await guest.online(1, online=False)

        async def closed() -> bool:
            return not await engine.redis.exists(KEYS.room(guests[0].room_id))

        await eventually(closed)
        await eventually(lambda: _expires(engine, log))
        left = await engine.redis.pttl(log)
        assert left <= 50_000 if is_archived else left > 50_000


async def test_without_an_archive_nothing_waits_for_one(redis_url: str) -> None:
    async with replica(redis_url, unarchived_ms=0) as engine:
        guests = await playing(engine)
        await dissolve(guests)
        assert await told(engine, guests[0].room_id) == []


async def _expires(engine: Replica, log: str) -> bool:
    return int(await engine.redis.pttl(log)) > 0
