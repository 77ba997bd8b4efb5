"""Commands, messages and expirations of a Redis Cluster, while its slots and primaries change."""

import asyncio
from functools import partial
from itertools import chain

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from parlor.serving.cluster import Cluster
from parlor.serving.config import BadConfig
from parlor.serving.keys import Keys
from parlor.serving.players import FORGET_S, Players
from parlor.serving.redis import (
    Batch,
    Script,
    answers,
    connect,
    is_away,
    open_replication,
    open_subscriber,
    reach,
)
from parlor.serving.redis_server import RedisServer
from parlor.serving.slots import slot_of
from tests.conftest import Eventually
from tests.integration.redis_forms.cluster import (
    RunningCluster,
    SlotMove,
    ask,
    until,
)

SHARDS = range(64)


def elsewhere(servers: RunningCluster, key: str) -> RedisServer:
    """A primary that does not have the key."""
    here = servers.primary_of(key)
    return next(server for server in servers.primaries() if server is not here)


async def test_every_key_is_found_where_it_was_put(batch: Batch) -> None:
    keys = [f"{{s{shard}}}:k" for shard in SHARDS]
    await asyncio.gather(*(batch.call("SET", key, key) for key in keys))
    assert await asyncio.gather(*(batch.call("GET", key) for key in keys)) == [
        key.encode() for key in keys
    ]


async def test_a_script_runs_on_every_server_whether_it_knows_it_or_not(batch: Batch) -> None:
    script = Script("return redis.call('INCR', KEYS[1])")
    for expected in (1, 2):
        counts = await asyncio.gather(*(script(batch, [f"{{s{shard}}}:n"]) for shard in SHARDS))
        assert counts == [expected] * len(SHARDS)


async def test_groups_are_of_one_slot_or_of_one_server(
    servers: RunningCluster, batch: Batch
) -> None:
    def key(shard: int) -> str:
        return f"{{s{shard}}}:k"

    assert batch.by_slot(SHARDS, key) == [[shard] for shard in SHARDS]
    by_server = batch.by_server(SHARDS, key)
    assert len(by_server) == len(servers.primaries()) == 3
    assert sorted(chain.from_iterable(by_server)) == list(SHARDS)
    for shards in by_server:
        assert len({servers.primary_of(key(shard)).port for shard in shards}) == 1


async def test_a_slot_that_moves_takes_its_commands_along_and_each_is_carried_out_once(
    servers: RunningCluster, batch: Batch, eventually: Eventually
) -> None:
    """Commands come without a pause while keys are here, there, and on their way."""
    key, others = "{s7}:n", [f"{{s7}}:k{number}" for number in range(300)]
    await asyncio.gather(*(batch.call("SET", other, "") for other in others))
    stopping = asyncio.Event()
    accepted = 0

    async def count() -> None:
        nonlocal accepted
        while not stopping.is_set():
            await batch.call("INCR", key)
            accepted += 1

    counting = asyncio.create_task(count())
    for _ in range(2):
        move = SlotMove(servers, slot_of(key), elsewhere(servers, key))
        for step in (
            move.begin,
            partial(move.take_keys, 100),
            partial(move.take_keys, 300),
            move.end,
        ):
            await asyncio.to_thread(step)
            before = accepted
            await eventually(lambda before=before: accepted > before + 5)
    stopping.set()
    await counting
    assert int(await batch.call("GET", key)) == accepted


async def test_a_script_whose_keys_are_in_two_places_waits_for_the_last_one(
    servers: RunningCluster, batch: Batch
) -> None:
    both = Script("return redis.call('INCR', KEYS[1]) + redis.call('INCR', KEYS[2])")
    keys = ["{s9}:a", "{s9}:b"]
    await both(batch, keys)
    move = SlotMove(servers, slot_of(keys[0]), elsewhere(servers, keys[0]))
    move.begin()
    move.take_keys(1)
    waiting = asyncio.ensure_future(both(batch, keys))
    done, _ = await asyncio.wait([waiting], timeout=0.1)
    assert not done
    await asyncio.to_thread(move.take_keys)
    await asyncio.to_thread(move.end)
    (count,) = await answers([waiting])
    if isinstance(count, RedisError):
        # On a busy machine that took longer than it waits.
        assert is_away(count)
        count = await both(batch, keys)
    assert count == 4


async def test_a_slot_that_stays_on_its_way_is_said_to_be_away(
    servers: RunningCluster, batch: Batch
) -> None:
    keys = ["{s9}:a", "{s9}:b"]
    await asyncio.gather(*(batch.call("SET", key, "") for key in keys))
    move = SlotMove(servers, slot_of(keys[0]), elsewhere(servers, keys[0]))
    move.begin()
    move.take_keys(1)
    try:
        with pytest.raises(RedisError) as refused:
            await Script("return redis.call('MGET', KEYS[1], KEYS[2])")(batch, keys)
        assert is_away(refused.value)
    finally:
        move.take_keys()
        move.end()


async def test_a_place_is_freed_also_while_its_slot_moves(
    servers: RunningCluster, batch: Batch
) -> None:
    """A script that deletes a key may not touch it again on a server that gives the slot away."""
    players, key = Players(batch, Keys()), Keys().player("ann")
    await players.take("ann", "room:x")
    move = SlotMove(servers, slot_of(key), elsewhere(servers, key))
    move.begin()
    assert await players.free("ann", "room:x")
    move.end()
    assert await players.place("ann") == ""
    await players.take("ann", "room:y")
    await players.connect("ann")
    await players.free("ann", "room:y")
    assert 0 < await batch.call("TTL", key) <= FORGET_S


async def test_messages_go_to_the_servers_of_one_slot_only(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    heard: list[bytes] = []
    channel = "{s3}:live:x"
    async with open_subscriber(redis_cluster) as subscriber:
        await subscriber.subscribe(channel, lambda _, data: heard.append(data))
        assert await batch.call("SPUBLISH", channel, "hello") == 1
        await eventually(lambda: heard == [b"hello"])
        for server in servers.primaries():
            is_there = server is servers.primary_of(channel)
            assert ask(server.port, "PUBSUB", "SHARDCHANNELS") == [channel.encode()] * is_there
            assert ask(server.port, "PUBSUB", "CHANNELS") == []


async def test_expirations_are_heard_from_every_primary(
    redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    heard: set[bytes] = set()
    async with open_subscriber(redis_cluster) as subscriber:
        await subscriber.psubscribe(
            Keys().timer_pattern("planes", 0), lambda channel, _: heard.add(channel)
        )
        timers = [Keys().timer_prefix(shard, "planes") + "x" for shard in SHARDS]
        await asyncio.gather(*(batch.call("SET", timer, "", "PX", 1) for timer in timers))

        async def all_heard() -> bool:
            await asyncio.gather(*(batch.call("EXISTS", timer) for timer in timers))
            return heard == {f"__keyspace@0__:{timer}".encode() for timer in timers}

        await eventually(all_heard)


async def test_a_channel_moves_with_its_slot_and_that_is_a_gap(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    heard: list[bytes] = []
    gaps: list[None] = []
    channel = "{s3}:live:x"
    async with open_subscriber(redis_cluster, on_reconnect=lambda: gaps.append(None)) as subscriber:
        await subscriber.subscribe(channel, lambda _, data: heard.append(data))
        await subscriber.subscribe("{s4}:live:y", lambda _, data: heard.append(data))
        target = elsewhere(servers, channel)
        await asyncio.to_thread(servers.move_slot, slot_of(channel), target)
        await eventually(lambda: gaps and subscriber.connected)
        assert ask(target.port, "PUBSUB", "SHARDNUMSUB", channel) == [channel.encode(), 1]
        for name in (channel, "{s4}:live:y"):
            assert await batch.call("SPUBLISH", name, name) == 1
        await eventually(lambda: heard == [channel.encode(), b"{s4}:live:y"])


async def test_a_channel_left_while_its_slot_moves_stays_left(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    channel = "{s3}:live:x"
    async with open_subscriber(redis_cluster) as subscriber:
        await subscriber.subscribe(channel, lambda _channel, _data: None)
        moving = asyncio.create_task(
            asyncio.to_thread(servers.move_slot, slot_of(channel), elsewhere(servers, channel))
        )
        await subscriber.unsubscribe(channel)
        await moving
        await eventually(lambda: subscriber.connected)
        await subscriber.subscribe("{s3}:live:z", lambda _channel, _data: None)
        assert await batch.call("SPUBLISH", channel, "x") == 0


async def test_all_goes_on_with_the_successor_of_a_killed_primary(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    heard: list[tuple[bytes, bytes]] = []
    key, channel = "{s3}:k", "{s3}:live:x"
    timer = Keys().timer_prefix(3, "planes") + "x"
    async with open_subscriber(redis_cluster) as subscriber:
        await subscriber.subscribe(channel, lambda *message: heard.append(message))
        await subscriber.psubscribe(
            Keys().timer_pattern("planes", 0), lambda *message: heard.append(message)
        )
        killed = servers.primary_of(key)
        others = [f"{{s{n}}}:k" for n in SHARDS if servers.primary_of(f"{{s{n}}}:k") != killed]
        killed.kill()
        # The others' slots are served all the while.
        told = await answers(batch.call("SET", other, "") for other in others)
        assert told == [b"OK"] * len(others)

        async def serves() -> bool:
            (answer,) = await answers([batch.call("SET", key, "")])
            if isinstance(answer, RedisError) and not is_away(answer):
                raise answer
            return answer == b"OK" and subscriber.connected

        await eventually(serves, timeout=60)
        assert await batch.call("SPUBLISH", channel, "hello") == 1
        await batch.call("SET", timer, "", "PX", 1)

        async def expired() -> bool:
            await batch.call("EXISTS", timer)
            return len(heard) == 2

        await eventually(expired)
        assert heard == [
            (channel.encode(), b"hello"),
            (f"__keyspace@0__:{timer}".encode(), b"expired"),
        ]
        # Back as a replica, it takes nothing away from its successor.
        killed.restart()
        await asyncio.to_thread(until, servers.is_whole)
        assert servers.primary_of(key) is not killed
        assert await batch.call("SPUBLISH", channel, "again") == 1


async def test_a_channel_asked_for_while_its_primary_is_gone_is_confirmed_by_the_successor(
    servers: RunningCluster, redis_cluster: Cluster, eventually: Eventually
) -> None:
    async with open_subscriber(redis_cluster, timeout_ms=15_000) as subscriber:
        killed = servers.primary_of("{s3}:k")
        killed.kill()
        await subscriber.subscribe("{s3}:live:x", lambda _channel, _data: None)
        assert servers.primary_of("{s3}:k") is not killed
        killed.restart()
        await asyncio.to_thread(until, servers.is_whole)


async def test_a_cluster_without_a_living_server_is_an_error() -> None:
    with pytest.raises(RedisConnectionError):
        async with reach("redis+cluster://127.0.0.1:1"):
            pass


async def test_a_server_that_is_no_clusters_is_an_error_that_says_so(redis_url: str) -> None:
    with pytest.raises(RedisConnectionError, match="cluster support disabled"):
        async with reach(redis_url.replace("redis:", "redis+cluster:")):
            pass


def test_one_servers_client_is_not_to_be_had_of_a_cluster() -> None:
    with pytest.raises(BadConfig):
        connect("redis+cluster://127.0.0.1:7000")


async def test_what_a_replica_has_confirmed_outlives_its_primary(
    servers: RunningCluster, redis_cluster: Cluster, batch: Batch, eventually: Eventually
) -> None:
    count = Script("return redis.call('INCR', KEYS[1])")
    keys = [f"{{s{shard}}}:n" for shard in SHARDS]
    replication = open_replication(redis_cluster, confirm_ms=2_000)
    try:
        runs = await asyncio.gather(*(replication.run(count, [key]) for key in keys))
        assert runs == [(1, True)] * len(keys)
        killed = servers.primary_of(keys[3])
        killed.kill()

        async def has_successor() -> bool:
            return await answers([batch.call("GET", keys[3])]) == [b"1"]

        await eventually(has_successor, timeout=60)
        assert await asyncio.gather(*(batch.call("GET", key) for key in keys)) == [b"1"] * len(keys)
        # Without a replica nothing is confirmed, and with one again everything.
        assert await replication.run(count, [keys[3]]) == (2, False)
        killed.restart()
        await asyncio.to_thread(until, servers.is_whole)
        assert await replication.run(count, [keys[3]]) == (3, True)
        await asyncio.to_thread(servers.move_slot, slot_of(keys[3]), elsewhere(servers, keys[3]))
        assert await replication.run(count, [keys[3]]) == (4, True)
    finally:
        await replication.aclose()
