"""Many rooms opened in one call, as matchmaking does in a rush: each of them once, each on its own."""

import asyncio

from parlor.serving.errors import reason_name
from parlor.v1.engine_service_pb2 import (
    AttendanceRequest,
    EngineServiceOpenRoomRequest,
    OpenRoomResult,
    OpenRoomsRequest,
    Player,
)
from tests.integration.engine.support import (
    KEYS,
    KIND,
    Replica,
    config,
    feed,
    replica,
    seated,
    version,
)


def matched(request_id: str) -> EngineServiceOpenRoomRequest:
    players = [Player(player=f"{request_id}-{seat}", name="Ann") for seat in range(3)]
    return EngineServiceOpenRoomRequest(
        request_id=request_id, opener="us", config=config(), players=players, matched=True
    )


def unmatched(request_id: str) -> EngineServiceOpenRoomRequest:
    return EngineServiceOpenRoomRequest(request_id=request_id, opener="us", config=config())


async def opened(engine: Replica, *requests: EngineServiceOpenRoomRequest) -> list[OpenRoomResult]:
    return list((await engine.stub.OpenRooms(OpenRoomsRequest(requests=requests))).results)


async def test_each_gets_a_room_with_its_players_a_clock_and_a_first_entry(engine: Replica) -> None:
    names = [f"m{number}" for number in range(40)]
    rooms = [result.room.room_id for result in await opened(engine, *map(matched, names))]
    assert len(set(rooms)) == 40
    for name, room_id in zip(names, rooms, strict=True):
        there = await engine.stub.Attendance(AttendanceRequest(room_id=room_id))
        assert [seat.player for seat in there.seats] == [f"{name}-{seat}" for seat in range(3)]
        shard = int(room_id[1:].split("-")[0])
        due = await engine.redis.zscore(KEYS.deadlines(shard, KIND), room_id)
        assert due == int(await engine.redis.hget(KEYS.room(room_id), "due"))
        assert await engine.redis.pttl(KEYS.timer(KIND, room_id)) > 0
        assert await version(engine, room_id) == len(await feed(engine, room_id)) == 1


async def test_the_same_match_is_one_room_in_one_call_in_two_and_on_two_replicas(
    redis_url: str,
) -> None:
    async with replica(redis_url) as one, replica(redis_url) as other:
        first, again = await opened(one, matched("m"), matched("m"))
        assert first.room.link_token
        assert [first] == [again] == await opened(other, matched("m"))
        assert (await other.stub.OpenRoom(matched("m"))).room == first.room
        assert await version(one, first.room.room_id) == 1


async def test_replicas_that_are_asked_at_once_for_the_same_matches_open_each_once(
    redis_url: str,
) -> None:
    requests = [matched(f"m{number}") for number in range(30)]
    async with replica(redis_url) as one, replica(redis_url) as other:
        calls = [opened(each, *requests) for each in (one, other) for _ in range(3)]
        first, *others = await asyncio.gather(*calls)
    assert all(result.room.link_token for result in first)
    assert all(each == first for each in others)


async def test_a_room_that_is_there_stays_as_it_is_beside_new_ones(engine: Replica) -> None:
    (before,) = await opened(engine, matched("old"))
    room_id = before.room.room_id
    await engine.redis.hset(KEYS.room(room_id), "version", 7)
    new, old = await opened(engine, matched("new"), matched("old"))
    assert old == before != new
    assert await version(engine, room_id) == 7


async def test_matched_and_others_are_answered_in_their_order(engine: Replica) -> None:
    wrong = matched("wrong")
    wrong.config.doudizhu.base_score = 0
    crowded = matched("crowded")
    crowded.players.add(player="fourth")
    requests = [unmatched("a"), matched("b"), wrong, unmatched("c"), crowded, matched("d")]
    results = await opened(engine, *requests)
    said = [
        reason_name(result.refused.reason)
        if result.HasField("refused")
        else ("code" if result.room.code else "no code")
        for result in results
    ]
    assert said == ["code", "no code", "INVALID_CONFIG", "code", "MALFORMED", "no code"]
    for request, result in zip(requests, results, strict=True):
        if result.HasField("room"):
            assert (await engine.stub.OpenRoom(request)).room == result.room
    assert await opened(engine) == []


async def test_a_full_replica_gives_the_rooms_that_are_there_and_opens_no_other(
    redis_url: str,
) -> None:
    async with replica(redis_url, most_rooms=1) as engine:
        (before,) = await opened(engine, matched("old"))
        await seated(engine)
        new, old = await opened(engine, matched("new"), matched("old"))
        assert old == before
        assert reason_name(new.refused.reason) == "OVERLOADED"
        assert new.refused.metadata["retry_after_ms"]
