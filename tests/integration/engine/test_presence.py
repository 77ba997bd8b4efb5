"""Connections come and go by their numbers, and those that end without a word are noticed."""

from parlor.engine import scripts
from parlor.engine.host import Host
from parlor.gateway.presence import RENEW
from parlor.rules.catalog import GAMES
from parlor.serving.keys import shard_of
from parlor.serving.redis import Batch
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.wire.catalog import WIRE
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    Guest,
    Replica,
    feed,
    playing,
    replica,
    seated,
    version,
)
from tests.integration.engine.test_clocks import finished

SHARD_KIND = "doudizhu"


async def lease(engine: Replica, guest: Guest, connection: int, until_ms: int) -> None:
    """A lease as a gateway writes it."""
    shard = shard_of(guest.room_id)
    member = f"{guest.room_id}:{guest.name}"
    await engine.redis.hset(KEYS.connections(shard, SHARD_KIND), member, connection)
    await engine.redis.zadd(KEYS.presence(shard, SHARD_KIND), {member: until_ms})


async def test_an_older_connection_changes_nothing(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    await ann.online(7)
    await ann.online(6, online=False)
    assert (await bob.look()).seats[0].online
    await ann.online(7, online=False)
    assert not (await bob.look()).seats[0].online


async def test_a_new_connection_of_an_online_player_is_seen_by_nobody(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    entries = len(await feed(engine, ann.room_id))
    before = await version(engine, ann.room_id)
    await ann.online(9)
    assert len(await feed(engine, ann.room_id)) == entries
    # Kept all the same, or the end of the older one would put the player offline.
    assert await version(engine, ann.room_id) == before + 1


async def test_a_repeated_notice_is_no_commit(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    before = await version(engine, ann.room_id)
    await ann.online(1)
    assert await version(engine, ann.room_id) == before


async def test_a_lost_connection_is_told_to_the_rules(engine: Replica) -> None:
    ann, bob, _ = await playing(engine)
    await ann.online(1, online=False)
    view = await bob.look()
    assert (view.seats[0].online, view.doudizhu.table.online.seats[0]) == (False, False)
    await ann.online(2)
    assert (await bob.look()).doudizhu.table.online.seats[0]


async def test_seats_offline_at_the_deal_are_offline_in_the_game(engine: Replica) -> None:
    guests = await seated(engine, online=False)
    for guest in guests:
        await guest.accepted(ready=play_pb2.Ready(ready=True))
    view = await guests[0].look()
    assert view.status == room_pb2.ROOM_STATUS_PLAYING
    assert list(view.doudizhu.table.online.seats) == [False] * 3


async def test_a_lease_that_ran_out_puts_its_player_offline(
    engine: Replica, eventually: Eventually
) -> None:
    ann, bob, _ = await seated(engine)
    await lease(engine, ann, connection=1, until_ms=1)

    async def gone() -> bool:
        return not (await bob.look()).seats[0].online

    await eventually(gone)

    async def forgotten() -> bool:
        return not await engine.redis.keys("*presence*")

    await eventually(forgotten)


async def test_the_lease_of_an_older_connection_runs_out_without_effect(
    engine: Replica, eventually: Eventually
) -> None:
    ann, bob, _ = await seated(engine)
    await ann.online(5)
    await lease(engine, ann, connection=4, until_ms=1)

    async def forgotten() -> bool:
        return not await engine.redis.keys("*presence*")

    await eventually(forgotten)
    assert (await bob.look()).seats[0].online


async def test_a_lease_renewed_while_it_was_taken_for_lapsed_is_a_new_one(
    engine: Replica, batch: Batch
) -> None:
    # A sweep read it as lapsed, it was renewed, and the sweep has put the player offline all the same.
    ann, *_ = await seated(engine)
    shard, member = shard_of(ann.room_id), f"{ann.room_id}:{ann.name}"
    keys = [KEYS.presence(shard, SHARD_KIND), KEYS.connections(shard, SHARD_KIND)]
    assert await RENEW(batch, keys, [60_000, member, 2]) == [2]
    assert await RENEW(batch, keys, [60_000, member, 2]) == [1]
    assert await scripts.FORGET_LEASE(batch, keys, [member, 2]) == 0
    assert await engine.redis.zscore(keys[0], member)
    assert await RENEW(batch, keys, [60_000, member, 2]) == [2]


async def test_a_lease_that_a_newer_connection_took_up_is_not_forgotten(
    engine: Replica, batch: Batch
) -> None:
    ann, *_ = await seated(engine)
    await lease(engine, ann, connection=3, until_ms=2**52)
    shard, member = shard_of(ann.room_id), f"{ann.room_id}:{ann.name}"
    keys = [KEYS.presence(shard, SHARD_KIND), KEYS.connections(shard, SHARD_KIND)]
    assert await scripts.FORGET_LEASE(batch, keys, [member, 2]) == 0
    assert await RENEW(batch, keys, [60_000, member, 3]) == [1]


async def test_in_jinxian_a_game_ends_when_the_last_one_whom_its_vote_waits_for_goes_offline(
    redis_url: str, eventually: Eventually
) -> None:
    served = Host(game=GAMES["jinxian"], wire=WIRE["jinxian"])
    async with replica(redis_url, served=served) as engine:
        wanted = room_pb2.GameConfig(jinxian=JinxianConfig())
        room_id = await engine.open(config=wanted, matched=True)
        ann, *others = (Guest(name, room_id, engine) for name in ("ann", "bob", "cat", "dan"))
        for guest in (ann, *others):
            await guest.accepted(join=play_pb2.Join())
            await guest.online(1)
        for guest in (ann, *others):
            await guest.accepted(ready=play_pb2.Ready(ready=True))
        await ann.accepted(dissolve=play_pb2.Dissolve(agree=True))
        for guest in others:
            await guest.online(1, online=False)
        await eventually(lambda: finished(ann))
        assert (await ann.look()).result.reason == "DISSOLVED"
