"""What nobody could have played in is given back: as measured, once, and before any clock acts."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from parlor.engine import scripts
from parlor.engine.formats import RELEASED
from parlor.engine.outages import Outage, parsed
from parlor.engine.record import RoomRecord, Status
from parlor.engine.replay import replayed
from parlor.engine.snapshot import StateCodec, encode
from parlor.serving.keys import shard_of
from parlor.serving.redis import Batch
from parlor.v1 import play_pb2
from parlor.v1.room_pb2 import Event
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    KIND,
    Guest,
    Replica,
    Unswept,
    awaited,
    feed,
    host,
    playing,
    replica,
    seated,
)

OUTAGE_MS = 2_500


async def redis_now(redis: Any) -> int:
    """Redis time in ms."""
    seconds, micros = await redis.time()
    return int(seconds * 1000 + micros // 1000)


async def record_of(redis: Any, room_id: str) -> RoomRecord:
    return RELEASED.decode(await redis.hget(KEYS.room(room_id), "record"))


async def state_of(redis: Any, room_id: str) -> Any:
    return StateCodec(host().game).decode(await redis.hget(KEYS.room(room_id), "state"))


async def due_of(redis: Any, room_id: str) -> int:
    """When the open turn is over."""
    return host().game.clocks(await state_of(redis, room_id))[0].due


async def outages_of(redis: Any, room_id: str) -> list[Outage]:
    return [parsed(raw) for raw in await redis.lrange(KEYS.outages(shard_of(room_id), KIND), 0, -1)]


async def credited(redis: Any, room_id: str) -> list[int]:
    """What the first game was credited with, by its log."""
    lines = await redis.xrange(KEYS.log(room_id, 1))
    return [int(fields[b"body"]) for _, fields in lines if fields[b"what"] == b"outage"]


async def silence(redis: Any, room_id: str, ms: int = OUTAGE_MS) -> int:
    """Makes the last beat of the room's shard one of `ms` ago, and gives its instant."""
    last = await redis_now(redis) - ms
    await redis.hset(KEYS.owner(shard_of(room_id), KIND), "beat", last)
    return last


async def date(redis: Any, room_id: str, at: int) -> None:
    """Makes `at` the instant of the room's last transition."""
    record = replace(await record_of(redis, room_id), at=at)
    await redis.hset(KEYS.room(room_id), "record", encode(record))


@asynccontextmanager
async def after_an_outage(redis_url: str, redis: Any, room_id: str) -> AsyncIterator[Replica]:
    """An engine that comes up when nobody has looked after the room for a while."""
    await date(redis, room_id, await silence(redis, room_id) - 1)
    async with replica(redis_url) as engine:
        yield engine


async def events(engine: Replica, room_id: str) -> list[Event]:
    """What the first seat received, in order."""
    return [
        event
        for entry in await feed(engine, room_id)
        for delivery in entry.deliveries
        if 0 in delivery.seats
        for event in play_pb2.ServerFrame.FromString(delivery.frame).entry.events
    ]


async def test_a_turn_has_after_an_outage_what_it_had_before(redis_url: str, redis: Any) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="1s")
    before = await due_of(redis, ann.room_id)
    async with after_an_outage(redis_url, redis, ann.room_id) as engine:
        await replace(ann, engine=engine).online(2)
        (outage,) = await outages_of(redis, ann.room_id)
        lost = outage.end - outage.start
        assert lost >= OUTAGE_MS
        assert await due_of(redis, ann.room_id) - outage.end == before - outage.start
        assert await credited(redis, ann.room_id) == [lost]
        moved = [e.doudizhu.clocks_moved for e in await events(engine, ann.room_id)]
        assert [m.lost.ToMilliseconds() for m in moved if m.HasField("lost")] == [lost]
        lines = await redis.xrange(KEYS.log(ann.room_id, 1))
        again = replayed(host(), [fields for _, fields in lines])
        assert again == await state_of(redis, ann.room_id)


async def test_a_clock_that_ran_out_in_an_outage_is_credited_before_it_acts(
    redis_url: str, redis: Any, eventually: Eventually
) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine, bid_limit="0.300s")
    due = await due_of(redis, guests[0].room_id)
    while await redis_now(redis) <= due:
        await asyncio.sleep(0.01)
    async with after_an_outage(redis_url, redis, guests[0].room_id) as engine:
        # Nobody asks for anything: the sweep alone wakes the room.
        await eventually(lambda: credited(redis, guests[0].room_id))
        guest, decision = await awaited([replace(guest, engine=engine) for guest in guests])
        assert (await guest.act(decision, bid=1)).HasField("accepted")
        lines = await redis.xrange(KEYS.log(guest.room_id, 1))
        assert [f[b"what"] for _, f in lines][:3] == [b"start", b"outage", b"act"]


async def test_two_replicas_credit_an_outage_once(redis_url: str, redis: Any) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine, bid_limit="10s")
    room_id = guests[0].room_id
    async with (
        after_an_outage(redis_url, redis, room_id) as one,
        replica(redis_url) as two,
    ):
        engines = (one, two, one)
        await asyncio.gather(
            *(replace(g, engine=e).online(2) for g, e in zip(guests, engines, strict=True))
        )
        assert len(await outages_of(redis, room_id)) == len(await credited(redis, room_id)) == 1


async def test_a_second_outage_is_credited_on_its_own(redis_url: str, redis: Any) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="10s")
    before = await due_of(redis, ann.room_id)
    for connection in (2, 3):
        async with after_an_outage(redis_url, redis, ann.room_id) as engine:
            await replace(ann, engine=engine).online(connection)
    first, second = await outages_of(redis, ann.room_id)
    lost = [first.end - first.start, second.end - second.start]
    assert await credited(redis, ann.room_id) == lost
    assert await due_of(redis, ann.room_id) == before + sum(lost)
    assert (first.number, second.number) == (1, 2)
    assert (await record_of(redis, ann.room_id)).outages == 2


async def test_outages_that_a_room_slept_through_are_credited_together(
    redis_url: str, redis: Any, eventually: Eventually
) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="30s")
    began = await redis_now(redis) - 60_000
    await date(redis, ann.room_id, began)
    for count in (1, 2):

        async def recorded(count: int = count) -> bool:
            return len(await outages_of(redis, ann.room_id)) == count

        await silence(redis, ann.room_id)
        async with replica(redis_url) as engine:
            await eventually(recorded)
            if count == 2:
                await replace(ann, engine=engine).online(2)
    first, second = await outages_of(redis, ann.room_id)
    assert await credited(redis, ann.room_id) == [
        first.end - first.start + second.end - second.start
    ]


async def test_a_room_that_was_played_in_meanwhile_is_credited_with_the_rest(
    redis_url: str, redis: Any
) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="10s")
    played = await silence(redis, ann.room_id) + 1_000
    await date(redis, ann.room_id, played)
    async with replica(redis_url) as engine:
        await replace(ann, engine=engine).online(2)
    (outage,) = await outages_of(redis, ann.room_id)
    assert await credited(redis, ann.room_id) == [outage.end - played]


async def test_the_ready_limit_between_games_moves_and_who_was_ready_stays_so(
    redis_url: str, redis: Any
) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine, ready_limit="10s")
        for guest in guests:
            await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
        await guests[1].accepted(ready=play_pb2.Ready(ready=True))
    ann = guests[0]
    before = await record_of(redis, ann.room_id)
    assert before.status is Status.FINISHED
    async with after_an_outage(redis_url, redis, ann.room_id) as engine:
        ann = replace(ann, engine=engine)
        await ann.online(2)
        (outage,) = await outages_of(redis, ann.room_id)
        due = before.ready_due + outage.end - outage.start
        view = await ann.look()
        assert view.ready_time.ToMilliseconds() == due
        assert [seat.ready for seat in view.seats] == [False, True, False]
        opened, ready = (await events(engine, ann.room_id))[-2:]
        assert opened.ready_opened.ready_time.ToMilliseconds() == due
        assert (ready.seat_changed.seat, ready.seat_changed.content.ready) == (1, True)


async def test_a_vote_moves_with_the_game_that_it_is_on(redis_url: str, redis: Any) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="10s")
        await ann.accepted(dissolve=play_pb2.Dissolve(agree=True))
    before = (await record_of(redis, ann.room_id)).vote
    assert before is not None
    async with after_an_outage(redis_url, redis, ann.room_id) as engine:
        ann = replace(ann, engine=engine)
        await ann.online(2)
        (lost,) = await credited(redis, ann.room_id)
        last = (await events(engine, ann.room_id))[-1]
        assert last.dissolve_changed.vote.expire_time.ToMilliseconds() == before.due + lost
        assert (await ann.look()).dissolve == last.dissolve_changed.vote


async def test_the_limit_of_an_unused_room_does_not_move(redis_url: str, redis: Any) -> None:
    async with replica(redis_url) as engine:
        room_id = await engine.open()
    before = await record_of(redis, room_id)
    assert before.idle_due
    async with after_an_outage(redis_url, redis, room_id) as engine:
        await Guest("bob", room_id, engine).accepted(join=play_pb2.Join())
    after = await record_of(redis, room_id)
    assert (after.outages, after.idle_due) == (1, before.idle_due)


async def test_a_room_opened_after_an_outage_is_credited_with_nothing(
    redis_url: str, redis: Any
) -> None:
    async with replica(redis_url) as engine:
        room_id = await engine.open(request_id="first")
    await redis.delete(KEYS.room(room_id), KEYS.feed(room_id))
    await silence(redis, room_id)
    async with replica(redis_url) as engine:
        assert await engine.open(request_id="first") == room_id
        assert (await record_of(redis, room_id)).outages == 1
        for name in ("ann", "bob", "cat"):
            guest = Guest(name, room_id, engine)
            await guest.accepted(join=play_pb2.Join())
            await guest.accepted(ready=play_pb2.Ready(ready=True))
        assert len(await outages_of(redis, room_id)) == 1
        assert await credited(redis, room_id) == []


async def test_an_engine_that_stood_still_credits_before_it_goes_on(
    redis_url: str, redis: Any, eventually: Eventually
) -> None:
    """Its lease and its memory are those of before; the shard's beat is not."""
    async with replica(redis_url) as engine:
        ann, *_ = await playing(engine, bid_limit="10s")
        counted = _sample("parlor_engine_outages_total"), _sample(SECONDS)
        last = await silence(redis, ann.room_id)
        await eventually(lambda: outages_of(redis, ann.room_id))
        (outage,) = await outages_of(redis, ann.room_id)
        assert outage.start == last
        await ann.online(2)
        # What was played after the outage began is not given back.
        (lost,) = await credited(redis, ann.room_id)
        assert 0 < lost < outage.end - last
        assert _sample("parlor_engine_outages_total") == counted[0] + 1
        assert _sample(SECONDS) == pytest.approx(counted[1] + (outage.end - last) / 1000)


SECONDS = "parlor_engine_outage_seconds_total"


def _sample(name: str) -> float:
    return REGISTRY.get_sample_value(name, {"kind": KIND}) or 0.0


async def test_a_command_waits_until_it_is_known_whether_the_turn_ran_out_in_an_outage(
    unswept: Unswept, redis: Any, eventually: Eventually
) -> None:
    """A replica that does not own the shard, and an owner that died before the turn was over."""
    room_id = await unswept.playing(bid_limit="0.080s")
    due, seat = await unswept.asked(room_id)
    await eventually(lambda: unswept.clock.now() > due)
    last = min(await silence(redis, room_id, 1_200), due - 1)
    lease = {"replica": "dead", "until": await redis_now(redis) + 5_000}
    await redis.hset(KEYS.owner(shard_of(room_id), KIND), mapping={**lease, "beat": last})
    answer = await unswept.act(room_id, seat, decision=1, bid=1)
    assert answer.HasField("accepted"), answer
    (outage,) = await outages_of(redis, room_id)
    assert outage.start == last
    assert outage.end - last > 1_500
    lines = await redis.xrange(KEYS.log(room_id, 1))
    assert [f[b"what"] for _, f in lines] == [b"start", b"outage", b"act"]


async def test_a_command_in_an_outage_ends_it(
    unswept: Unswept, redis: Any, eventually: Eventually
) -> None:
    """A replica that does not own the shard, before the next owner has come."""
    room_id = await unswept.playing(bid_limit="10s")
    _, seat = await unswept.asked(room_id)
    started = (await record_of(redis, room_id)).at
    await eventually(lambda: unswept.clock.now() > started + 5)
    await silence(redis, room_id)
    await redis.hset(KEYS.owner(shard_of(room_id), KIND), "until", started + 60_000)
    assert (await unswept.act(room_id, seat, decision=1, bid=1)).HasField("accepted")
    (outage,) = await outages_of(redis, room_id)
    assert await credited(redis, room_id) == [outage.end - started]


@pytest.mark.parametrize(("gap", "is_outage"), [(500, False), (1_100, False), (1_600, True)])
async def test_beats_that_are_late_by_less_than_an_outage_are_none(
    batch: Batch, redis: Any, gap: int, is_outage: bool
) -> None:
    keys = [KEYS.owner(0, KIND), KEYS.outages(0, KIND)]
    assert await scripts.OWN(batch, keys, ["me", 2_000]) == [1, 0]
    last = await redis_now(redis) - gap
    await redis.hset(keys[0], "beat", last)
    fence, lost = await scripts.OWN(batch, keys, ["me", 2_000])
    assert (fence, lost >= gap) == (1, is_outage)
    found = [parsed(raw) for raw in await redis.lrange(keys[1], 0, -1)]
    assert found == ([Outage(1, last, last + lost)] if is_outage else [])


async def test_a_shard_remembers_its_last_outages(batch: Batch, redis: Any) -> None:
    keys = [KEYS.owner(0, KIND), KEYS.outages(0, KIND)]
    for _ in range(scripts.OUTAGES_KEPT + 3):
        await redis.hset(keys[0], "beat", 1)
        await scripts.OWN(batch, keys, ["me", 2_000])
    numbers = [parsed(raw).number for raw in await redis.lrange(keys[1], 0, -1)]
    assert numbers == list(range(4, scripts.OUTAGES_KEPT + 4))


@pytest.mark.parametrize(
    ("beat_ago", "lease", "woken", "recorded"),
    [
        pytest.param(100, 2_000, [b"room"], 0, id="the owner is there"),
        pytest.param(900, 2_000, [], 0, id="the owner may be gone"),
        pytest.param(1_600, 2_000, [b"room"], 1, id="the owner is gone"),
        pytest.param(2_100, -1, [b"room"], 1, id="the lease has run out"),
        pytest.param(200, -1, [b"room"], 0, id="the owner has left"),
    ],
)
async def test_replicas_wake_the_rooms_of_others_only_when_outages_are_known(
    batch: Batch, redis: Any, beat_ago: int, lease: int, woken: list[bytes], recorded: int
) -> None:
    keys = [KEYS.deadlines(0, KIND), KEYS.owner(0, KIND), KEYS.outages(0, KIND)]
    now = await redis_now(redis)
    await redis.zadd(keys[0], {"room": now - 600})
    owner = {"replica": "other", "until": now + lease, "beat": now - beat_ago}
    await redis.hset(keys[1], mapping=owner)
    _, late = await scripts.OVERDUE(batch, keys, [500, 10])
    assert (late, await redis.llen(keys[2])) == (woken, recorded)


async def test_a_room_that_waits_for_nobody_takes_an_outage_up_in_silence(
    redis_url: str, redis: Any
) -> None:
    async with replica(redis_url) as engine:
        ann, *_ = await seated(engine)
        told = len(await feed(engine, ann.room_id))
    async with after_an_outage(redis_url, redis, ann.room_id) as engine:
        await replace(ann, engine=engine).online(2)
        assert (await record_of(redis, ann.room_id)).outages == 1
        assert len(await feed(engine, ann.room_id)) == told


async def test_a_command_dated_like_the_step_before_it_comes_after_the_clocks_due_by_then(
    unswept: Unswept, batch: Batch, redis: Any, eventually: Eventually
) -> None:
    """A campaign found an action dated 14 ms behind a clock that had not acted.

    The credit for two outages is dated at the end of the second, and a clock that ran on between
    them may be due before that. A command that has waited meanwhile was received before both.
    """
    room_id = await unswept.playing(bid_limit="0.080s")
    due, first = await unswept.asked(room_id)
    await eventually(lambda: unswept.clock.now() >= due + 5)
    await date(redis, room_id, due + 5)
    lag_s = 0.0
    waiting = Unswept(batch, lambda: time.monotonic() - lag_s)
    await waiting.clock.measure()
    lag_s = 30.0
    late = await waiting.act(room_id, first, decision=1, bid=3)
    assert late.HasField("refused")
    assert (await waiting.asked(room_id))[1] == (first + 1) % 3
