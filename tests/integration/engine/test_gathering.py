"""A table of Jinxian that gathers, on a real Redis: its limits run out, and its host has an heir."""

from parlor.engine.host import Host, RoomLimits
from parlor.rules.catalog import GAMES
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.wire.catalog import WIRE
from tests.conftest import Eventually
from tests.integration.engine.support import Guest, Replica, replica, seated


def jinxian(**limits: int) -> Host:
    return Host(game=GAMES["jinxian"], wire=WIRE["jinxian"], limits=RoomLimits(**limits))


async def opened(engine: Replica, *, ready_limit: str = "") -> Guest:
    """Ann, connected, at her new table."""
    config = JinxianConfig()
    if ready_limit:
        config.ready_limit.FromJsonString(ready_limit)
    room_id = await engine.open(
        config=room_pb2.GameConfig(jinxian=config),
        # Who has lost the seat may still look.
        options=room_pb2.RoomOptions(spectators=True),
        players=[Player(player="ann", name="Ann")],
    )
    ann = Guest("ann", room_id, engine)
    await ann.online(1)
    return ann


async def players(guest: Guest) -> list[str]:
    return [seat.player for seat in (await guest.look()).seats]


async def test_a_seat_that_is_not_ready_in_time_is_freed_before_the_first_game(
    redis_url: str, eventually: Eventually
) -> None:
    async with replica(redis_url, served=jinxian()) as engine:
        ann = await opened(engine, ready_limit="0.200s")
        bob = Guest("bob", ann.room_id, engine)
        await bob.accepted(join=play_pb2.Join())

        async def is_empty() -> bool:
            return await players(ann) == [""] * 4

        await eventually(is_empty)
        assert await bob.refused(ready=play_pb2.Ready(ready=True)) == "NOT_SEATED"
        # Neither is held by the table that let go of them.
        places = [await engine.redis.hget(key, "place") for key in await engine.redis.keys("{u:*")]
        assert not [place for place in places if place]


async def test_another_replica_knows_until_when_a_seat_has_to_be_ready(redis_url: str) -> None:
    async with (
        replica(redis_url, served=jinxian()) as one,
        replica(redis_url, served=jinxian()) as two,
    ):
        ann = await opened(one)
        there = await ann.look()
        assert there.seats[0].HasField("ready_time")
        assert not there.HasField("ready_time")
        elsewhere = await Guest("ann", ann.room_id, two).look()
        assert elsewhere.seats[0].ready_time == there.seats[0].ready_time


async def test_the_longest_seated_inherits_a_room_whichever_replica_sees_its_host_leave(
    redis_url: str,
) -> None:
    async with replica(redis_url) as one, replica(redis_url) as two:
        ann, bob, cat = await seated(one)
        await ann.accepted(swap_seats=play_pb2.SwapSeats(first=1, second=2))
        await Guest("ann", ann.room_id, two).accepted(leave=play_pb2.Leave())
        view = await bob.look()
        assert [seat.player for seat in view.seats] == ["", "cat", "bob"]
        assert view.host == 2
        assert await cat.refused(kick=play_pb2.Kick(seat=2)) == "NOT_HOST"


async def test_a_room_closes_in_which_nobody_comes_or_goes_although_it_is_used(
    redis_url: str, eventually: Eventually
) -> None:
    async with replica(redis_url, served=jinxian(still_ms=300)) as engine:
        ann = await opened(engine)

        async def is_gone() -> bool:
            return not await engine.redis.keys(f"*{ann.room_id}*")

        await eventually(is_gone)
        assert await ann.refused(join=play_pb2.Join()) == "ROOM_NOT_FOUND"
