"""Records of two formats in one fleet: an upgrade and its rollback lose nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import msgspec
import pytest
from redis.asyncio import Redis

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.engine.formats import PLAIN, RELEASED, Format, Formats, Written
from parlor.engine.host import Host
from parlor.engine.record import RoomRecord
from parlor.engine.snapshot import UnreadableRecord, encode
from parlor.rules.catalog import GAMES as RULES
from parlor.serving.keys import shard_of
from parlor.v1 import engine_service_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.finished_pb2 import FinishedGame
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.wire.catalog import WIRE
from tests import first_release
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS, KIND, Guest, Replica, replica, seated
from tests.integration.gateway.support import Clients, gateway


class _Nested(msgspec.Struct):
    format: int
    body: bytes


def _write_nested(record: RoomRecord) -> Written:
    return Written(encode({"format": 2, "body": encode(replace(record, format=2))}))


def _read_nested(written: Written) -> RoomRecord:
    body = msgspec.msgpack.decode(written.record, type=_Nested).body
    return msgspec.msgpack.decode(body, type=RoomRecord)


NESTED = Format(number=2, write=_write_nested, read=_read_nested)
"""What a later release might write: nothing of it can be taken for the first format."""

FIRST = Formats(PLAIN, writes=1)
NEXT = Formats(PLAIN, NESTED, writes=1)
LAST = Formats(PLAIN, NESTED, writes=2)
"""Three releases that follow each other."""


@asynccontextmanager
async def engine(redis_url: str, formats: Formats, kind: str = KIND) -> AsyncIterator[Replica]:
    """A replica of one release."""
    served = Host(game=RULES[kind], wire=WIRE[kind], formats=formats)
    async with replica(redis_url, served=served) as running:
        yield running


class Fleet:
    """Engines that come and go, each in a task of its own, as their processes would."""

    def __init__(self, redis_url: str, tasks: asyncio.TaskGroup) -> None:
        self._redis_url = redis_url
        self._tasks = tasks
        self._stops: list[tuple[asyncio.Event, asyncio.Task[None]]] = []

    async def start(self, formats: Formats) -> None:
        """One more."""
        started, stop = asyncio.Event(), asyncio.Event()

        async def run() -> None:
            async with engine(self._redis_url, formats):
                started.set()
                await stop.wait()

        self._stops.append((stop, self._tasks.create_task(run())))
        await started.wait()

    async def stop(self) -> None:
        """The eldest leaves."""
        stop, task = self._stops.pop(0)
        stop.set()
        await task

    async def become(self, formats: Formats) -> None:
        """Every replica is replaced, one after the other."""
        for _ in range(len(self._stops)):
            await self.start(formats)
            await self.stop()


async def format_of(redis: Any, room_id: str) -> int:
    """The format in which Redis has the room."""
    return int(msgspec.msgpack.decode(await redis.hget(KEYS.room(room_id), "record"))["format"])


async def formats_there(redis: Any) -> set[int]:
    """The formats of all rooms."""
    return {
        await format_of(redis, key.decode().rpartition(":")[2])
        async for key in redis.scan_iter("*:room:*")
    }


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        pytest.param(FIRST, NEXT, 1, id="the release that learns to read it"),
        pytest.param(NEXT, LAST, 2, id="the release that writes it"),
        pytest.param(first_release.FIRST, RELEASED, 1, id="those that there are"),
    ],
)
async def test_an_upgrade_and_its_rollback_lose_no_game(
    redis_url: str,
    redis: Redis,
    eventually: Eventually,
    old: Formats,
    new: Formats,
    written: int,
) -> None:
    game = GAMES["doudizhu"]
    async with asyncio.TaskGroup() as tasks:
        fleet = Fleet(redis_url, tasks)
        for _ in range(2):
            await fleet.start(old)
        async with gateway(redis_url) as door:
            setting = Setting(
                urls=[f"http://{door.http_address}"],
                game=game,
                config=game.config(game.rule_sets[0]),
                habits=Habits(timeout_in=0, drop_in=0),
                say=lambda line: None,
            )
            playing = asyncio.create_task(play(setting, games=12, parallel=3, seed=5, limit_s=300))
            await eventually(lambda: redis.keys("*:log:*"))
            assert await formats_there(redis) == {1}
            await fleet.become(new)

            async def is_written() -> bool:
                return written in await formats_there(redis)

            await eventually(is_written)
            await fleet.become(old)
            tally = await playing
            assert tally.is_clean, "\n".join(tally.lines())
        for _ in range(2):
            await fleet.stop()


async def test_the_first_release_plays_on_at_a_table_of_a_later_one(redis_url: str) -> None:
    """All are stopped, and the first release started: nobody of the later one is there to help."""
    jinxian = room_pb2.GameConfig(jinxian=JinxianConfig())
    async with engine(redis_url, RELEASED, "jinxian") as new:
        room_id = await new.open(config=jinxian, players=[Player(player="ann", name="Ann")])
        await Guest("bob", room_id, new).accepted(join=play_pb2.Join())
        await Guest("ann", room_id, new).accepted(swap_seats=play_pb2.SwapSeats(first=0, second=1))
        assert await new.redis.hexists(KEYS.room(room_id), "added")
    async with engine(redis_url, first_release.FIRST, "jinxian") as old:
        ann = Guest("ann", room_id, old)
        assert [seat.player for seat in (await ann.look()).seats] == ["bob", "ann", "", ""]
        await Guest("cat", room_id, old).accepted(join=play_pb2.Join())
        await ann.accepted(ready=play_pb2.Ready(ready=True))
    async with engine(redis_url, RELEASED, "jinxian") as new:
        dan = Guest("dan", room_id, new)
        await dan.accepted(join=play_pb2.Join())
        view = await dan.look()
        assert [seat.player for seat in view.seats] == ["bob", "ann", "cat", "dan"]
        assert view.host == 1
        # Limits run again for whoever is not ready.
        assert [seat.HasField("ready_time") for seat in view.seats] == [True, False, True, True]


async def test_the_archive_hears_who_took_a_seat_over_though_the_first_release_played_on(
    redis_url: str,
) -> None:
    players = [Player(player=name, name=name, bot=name != "ann") for name in ("ann", "bo", "by")]
    async with engine(redis_url, RELEASED) as new, engine(redis_url, first_release.FIRST) as old:
        room_id = await new.open(players=players)
        for player in players:
            guest = Guest(player.player, room_id, new)
            await guest.accepted(ready=play_pb2.Ready(ready=True))
        await Guest("dan", room_id, new).accepted(join=play_pb2.Join(seat=1))
        await Guest("ann", room_id, old).accepted(dissolve=play_pb2.Dissolve(agree=True))
        await Guest("dan", room_id, new).accepted(dissolve=play_pb2.Dissolve(agree=True))
        ((_, fields),) = await new.redis.xrange(KEYS.finished(shard_of(room_id)))
        seats = FinishedGame.FromString(fields[b"game"]).seats
        assert [seat.took_over for seat in seats] == [False, True, False]


async def test_a_format_is_written_while_every_live_replica_reads_it(
    redis_url: str, redis: Redis, eventually: Eventually
) -> None:
    async with engine(redis_url, LAST) as new:
        guests = await seated(new)
        ready = False

        async def is_written_as(number: int) -> bool:
            nonlocal ready
            ready = not ready
            await guests[0].accepted(ready=play_pb2.Ready(ready=ready))
            return await format_of(redis, guests[0].room_id) == number

        await eventually(lambda: is_written_as(2))
        async with engine(redis_url, FIRST):
            await eventually(lambda: is_written_as(1))
        await eventually(lambda: is_written_as(2))


async def test_a_replica_leaves_a_room_alone_that_it_cannot_read(
    redis_url: str, redis: Any, eventually: Eventually
) -> None:
    """A command finds its way to the replica that reads the room, whosever the shard is."""
    clients = Clients()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(clients.aclose)
        await stack.enter_async_context(engine(redis_url, LAST))
        door = await stack.enter_async_context(gateway(redis_url, opens_per_min=1_000))
        ann = await clients.connect(door)
        rooms: list[str] = []

        async def are_new() -> bool:
            rooms[:] = [(await ann.open_room(join=False)).room_id for _ in range(4)]
            return {await format_of(redis, room_id) for room_id in rooms} == {2}

        await eventually(are_new)
        old = await stack.enter_async_context(engine(redis_url, FIRST))
        stored = await redis.hgetall(KEYS.room(rooms[0]))
        join = play_pb2.Command(request_id="r", room_id=rooms[0], join=play_pb2.Join())
        look = engine_service_pb2.Look(room_id=rooms[0])
        for answer in (await old.call("bob", command=join), await old.call("bob", look=look)):
            assert answer.refused.reason == ErrorReason.ERROR_REASON_NO_ENGINE
        assert await redis.hgetall(KEYS.room(rooms[0])) == stored

        async def both_are_known() -> bool:
            url = f"http://{door.http_address}/metrics"
            async with aiohttp.ClientSession() as http, http.get(url) as response:
                return 'parlor_gateway_engines{kind="doudizhu"} 2.0' in await response.text()

        await eventually(both_are_known)
        await ann.accepted(rooms[0], join=play_pb2.Join())
        for room_id in rooms[1:]:
            assert (await clients.view(door, ann, room_id)).room_id == room_id
        ready = False

        async def is_written_for_both() -> bool:
            nonlocal ready
            ready = not ready
            await ann.accepted(rooms[0], ready=play_pb2.Ready(ready=ready))
            return await format_of(redis, rooms[0]) == 1

        await eventually(is_written_for_both)
        assert (await Guest(ann.player, rooms[0], old).look()).seats[0].player == ann.player


@pytest.mark.parametrize(
    ("fleet", "expected"),
    [
        pytest.param([(1, 2), (1, 2)], 2, id="all read it"),
        pytest.param([(1, 2), (1,)], 1, id="one does not"),
        pytest.param([(1, 2, 3), (2, 3)], 2, id="never newer than its own"),
        pytest.param([(3, 4)], 1, id="too far apart"),
        pytest.param([], 2, id="alone"),
    ],
)
def test_the_newest_format_that_a_fleet_agrees_on(
    fleet: list[tuple[int, ...]], expected: int
) -> None:
    assert LAST.agreed(fleet) == expected


def record() -> RoomRecord:
    return RoomRecord(
        room_id="s1-doudizhu-aaaaaa",
        kind="doudizhu",
        rules=1,
        config=b"",
        seats=(),
        heads=(),
        seed=b"",
    )


def test_a_record_survives_each_format() -> None:
    for number in LAST.reads:
        raw = LAST.encode(record(), number)
        assert LAST.decode(raw.record) == LAST.recall(raw) == replace(record(), format=number)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(LAST.encode(record(), 2).record, id="a later format"),
        pytest.param(encode({"format": 1, "body": b""}), id="not what it says"),
        pytest.param(
            encode({**msgspec.msgpack.decode(encode(record())), "unknown": 1}), id="a later field"
        ),
        pytest.param(encode({"room_id": "s1-doudizhu-aaaaaa"}), id="no format"),
    ],
)
def test_what_a_release_does_not_know_is_not_read(raw: bytes) -> None:
    with pytest.raises(UnreadableRecord):
        RELEASED.decode(raw)
