"""What an acknowledgement means where a replica has to confirm it."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from parlor.serving.batch import ServerBatch
from parlor.serving.errors import reason_name
from parlor.serving.redis import Script, Subscriber, connect, open_subscriber
from parlor.serving.redis_server import RedisServer
from parlor.serving.replication import LAG_S, Presence, ServerReplication, present
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest, OpenRoomsRequest, Player
from parlor.v1.feed_pb2 import FeedItem
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    Guest,
    Replica,
    config,
    playing,
    replica,
    seated,
    version,
)
from tests.integration.redis_forms.support import follow, leave, replica_of, server

READY = play_pb2.Ready(ready=True)
HELLO = play_pb2.Say(text="hello")


@pytest.fixture
def primary(tmp_path: Path) -> Iterator[RedisServer]:
    with server(tmp_path / "primary") as running:
        yield running


@pytest.fixture
def standby(primary: RedisServer, tmp_path: Path) -> Iterator[RedisServer]:
    """The one replica; it goes and comes as the tests want."""
    with replica_of(primary, tmp_path / "standby") as running:
        yield running


@pytest.fixture
async def engine(primary: RedisServer, standby: RedisServer) -> AsyncIterator[Replica]:
    async with replica(primary.url, durability="replicated", confirm_ms=500) as running:
        yield running


async def _listen(subscriber: Subscriber, room_id: str) -> list[FeedItem]:
    """The messages of the room from now on."""
    heard: list[FeedItem] = []
    await subscriber.subscribe(
        KEYS.live(room_id), lambda _, data: heard.append(FeedItem.FromString(data))
    )
    return heard


async def test_an_unconfirmed_command_is_neither_told_nor_shown_and_its_repeat_is_applied_once(
    engine: Replica, primary: RedisServer, standby: RedisServer, eventually: Eventually
) -> None:
    ann, *_ = await seated(engine)
    async with open_subscriber(engine.redis) as subscriber:
        heard = await _listen(subscriber, ann.room_id)
        before = await version(engine, ann.room_id)
        leave(standby, primary)
        for _ in range(2):
            assert await ann.refused(request_id="r", ready=READY) == "COMMIT_UNCONFIRMED"
        assert (await version(engine, ann.room_id), heard) == (before + 1, [])

        follow(standby, primary)
        await ann.accepted(request_id="r", ready=READY)
        assert await version(engine, ann.room_id) == before + 1
        assert (await ann.look()).seats[0].ready
        # Gateways have the first one from the feed.
        await ann.accepted(ready=play_pb2.Ready(ready=False))
        await eventually(lambda: len(heard) == 1)


async def test_a_repeat_on_another_engine_waits_for_a_replica_too(
    engine: Replica, primary: RedisServer, standby: RedisServer
) -> None:
    """Its connection has written nothing, so that a WAIT alone would be content at once."""
    ann, *_ = await seated(engine)
    async with replica(primary.url, durability="replicated", confirm_ms=500) as other:
        there = Guest("ann", ann.room_id, other)
        # Frozen and not gone: to the primary it is a replica that has confirmed all but the last.
        os.kill(standby.pid, signal.SIGSTOP)
        try:
            assert await ann.refused(request_id="r", ready=READY) == "COMMIT_UNCONFIRMED"
            assert await there.refused(request_id="r", ready=READY) == "COMMIT_UNCONFIRMED"
        finally:
            os.kill(standby.pid, signal.SIGCONT)
        await there.accepted(request_id="r", ready=READY)


async def test_a_line_of_chat_is_shown_when_its_repeat_is_confirmed(
    engine: Replica, primary: RedisServer, standby: RedisServer, eventually: Eventually
) -> None:
    ann, *_ = await seated(engine)
    async with open_subscriber(engine.redis) as subscriber:
        heard = await _listen(subscriber, ann.room_id)
        leave(standby, primary)
        assert await ann.refused(request_id="r", say=HELLO) == "COMMIT_UNCONFIRMED"
        assert heard == []
        follow(standby, primary)
        await ann.accepted(request_id="r", say=HELLO)
        await eventually(lambda: len(heard) == 1)
        frame = play_pb2.ServerFrame.FromString(heard[0].chat)
        assert (frame.chat.line.number, frame.chat.line.text) == (1, "hello")
    assert [line.text for line in (await ann.look()).chat] == ["hello"]


async def test_a_room_opened_without_confirmation_is_the_one_its_repeat_gets(
    engine: Replica, primary: RedisServer, standby: RedisServer
) -> None:
    leave(standby, primary)
    with pytest.raises(Exception, match="no replica of the store"):
        await engine.open(request_id="r")
    follow(standby, primary)
    assert await engine.open(request_id="r") == await engine.open(request_id="r")


async def test_rooms_opened_together_without_confirmation_are_those_their_repeat_gets(
    engine: Replica, primary: RedisServer, standby: RedisServer
) -> None:
    players = [[Player(player=f"{match}{seat}") for seat in range(3)] for match in "mn"]
    together = OpenRoomsRequest(
        requests=[
            EngineServiceOpenRoomRequest(
                request_id=f"r{number}", opener="us", config=config(), players=who, matched=True
            )
            for number, who in enumerate(players)
        ]
    )
    leave(standby, primary)
    # The first time they are made, then they are found: neither is confirmed.
    for _ in range(2):
        refused = (await engine.stub.OpenRooms(together)).results
        reasons = [reason_name(result.refused.reason) for result in refused]
        assert reasons == ["COMMIT_UNCONFIRMED"] * 2
    follow(standby, primary)
    opened = (await engine.stub.OpenRooms(together)).results
    for result in opened:
        assert await version(engine, result.room.room_id) == 1
    assert (await engine.stub.OpenRooms(together)).results == opened


async def test_what_a_failover_took_back_is_not_acknowledged_from_memory(
    engine: Replica, primary: RedisServer, standby: RedisServer
) -> None:
    ann, *_ = await seated(engine)
    keys = KEYS.room(ann.room_id), KEYS.feed(ann.room_id)
    older = [await engine.redis.dump(key) for key in keys]
    leave(standby, primary)
    assert await ann.refused(request_id="r", ready=READY) == "COMMIT_UNCONFIRMED"
    # The engine now remembers the answer from the record that the failover is about to lose.
    assert (await ann.look()).seats[0].ready
    for key, value in zip(keys, older, strict=True):
        await engine.redis.restore(key, 0, value, replace=True)
    follow(standby, primary)
    await ann.accepted(request_id="r", ready=READY)
    assert (await ann.look()).seats[0].ready


async def test_clocks_go_on_without_a_replica(
    engine: Replica, primary: RedisServer, standby: RedisServer, eventually: Eventually
) -> None:
    ann, *_ = await playing(engine, bid_limit="0.2s")
    leave(standby, primary)
    key = KEYS.log(ann.room_id, 1)
    lines = await engine.redis.xlen(key)

    async def acted() -> bool:
        return bool(await engine.redis.xlen(key) >= lines + 3)

    await eventually(acted)


async def test_a_store_that_refuses_writes_for_want_of_replicas_changes_nothing(
    redis_url: str, redis: Redis
) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await seated(engine)
        before = await version(engine, ann.room_id)
        await redis.config_set("min-replicas-to-write", 1)
        try:
            assert await ann.refused(request_id="r", ready=READY) == "STORE_UNAVAILABLE"
            assert await version(engine, ann.room_id) == before
        finally:
            await redis.config_set("min-replicas-to-write", 0)
        await ann.accepted(request_id="r", ready=READY)


INCREMENT = Script("return redis.call('INCR', KEYS[1])")


async def test_writes_at_once_share_their_waits(primary: RedisServer) -> None:
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=200)
    started = time.monotonic()
    runs = await asyncio.gather(*(replication.run(INCREMENT, ["n"]) for _ in range(300)))
    assert sorted(runs) == [(count, False) for count in range(1, 301)]
    # One after the other they would wait for a minute.
    assert time.monotonic() - started < 20
    await batch.aclose()
    await client.aclose()


async def test_a_replica_confirms_at_once(primary: RedisServer, standby: RedisServer) -> None:
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=2000)
    for number in range(1, 21):
        assert await replication.run(INCREMENT, ["n"]) == (number, True)
    async with connect(standby.url) as there:
        assert await there.get("n") == b"20"
    await batch.aclose()
    await client.aclose()


async def test_one_replica_is_not_enough_where_two_have_to_confirm(
    primary: RedisServer, standby: RedisServer
) -> None:
    client = connect(primary.url)
    for least, is_confirmed in ((1, True), (2, False)):
        batch = ServerBatch(client)
        replication = ServerReplication(batch, confirm_ms=2_000, least=least)
        assert await replication.run(INCREMENT, ["n"]) == (least, is_confirmed)
        await batch.aclose()
    await client.aclose()


async def test_every_replica_that_is_present_has_to_confirm(
    primary: RedisServer, standby: RedisServer, tmp_path: Path
) -> None:
    """For Sentinel may promote either. A silent one may be slow, and is given some time; one that is gone is not."""
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=300, left_s=0.0)

    async def confirmed() -> int:
        while True:
            number, is_confirmed = await replication.run(INCREMENT, ["n"])
            if is_confirmed:
                return int(number)

    with replica_of(primary, tmp_path / "second") as second:
        number = await confirmed()
        for each in (standby, second):
            async with connect(each.url) as there:
                assert await there.get("n") == b"%d" % number
        began = time.monotonic()
        os.kill(second.pid, signal.SIGSTOP)
        try:
            await confirmed()
        finally:
            os.kill(second.pid, signal.SIGCONT)
        # It may have been heard from a second before it was stopped.
        assert time.monotonic() - began > LAG_S - 1
        leave(standby, primary)
        await confirmed()
    # Neither of them is left.
    assert not (await replication.run(INCREMENT, ["n"]))[1]
    await batch.aclose()
    await client.aclose()


async def test_a_replica_that_has_left_may_be_the_new_primary_and_nothing_is_confirmed_without_it(
    primary: RedisServer, standby: RedisServer, tmp_path: Path
) -> None:
    """A frozen primary that wakes up replaced still has the replicas that Sentinel has not moved yet."""
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=300)
    with replica_of(primary, tmp_path / "second"):
        while not (await replication.run(INCREMENT, ["n"]))[1]:
            pass
        leave(standby, primary)
        assert not (await replication.run(INCREMENT, ["n"]))[1]
        follow(standby, primary)
        assert (await replication.run(INCREMENT, ["n"]))[1]
    await batch.aclose()
    await client.aclose()


def test_how_many_have_to_confirm() -> None:
    presence = Presence(left_s=5)

    def needed(at: float, *lags: int, history: str = "a") -> int:
        lines = [
            f"slave{n}:ip=i,port=1,state=online,offset=9,lag={lag}" for n, lag in enumerate(lags)
        ]
        info = "\r\n".join(("role:master", *lines, f"master_replid:{history}", ""))
        return presence.needed(info.encode(), at)

    assert needed(0) == 0
    assert needed(1, 0, 1) == 2
    assert needed(2, 0, 3) == 1, "one is silent"
    assert needed(3, 0, 0) == 2
    assert needed(4, 9, 9) == 2, "the primary itself stood still"
    assert [needed(at, 0) for at in (5, 9.9, 10)] == [2, 2, 1], "one has left"
    assert needed(11, 0, 0, 0) == 3
    assert [needed(12, 0, 0), needed(16, 0), needed(20, 0), needed(21, 0)] == [3, 3, 3, 1]
    assert needed(22, 0, 0) == 2
    assert needed(23, 0, history="b") == 1, "another primary"
    assert [needed(24, history="b"), needed(25, 0, history="b")] == [1, 1]


async def test_the_first_writes_wait_for_every_replica_too(
    primary: RedisServer, standby: RedisServer, tmp_path: Path
) -> None:
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=60_000)
    # As others have left it: one that is unknown makes a round of its own.
    await batch.call("SCRIPT", "LOAD", INCREMENT.text)
    with replica_of(primary, tmp_path / "second") as second, contextlib.ExitStack() as going_on:
        while present(await batch.call("INFO", "replication")) < 2:
            await asyncio.sleep(0)
        os.kill(second.pid, signal.SIGSTOP)
        going_on.callback(os.kill, second.pid, signal.SIGCONT)
        first = asyncio.create_task(replication.run(INCREMENT, ["n"]))
        async with connect(standby.url) as there:
            while not await there.exists("n"):
                await asyncio.sleep(0)
        going_on.close()
        assert await first == (1, True)
    await batch.aclose()
    await client.aclose()


async def test_a_wait_never_speaks_of_a_write_on_another_connection(
    primary: RedisServer, standby: RedisServer
) -> None:
    """The connection breaks between a write and the next: whatever is confirmed, the replica has."""
    client = connect(primary.url)
    batch = ServerBatch(client)
    replication = ServerReplication(batch, confirm_ms=1_000)
    number = await batch.call("CLIENT", "ID")
    os.kill(standby.pid, signal.SIGSTOP)
    try:
        first = asyncio.create_task(replication.run(INCREMENT, ["n"]))
        while not await client.exists("n"):
            await asyncio.sleep(0)
        await client.client_kill_filter(_id=number)
        assert await first == (1, False)
        assert await replication.run(INCREMENT, ["n"]) == (2, False)
    finally:
        os.kill(standby.pid, signal.SIGCONT)
    assert await replication.run(INCREMENT, ["n"]) == (3, True)
    await batch.aclose()
    await client.aclose()
