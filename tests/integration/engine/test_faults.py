"""A defect of a game closes its room at the third time, and no other."""

from typing import Any

from parlor.rules.doudizhu.game import DouDizhu
from parlor.rules.game import Seat, Transition
from parlor.serving.keys import shard_of
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from tests.conftest import Eventually
from tests.integration.engine.support import (
    KEYS,
    KIND,
    Replica,
    awaited,
    feed,
    host,
    playing,
    replica,
)


class Defective(DouDizhu):
    """Dou Dizhu that stumbles over a bid of 2, and over a clock where the base score is 13."""

    def apply(self, state: Any, seat: Seat, action: Any, at: int) -> Transition[Any, Any]:
        if getattr(action, "points", None) == 2 or getattr(action, "bid", None) == 2:
            raise ZeroDivisionError("a defect")
        return super().apply(state, seat, action, at)

    def advance(self, state: Any, at: int) -> Transition[Any, Any]:
        if state.config.base_score == 13:
            raise KeyError("a defect")
        return super().advance(state, at)


INTERNAL, FAULTED = 14, 38


async def test_the_third_failure_of_a_step_closes_its_room_and_no_other(redis_url: str) -> None:
    async with replica(redis_url, served=host(Defective())) as engine:
        guests = await playing(engine)
        others = await _others(engine)
        guest, decision = await awaited(guests)
        for _ in range(2):
            assert (await guest.act(decision, bid=2)).refused.reason == INTERNAL
            assert (await guest.look()).status == room_pb2.ROOM_STATUS_PLAYING
        assert (await guest.act(decision, bid=2)).refused.reason == INTERNAL
        assert (await guest.look()).status == room_pb2.ROOM_STATUS_FAULTED
        assert (await guest.act(decision, bid=1)).refused.reason == FAULTED
        await _stays_for_the_operator(engine, guest.room_id)
        other, decision = await awaited(others)
        assert (await other.act(decision, bid=1)).HasField("accepted")
        # Its players are free for other rooms.
        await engine.open(players=[Player(player=name) for name in ("ann", "bob", "cat")])


async def _others(engine: Replica) -> list[Any]:
    from tests.integration.engine.support import Guest

    room_id = await engine.open(players=[Player(player=name) for name in ("dan", "eve", "fay")])
    guests = [Guest(name, room_id, engine) for name in ("dan", "eve", "fay")]
    for guest in guests:
        await guest.online(1)
        await guest.accepted(ready=play_pb2.Ready(ready=True))
    return guests


async def _stays_for_the_operator(engine: Replica, room_id: str) -> None:
    assert await engine.redis.exists(KEYS.room(room_id), KEYS.log(room_id, 1)) == 2
    last = (await feed(engine, room_id))[-1].deliveries[0]
    event = play_pb2.ServerFrame.FromString(last.frame).entry.events[-1]
    assert event.room_closed.reason == room_pb2.CLOSE_REASON_FAULTED


async def test_a_success_in_between_starts_the_count_again(redis_url: str) -> None:
    async with replica(redis_url, served=host(Defective())) as engine:
        guests = await playing(engine)
        for _ in range(2):
            guest, decision = await awaited(guests)
            for _ in range(2):
                await guest.act(decision, bid=2)
            assert (await guest.act(decision, bid=0)).HasField("accepted")
        assert (await guests[0].look()).status == room_pb2.ROOM_STATUS_PLAYING


async def test_a_clock_that_fails_closes_its_room(redis_url: str, eventually: Eventually) -> None:
    async with replica(redis_url, served=host(Defective())) as engine:
        ann, *_ = await playing(engine, base_score=13, bid_limit="0.020s")

        async def closed() -> bool:
            return (await ann.look()).status == room_pb2.ROOM_STATUS_FAULTED

        await eventually(closed)
        await _stays_for_the_operator(engine, ann.room_id)


class Blinding(DouDizhu):
    """Dou Dizhu that stumbles over telling of a lost connection."""

    def observe(self, event: Any, audience: Any) -> Any:
        if type(event).__name__ == "PresenceChanged":
            raise ZeroDivisionError("a defect")
        return super().observe(event, audience)


async def test_a_defect_in_telling_of_a_step_closes_its_room_too(
    redis_url: str, eventually: Eventually
) -> None:
    async with replica(redis_url, served=host(Blinding())) as engine:
        guests = await playing(engine)
        others = await _others(engine)
        for _ in range(3):
            await guests[0].online(1, online=False)
        assert (await guests[1].look()).status == room_pb2.ROOM_STATUS_FAULTED
        # A lease that runs out meets the same defect, and the engine goes on.
        shard, member = shard_of(others[0].room_id), f"{others[0].room_id}:{others[0].name}"
        await engine.redis.hset(KEYS.connections(shard, KIND), member, 1)
        await engine.redis.zadd(KEYS.presence(shard, KIND), {member: 1})

        async def closed() -> bool:
            return bool((await others[1].look()).status == room_pb2.ROOM_STATUS_FAULTED)

        await eventually(closed)
        assert await engine.open()
