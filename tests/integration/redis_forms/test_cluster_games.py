"""Whole games on a Redis Cluster: over real sockets, and while its slots and primaries change."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.cli.tally import Tally
from parlor.client import Client
from parlor.client.games import seats_of
from parlor.engine import metrics
from parlor.engine.scripts import OUTAGE_MS
from parlor.serving.keys import shard_of
from parlor.serving.redis import Batch, Script, open_batch
from parlor.serving.redis_server import RedisServer
from parlor.serving.slots import slot_of
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest, OpenRoomsRequest
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS, KIND, Guest, Replica, config, replica
from tests.integration.play.support import deployment
from tests.integration.redis_forms.cluster import RunningCluster, ask, until

SHARDS = range(64)
ENGINES = KEYS.engines()

LIMITS: dict[str, dict[str, int]] = {
    "doudizhu": {},
    "jinxian": {"rounds": 1, "claim_ms": 1_000},
    "planes": {},
}

LIVELY = Habits(timeout_in=0, repeat_in=3, drop_in=1, away_ms=100)


async def games(urls: Sequence[str], kind: str, *, count: int, habits: Habits = LIVELY) -> Tally:
    """Games at as many tables at once."""
    game = GAMES[kind]
    setting = Setting(
        urls=urls,
        game=game,
        config=game.config(game.rule_sets[0], **LIMITS[kind]),
        habits=habits,
        say=lambda _: None,
    )
    return await play(setting, games=count, parallel=count, seed=5, limit_s=300)


@pytest.mark.parametrize("kind", GAMES)
async def test_every_game_is_played_to_its_end(servers: RunningCluster, kind: str) -> None:
    async with deployment(servers.url, kind=kind) as urls:
        tally = await games(urls, kind, count=2)
    assert tally.is_clean, tally.as_json()
    assert (tally.games_finished, tally.client.gaps) == (2, 0)
    assert min(tally.repeats, tally.drops, tally.actions) > 0


async def test_players_are_matched_and_find_their_room(servers: RunningCluster) -> None:
    wanted = GAMES["doudizhu"].config(GAMES["doudizhu"].rule_sets[0])
    async with AsyncExitStack() as stack:
        urls = await stack.enter_async_context(deployment(servers.url))
        clients = [
            await stack.enter_async_context(Client([urls[number % 2]], guest=f"p{number}"))
            for number in range(2 * seats_of(wanted))
        ]
        for client in clients:
            await client.enqueue(wanted)
        async with asyncio.timeout(60):
            rooms = await asyncio.gather(*(client.assigned() for client in clients))
            for client, room_id in zip(clients, rooms, strict=True):
                await client.watch(room_id)
    assert sorted(rooms.count(room) for room in set(rooms)) == [3, 3]


async def test_the_feed_is_told_to_the_servers_of_one_slot_only(
    servers: RunningCluster, eventually: Eventually
) -> None:
    async with deployment(servers.url, engines=1, gateways=1) as urls:
        before = [_calls(server, "publish") for server in servers.primaries()]
        tally = await games(urls, "doudizhu", count=2, habits=Habits(drop_in=0))
        assert tally.is_clean, tally.as_json()
        assert tally.actions > 0
        assert [_calls(server, "publish") for server in servers.primaries()] == before == [0, 0, 0]
        assert sum(_calls(server, "spublish") for server in servers.primaries()) > tally.actions


def _calls(server: RedisServer, command: str) -> int:
    """How often a server carried a command out."""
    for line in ask(server.port, "INFO", "commandstats").decode().splitlines():
        name, _, counts = line.partition(":")
        if name == f"cmdstat_{command}":
            return int(counts.partition("calls=")[2].partition(",")[0])
    return 0


async def test_games_go_on_while_their_slots_move(servers: RunningCluster) -> None:
    """Nothing acknowledged is lost or doubled, and every game reaches its end."""

    async def move_all() -> None:
        for shard in SHARDS:
            key = f"{{s{shard}}}"
            others = [s for s in servers.primaries() if s is not servers.primary_of(key)]
            await asyncio.to_thread(servers.move_slot, slot_of(key), others[shard % len(others)])

    async with deployment(servers.url, gateways=1) as urls:
        _, tally = await asyncio.gather(move_all(), games(urls, "doudizhu", count=2))
    assert tally.is_clean, tally.as_json()
    assert tally.client.gaps == 0


OVERDUE = Script("""
local time, due = redis.call('TIME'), redis.call('ZSCORE', KEYS[1], ARGV[1])
return due and time[1] * 1000 + math.floor(time[2] / 1000) - due or 0
""")


class Watched:
    """A room where only clocks act, and what its log says of them."""

    def __init__(self, guest: Guest, batch: Batch) -> None:
        self.guest = guest
        self.room_id = guest.room_id
        self._batch = batch

    async def log(self) -> list[tuple[int, str, int]]:
        """Version, what happened, and its instant."""
        return [
            (version, step[b"what"].decode(), int(step[b"at"]))
            for version, step in await self._steps()
        ]

    async def lost_ms(self) -> int:
        """How long nobody could have played there, by the outages that its log tells of."""
        return sum(
            int(step[b"body"]) for _, step in await self._steps() if step[b"what"] == b"outage"
        )

    async def _steps(self) -> list[tuple[int, dict[bytes, bytes]]]:
        lines = await self._batch.call("XRANGE", KEYS.log(self.room_id, 1), "-", "+")
        return [
            (int(entry.split(b"-")[0]), dict(zip(fields[::2], fields[1::2], strict=True)))
            for entry, fields in lines
        ]

    async def overdue_ms(self) -> int:
        """By how much its clock is late at the moment."""
        deadlines = KEYS.deadlines(shard_of(self.room_id), KIND)
        return max(0, int(await OVERDUE(self._batch, [deadlines], [self.room_id])))

    async def ticks(self) -> int:
        """How many clocks have run out."""
        return sum(what == "clock" for _, what, _ in await self.log())


async def left_alone(
    engine: Replica, batch: Batch, servers: RunningCluster, server: RedisServer, *names: str
) -> Watched:
    """A table with a room on a server."""
    options = config(bid_limit="0.200s", play_limit="0.200s")
    for number in range(100):
        room_id = await engine.open(opener=names[0], request_id=f"r{number}", config=options)
        if servers.primary_of(KEYS.room(room_id)) is server:
            break
    guests = [Guest(name, room_id, engine) for name in names]
    for guest in guests:
        await guest.accepted(join=play_pb2.Join())
        await guest.online(1)
    for guest in guests:
        await guest.accepted(ready=play_pb2.Ready(ready=True, entropy=guest.name.encode()))
    return Watched(guests[0], batch)


async def test_rooms_of_all_servers_are_opened_in_one_call(servers: RunningCluster) -> None:
    together = OpenRoomsRequest(
        requests=[
            EngineServiceOpenRoomRequest(
                request_id=f"r{number}", opener="us", config=config(), matched=True
            )
            for number in range(60)
        ]
    )
    async with replica(servers.url) as engine:
        opened = (await engine.stub.OpenRooms(together)).results
        rooms = {result.room.room_id for result in opened}
        assert len(rooms) == 60
        assert {servers.primary_of(KEYS.room(room)).port for room in rooms} == {
            server.port for server in servers.primaries()
        }
        assert (await engine.stub.OpenRooms(together)).results == opened


async def test_clocks_go_on_once_each_when_their_primary_is_killed(
    servers: RunningCluster, eventually: Eventually
) -> None:
    killed, spared = servers.primaries()[:2]
    async with replica(servers.url) as engine, AsyncExitStack() as stack:
        batch = open_batch(engine.app.redis)
        stack.push_async_callback(batch.aclose)
        hit = await left_alone(engine, batch, servers, killed, "dan", "eve", "fay")
        missed = await left_alone(engine, batch, servers, spared, "gus", "hal", "ida")
        assert ask(killed.port, "WAIT", 1, 5_000) == 1
        killed.kill()
        before = await missed.ticks()
        await eventually(lambda: _ticks_above(missed, before + 3))

        await eventually(engine.app.ready_checks["expirations"], timeout=60)
        again = await _persistently(hit)
        await eventually(lambda: _ticks_above(hit, again + 3), timeout=60)

        heard = _woken_by_event()
        again = await hit.ticks()
        await eventually(lambda: _ticks_above(hit, again + 3))
        assert _woken_by_event() > heard
        for room in (hit, missed):
            log = await room.log()
            versions = [version for version, _, _ in log]
            assert versions == list(range(versions[0], versions[0] + len(versions)))
            instants = [at for _, what, at in log if what == "clock"]
            assert instants == sorted(set(instants))
        # Whoever was spared has lost no time, but to a machine that stood still, as both did.
        assert await missed.lost_ms() < await hit.lost_ms()
    killed.restart()
    await asyncio.to_thread(until, servers.is_whole)


async def test_other_shards_lose_no_time_while_a_primary_does_not_answer(
    servers: RunningCluster, eventually: Eventually
) -> None:
    """Neither an outage is credited there, nor is a clock late: also where the list of engines is out of reach."""
    spared = next(each for each in servers.primaries() if each is not servers.primary_of(ENGINES))
    latest = 0
    async with replica(servers.url) as engine, AsyncExitStack() as stack:
        # Of the test's own: it waits for nobody.
        batch = open_batch(engine.app.redis)
        stack.push_async_callback(batch.aclose)
        room = await left_alone(engine, batch, servers, spared, "gus", "hal", "ida")

        async def has_ticked(count: int) -> bool:
            nonlocal latest
            latest = max(latest, await room.overdue_ms())
            return await room.ticks() >= count

        await eventually(lambda: has_ticked(2))
        with servers.frozen(*servers.all_of(ENGINES)):
            ticks = await room.ticks()
            # Several seconds.
            await eventually(lambda: has_ticked(ticks + 20))
        assert (await room.lost_ms(), latest < OUTAGE_MS) == (0, True)
    await asyncio.to_thread(until, servers.is_whole)


async def _ticks_above(room: Watched, count: int) -> bool:
    return await room.ticks() > count


async def _persistently(room: Watched) -> int:
    """The ticks of a room as soon as its server answers again."""
    for _ in range(300):
        answer = await room.guest.command(request_id="again", say=play_pb2.Say(text="again"))
        if answer.HasField("accepted"):
            return await room.ticks()
        await asyncio.sleep(0.05)
    raise AssertionError("never accepted")


def _woken_by_event() -> float:
    """Clocks that ran out because Redis told of it."""
    return float(metrics.CLOCK_LATENESS.labels(KIND, "event")._sum.get())
