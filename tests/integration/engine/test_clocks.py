"""Clocks take effect once, at their instant, however late they are noticed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from parlor.engine.clocks import MOST_PER_SHARD
from parlor.engine.host import RoomLimits
from parlor.engine.serve import UnsafeRedis
from parlor.engine.snapshot import encode
from parlor.serving import redis_server as servers
from parlor.serving.keys import shard_of
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    KIND,
    Guest,
    Replica,
    Unswept,
    host,
    playing,
    replica,
    seated,
    version,
)

QUICK = {"bid_limit": "0.050s", "play_limit": "0.050s", "autoplay_delay": "0.005s"}


async def log_times(engine: Replica, room_id: str) -> list[tuple[str, int]]:
    """What happened in the first game and when."""
    lines = await engine.redis.xrange(KEYS.log(room_id, 1))
    return [(fields[b"what"].decode(), int(fields[b"at"])) for _, fields in lines]


async def finished(guest: Guest) -> bool:
    return (await guest.look()).status == room_pb2.ROOM_STATUS_FINISHED


async def test_clocks_alone_play_a_game_to_its_end(engine: Replica, eventually: Eventually) -> None:
    ann, *_ = await playing(engine, **QUICK)
    await eventually(lambda: finished(ann))
    assert (await ann.look()).result.reason == "OUT"


async def test_a_clock_is_dated_at_its_instant_and_not_when_it_was_noticed(
    engine: Replica, eventually: Eventually
) -> None:
    ann, *_ = await playing(engine, bid_limit="0.100s")
    started = (await log_times(engine, ann.room_id))[0][1]
    await eventually(lambda: _bids(engine, ann.room_id, 2))
    times = await log_times(engine, ann.room_id)
    assert times[1:3] == [("clock", started + 100), ("clock", started + 200)]


async def _bids(engine: Replica, room_id: str, count: int) -> bool:
    return len(await log_times(engine, room_id)) > count


async def test_an_action_between_a_deadline_and_its_sweep_leaves_the_next_turn_its_full_time(
    unswept: Unswept, eventually: Eventually
) -> None:
    """Nothing wakes this room: the command that comes after the deadline is the first to see it."""
    room_id = await unswept.playing(bid_limit="0.700s")
    due, first = await unswept.asked(room_id)
    await eventually(lambda: unswept.clock.now() >= due + 5)
    late = await unswept.act(room_id, first, decision=1, bid=3)
    assert late.HasField("refused")
    next_due, second = await unswept.asked(room_id)
    assert (next_due, second) == (due + 700, (first + 1) % 3)
    on_time = await unswept.act(room_id, second, decision=1, bid=3)
    assert on_time.HasField("accepted")


async def test_hearing_of_an_expiration_twice_changes_nothing(engine: Replica) -> None:
    ann, *_ = await playing(engine)
    before = await version(engine, ann.room_id)
    channel = f"__keyspace@0__:{KEYS.timer(KIND, ann.room_id)}"
    for _ in range(3):
        await engine.redis.publish(channel, "expired")
    await ann.look()
    assert await version(engine, ann.room_id) == before


async def test_two_replicas_advance_a_clock_once(redis_url: str, eventually: Eventually) -> None:
    async with replica(redis_url) as one, replica(redis_url):
        ann, *_ = await playing(one, **QUICK)
        await eventually(lambda: finished(ann))
        lines = await one.redis.xrange(KEYS.log(ann.room_id, 1))
        versions = [int(entry.split(b"-")[0]) for entry, _ in lines]
        assert versions == sorted(set(versions))
        instants = [at for what, at in await log_times(one, ann.room_id) if what == "clock"]
        assert instants == sorted(set(instants))


async def test_clocks_go_on_while_the_subscriber_is_cut_off(
    engine: Replica, eventually: Eventually
) -> None:
    ann, *_ = await playing(engine, **QUICK)

    async def cut() -> None:
        while not await finished(ann):
            await engine.redis.client_kill_filter(_type="pubsub")
            await asyncio.sleep(0.02)

    await asyncio.wait_for(cut(), 60)


async def test_a_deadline_whose_room_is_gone_is_forgotten(
    engine: Replica, eventually: Eventually
) -> None:
    room_id = "s5-doudizhu-aaaaaaaa"
    key = KEYS.deadlines(shard_of(room_id), KIND)
    await engine.redis.zadd(key, {room_id: 1})

    async def forgotten() -> bool:
        return not await engine.redis.exists(key)

    await eventually(forgotten)


async def test_rooms_that_cannot_be_read_do_not_stand_before_the_others_of_their_shard(
    engine: Replica, eventually: Eventually
) -> None:
    """No timer of these expires, so that it is the sweep alone that gets to the last one."""
    unreadable = {f"s5-doudizhu-{number:08}": 1 for number in range(MOST_PER_SHARD + 20)}
    for room_id in unreadable:
        await engine.redis.hset(KEYS.room(room_id), "record", encode({"format": 99}))
    key, last = KEYS.deadlines(5, KIND), "s5-doudizhu-aaaaaaaa"
    await engine.redis.zadd(key, {**unreadable, last: 2})

    async def forgotten() -> bool:
        return await engine.redis.zscore(key, last) is None

    await eventually(forgotten)
    assert await engine.redis.zcard(key) == len(unreadable)


async def test_seats_not_ready_in_time_are_emptied(engine: Replica, eventually: Eventually) -> None:
    guests = await playing(engine, ready_limit="1s")
    for guest in guests:
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
    await guests[0].accepted(ready=play_pb2.Ready(ready=True))

    async def emptied() -> bool:
        return [s.player for s in (await guests[0].look()).seats] == ["ann", "", ""]

    await eventually(emptied)
    assert await guests[1].refused(ready=play_pb2.Ready(ready=True)) == "NOT_SEATED"


async def test_matched_players_who_do_not_come_lose_their_seats(
    redis_url: str, eventually: Eventually
) -> None:

    served = replace(host(), limits=RoomLimits(connect_ms=1_000))
    async with replica(redis_url, served=served) as engine:
        room_id = await engine.open(matched=True, players=[Player(player=p) for p in "abc"])
        a = Guest("a", room_id, engine)
        await a.accepted(ready=play_pb2.Ready(ready=True))

        async def emptied() -> bool:
            return [s.player for s in (await a.look()).seats] == ["a", "", ""]

        await eventually(emptied)


async def test_a_vote_that_is_not_answered_fails(redis_url: str, eventually: Eventually) -> None:

    async with replica(redis_url, served=replace(host(), limits=RoomLimits(vote_ms=50))) as engine:
        ann, *_ = await playing(engine)
        await ann.accepted(dissolve=play_pb2.Dissolve(agree=True))

        async def failed() -> bool:
            view = await ann.look()
            return not view.HasField("dissolve") and view.status == room_pb2.ROOM_STATUS_PLAYING

        await eventually(failed)


async def test_a_game_ends_when_the_last_one_whom_its_vote_waits_for_leaves(
    engine: Replica, eventually: Eventually
) -> None:
    ann, bob, cat = await playing(engine)
    for guest in (ann, bob):
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
    await cat.accepted(leave=play_pb2.Leave())
    await eventually(lambda: finished(ann))
    assert (await ann.look()).result.reason == "DISSOLVED"


async def test_an_unused_room_goes_with_all_its_keys(
    redis_url: str, eventually: Eventually
) -> None:
    # Without an archive: no log waits for one.
    served = replace(host(), limits=RoomLimits(finished_idle_ms=100))
    async with replica(redis_url, served=served, unarchived_ms=0) as engine:
        guests = await playing(engine)
        await guests[0].accepted(say=play_pb2.Say(text="hi"))
        for guest in guests:
            await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
        for guest in guests:
            await guest.online(1, online=False)

        async def gone() -> bool:
            left = await engine.redis.keys(f"*{guests[0].room_id}*")
            codes = await engine.redis.keys("code:*")
            return not left and not codes

        await eventually(gone)
        assert await guests[0].refused(join=play_pb2.Join()) == "ROOM_NOT_FOUND"
        # Nobody is held by a room that is gone.
        assert not [
            k for k in await engine.redis.keys("{u:*") if await engine.redis.hget(k, "place")
        ]


async def test_a_room_stays_as_long_as_somebody_is_connected(engine: Replica) -> None:
    guests = await seated(engine)
    room_id = guests[0].room_id
    deadlines = KEYS.deadlines(shard_of(room_id), KIND)
    for guest in guests:
        assert await engine.redis.zscore(deadlines, room_id) is None
        await guest.online(1, online=False)
    assert await engine.redis.zscore(deadlines, room_id)


@pytest.fixture
async def other_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """A server whose configuration a test may spoil."""
    server = servers.start(tmp_path_factory.mktemp("spoilt"), append_only=False)
    yield server.url
    server.stop()


async def test_an_engine_does_not_run_where_expirations_are_not_published(
    other_server: str,
) -> None:
    from redis.asyncio import Redis

    from parlor.engine.clocks import NoExpirations

    async with Redis.from_url(other_server) as redis:
        await redis.config_set("notify-keyspace-events", "")
    with pytest.raises((NoExpirations, ExceptionGroup)) as caught:
        async with replica(other_server):
            pass
    raised = caught.value
    while isinstance(raised, ExceptionGroup):
        raised = raised.exceptions[0]
    assert isinstance(raised, NoExpirations)
    assert "notify-keyspace-events" in str(raised)


async def test_an_engine_does_not_run_where_keys_may_be_evicted(other_server: str) -> None:
    from redis.asyncio import Redis

    async with Redis.from_url(other_server) as redis:
        await redis.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(UnsafeRedis, match="noeviction"):
        async with replica(other_server):
            pass
