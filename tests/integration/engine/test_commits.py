"""An acknowledged command is in Redis once, whatever happens around it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from redis.asyncio import Redis

from parlor.engine.engine import Engine
from parlor.engine.lanes import Lanes
from parlor.engine.places import Places
from parlor.engine.replay import replayed
from parlor.engine.snapshot import StateCodec, encode
from parlor.engine.store import RoomStore
from parlor.serving import redis_server as servers
from parlor.serving.invitations import Invitations
from parlor.serving.players import Players
from parlor.serving.redis import open_batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    KIND,
    Guest,
    Replica,
    awaited,
    feed,
    host,
    playing,
    replica,
    seated,
    version,
)
from tests.integration.engine.test_clocks import QUICK, finished


@asynccontextmanager
async def redis_at(url: str) -> AsyncIterator[Any]:
    """A client of a server, untyped."""
    async with Redis.from_url(url) as client:
        yield client


class Cutter:
    """A TCP proxy to Redis that can swallow an answer and cut the connection it was for."""

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self.swallow: bytes = b""
        """The next answer with this in it never arrives."""
        self.swallowed = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The URL of the proxy."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(
            self._target.hostname, self._target.port
        )
        upward = asyncio.create_task(self._pump(reader, up_writer, answers=False))
        try:
            await self._pump(up_reader, writer, answers=True)
        finally:
            upward.cancel()
            for each in (writer, up_writer):
                each.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        while data := await reader.read(65536):
            if answers and self.swallow and self.swallow in data:
                self.swallow = b""
                self.swallowed += 1
                return
            writer.write(data)
            await writer.drain()


async def test_a_commit_whose_answer_was_lost_is_found_again_and_not_refused(
    redis_url: str,
) -> None:
    cutter = Cutter(redis_url)
    async with cutter.listening() as url, replica(url) as engine:
        guests = await playing(engine)
        guest, decision = await awaited(guests)
        before = await version(engine, guest.room_id)
        cutter.swallow = b"committed"
        answer = await guest.act(decision, bid=1)
        assert (cutter.swallowed, answer.WhichOneof("result")) == (1, "accepted")
        assert await version(engine, guest.room_id) == before + 1


async def test_a_seat_taken_with_a_lost_answer_is_taken_once(redis_url: str) -> None:
    cutter = Cutter(redis_url)
    async with cutter.listening() as url, replica(url) as engine:
        room_id = await engine.open()
        cutter.swallow = b"committed"
        assert (await Guest("bob", room_id, engine).accepted(join=play_pb2.Join())).seat == 0
        assert cutter.swallowed == 1
        view = await Guest("bob", room_id, engine).look()
        assert [seat.player for seat in view.seats] == ["bob", "", ""]


async def test_without_redis_a_command_is_answered_as_unknown_and_works_again_later(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = servers.start(tmp_path_factory.mktemp("stopped"), append_only=True)
    try:
        async with replica(server.url) as engine:
            ann, *_ = await seated(engine)
            server.kill()
            ready = play_pb2.Ready(ready=True)
            assert await ann.refused(request_id="r", ready=ready) == "STORE_UNAVAILABLE"
            server.restart()
            while (answer := await ann.command(request_id="r", ready=ready)).HasField("refused"):
                assert answer.refused.reason == 11
            assert answer.HasField("accepted")
    finally:
        server.stop()


async def test_two_replicas_serve_one_room_without_a_false_refusal(redis_url: str) -> None:
    """Each holds what the other has made old: a refusal from memory would be wrong."""
    async with replica(redis_url) as one, replica(redis_url) as other:
        guests = await playing(one, bid_limit="30s")
        for turn in range(3):
            guest, decision = await awaited(guests)
            there = Guest(guest.name, guest.room_id, other if turn % 2 else one)
            assert (await there.act(decision, bid=0)).HasField("accepted")


async def test_commands_at_once_on_two_replicas_are_all_carried_out(redis_url: str) -> None:
    async with replica(redis_url) as one, replica(redis_url) as other:
        guests = await seated(one)
        there = [Guest(guest.name, guest.room_id, other) for guest in guests]
        answers = await asyncio.gather(
            *(
                guest.command(say=play_pb2.Say(text="hello"))
                for pair in zip(guests, there, strict=True)
                for guest in pair
            )
        )
        assert all(answer.HasField("accepted") for answer in answers)
        chat = (await guests[0].look()).chat
        assert [line.number for line in chat] == list(range(1, 7))


async def test_a_redis_that_came_back_older_is_noticed(redis_url: str) -> None:
    async with replica(redis_url) as engine:
        ann, bob, cat = await seated(engine)
        keys = KEYS.room(ann.room_id), KEYS.feed(ann.room_id)
        older = [await engine.redis.dump(key) for key in keys]
        await ann.accepted(ready=play_pb2.Ready(ready=True))
        for key, value in zip(keys, older, strict=True):
            await engine.redis.restore(key, 0, value, replace=True)
        assert not (await bob.look()).seats[0].ready
        await bob.accepted(ready=play_pb2.Ready(ready=True))
        assert [s.ready for s in (await cat.look()).seats] == [False, True, False]


async def test_a_version_never_lives_twice_in_a_log(redis_url: str) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine, bid_limit="30s")
        key = KEYS.room(guests[0].room_id)
        older = await engine.redis.hgetall(key)
        guest, decision = await awaited(guests)
        await guest.act(decision, bid=1)
        # The record is set back and its log is not: the log refuses the second life.
        await engine.redis.hset(key, mapping=older)
        assert (await guest.act(decision, bid=2)).refused.reason == 13  # CONFLICT


async def test_a_record_of_another_release_is_left_alone(redis_url: str) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await seated(engine)
        key = KEYS.room(ann.room_id)
        record = msgspec.msgpack.decode(await engine.redis.hget(key, "record"))
        raw = msgspec.msgpack.encode({**record, "invented": 1})
        await engine.redis.hset(key, mapping={"record": raw, "version": 99})
        command = play_pb2.Command(
            request_id="r", room_id=ann.room_id, ready=play_pb2.Ready(ready=True)
        )
        answer = await engine.call("ann", command=command)
        assert answer.refused.reason == ErrorReason.ERROR_REASON_NO_ENGINE
        assert await engine.redis.hget(key, "record") == raw


async def test_a_hidden_answer_changes_nothing_that_another_seat_receives(
    engine: Replica,
) -> None:
    guests = await playing(engine, doubling=True)
    for _ in range(3):
        guest, decision = await awaited(guests)
        answer = await guest.act(decision, bid=3)
        assert answer.HasField("accepted")
        break
    guest, decision = guests[0], (await guests[0].look()).doudizhu.prompt.decision
    others = guests[1:]
    before = [await other.look() for other in others]
    entries = len(await feed(engine, guest.room_id))
    assert (await guest.act(decision, double_stake=True)).accepted.seq > 0
    after = [await other.look() for other in others]
    for was, now in zip(before, after, strict=True):
        now.view_time.CopyFrom(was.view_time)
        assert now == was
    new = (await feed(engine, guest.room_id))[entries:]
    assert [list(d.seats) for entry in new for d in entry.deliveries] == [[0]]
    assert not any(d.spectators for entry in new for d in entry.deliveries)
    # Not even the numbers of the others move.
    heads = [(head.seq, head.token) for head in new[0].seats[1:]]
    assert heads == [(view.seq, view.token) for view in before]


async def test_the_log_of_a_game_runs_again_to_the_same_state(
    engine: Replica, eventually: Eventually
) -> None:
    ann, *_ = await playing(engine, **QUICK)
    await eventually(lambda: finished(ann))
    lines = await engine.redis.xrange(KEYS.log(ann.room_id, 1))
    state = replayed(host(), [fields for _, fields in lines])
    assert encode(state) == await engine.redis.hget(KEYS.room(ann.room_id), "state")


async def test_a_command_dated_too_far_from_redis_time_is_dated_anew(redis_url: str) -> None:
    """As on a replica too busy to carry it out for seconds."""
    async with replica(redis_url) as engine:
        ann, *_ = await seated(engine)
        other = open_batch(engine.redis)
        clock = RedisClock(other, monotonic=lambda: time.monotonic() - 60)
        served = host()
        store = RoomStore(other, KEYS, KIND, StateCodec(served.game))
        places = Places(other, KEYS, Players(other, KEYS), clock)
        lanes = Lanes(served, store, places, clock)
        late = Engine(served, lanes, store, places, Invitations(other, KEYS), clock)
        command = play_pb2.Command(
            request_id="r", room_id=ann.room_id, ready=play_pb2.Ready(ready=True)
        )
        frame = await late.command(Player(player="ann"), command)
        assert play_pb2.ServerFrame.FromString(frame).answer.HasField("accepted")
        await other.aclose()


async def test_a_redis_that_is_no_primary_for_a_moment_refuses_nothing_for_good(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = servers.start(tmp_path_factory.mktemp("demoted"), append_only=False)
    try:
        async with replica(server.url) as engine, redis_at(server.url) as redis:
            ann, *_ = await seated(engine)
            ready = play_pb2.Ready(ready=True)
            await redis.execute_command("REPLICAOF", "127.0.0.1", "1")
            for _ in range(4):
                reason = await ann.refused(request_id="r", ready=ready)
                assert reason == "STORE_UNAVAILABLE"
            await redis.execute_command("REPLICAOF", "NO", "ONE")
            while (answer := await ann.command(request_id="r", ready=ready)).HasField("refused"):
                assert answer.refused.reason == 11
            assert (await ann.look()).status == room_pb2.ROOM_STATUS_OPEN
    finally:
        server.stop()


async def test_a_join_refused_from_an_old_copy_of_the_room_takes_no_place_away(
    redis_url: str,
) -> None:
    async with replica(redis_url) as one, replica(redis_url) as other:
        ann, *_ = await seated(one)
        join = play_pb2.Join()
        cat, dan = (Guest(name, ann.room_id, other) for name in ("cat", "dan"))
        await cat.accepted(leave=play_pb2.Leave())
        await dan.accepted(request_id="J", join=join)
        # The first replica still has the full room at hand.
        assert (await Guest("dan", ann.room_id, one).accepted(request_id="J", join=join)).seat == 2
        assert await one.redis.hget(KEYS.player("dan"), "place") == f"room:{ann.room_id}".encode()


async def test_chat_and_commands_do_not_forget_each_others_requests(redis_url: str) -> None:
    async with replica(redis_url) as one, replica(redis_url) as other:
        ann, *_ = await seated(one)
        there = Guest("ann", ann.room_id, other)
        await there.look()
        say = play_pb2.Say(text="hi")
        await ann.accepted(request_id="S", say=say)
        await there.accepted(request_id="R", ready=play_pb2.Ready(ready=True))
        await ann.accepted(request_id="S", say=say)
        await there.accepted(request_id="T", say=say)
        before = await version(one, ann.room_id)
        await ann.accepted(request_id="R", ready=play_pb2.Ready(ready=True))
        assert await version(one, ann.room_id) == before
        assert [line.number for line in (await ann.look()).chat] == [1, 2]


async def test_a_record_written_before_a_field_was_added_is_read(redis_url: str) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await seated(engine)
        key = KEYS.room(ann.room_id)
        record = msgspec.msgpack.decode(await engine.redis.hget(key, "record"))
        del record["outages"]
        older = msgspec.msgpack.encode({**record, "version": 99})
        await engine.redis.hset(key, mapping={"record": older, "version": 99})
        await ann.accepted(ready=play_pb2.Ready(ready=True))


async def test_each_entry_says_where_its_audiences_stood_before(engine: Replica) -> None:
    """Else a gateway that read what a failover took back would go on as if nothing had been."""
    ann, *_ = await playing(engine)
    first, *later = await feed(engine, ann.room_id)
    stood = [*first.seats, first.spectators]
    assert {head.token_before for head in stood} == {b""}
    for entry in later:
        stands = [*entry.seats, entry.spectators]
        for before, head in zip(stood, stands, strict=True):
            moved = head.seq != before.seq
            assert head.token_before == (before.token if moved else b"")
        stood = stands
    assert len(later) > 3
