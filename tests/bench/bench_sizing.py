"""What a player costs: processor time of each service by step, and memory by table.

    python -m tests.bench.bench_sizing [--rooms 2000] [--tables 120] [--seconds 40] [--think 2]

A whole Parlor with one replica of each service. First `--rooms` tables of Dou Dizhu are dealt, for the
memory of the engine and of Redis. Then three people at each of `--tables` play through the gateway,
each thinking for `--think` seconds on average: what the services use of the processor meanwhile does not
depend on how much of it the players here take away.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration

from parlor.bots.policies import POLICIES
from parlor.client import Client, Refused, Room, SessionOver
from parlor.everything import Everything, EverythingConfig
from parlor.serving.keys import Keys
from parlor.serving.redis import connect, open_batch
from parlor.serving.replicas import live_replicas
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.engine_service_pb2 import EngineRequest, EngineServiceOpenRoomRequest, Player
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.play_pb2 import Command, Ready
from parlor.v1.room_pb2 import GameConfig, RoomStatus
from tests.bench.engine_process import send
from tests.soak.sizes import resident_kib

CONFIG: Final = GameConfig(doudizhu=DouDizhuConfig())
UNHURRIED: Final = GameConfig(doudizhu=DouDizhuConfig(bid_limit=Duration(seconds=3_600)))
"""Nothing happens at a dealt table while the others are dealt."""
SEATS: Final = 3
STEP_S: Final = 2.0
"""How often a table of people makes a step: what the figures for players assume."""
_AT_ONCE: Final = 100

NO_LIMITS: Final = {
    "PARLOR_GATEWAY_OPENS_PER_MIN": "1000000",
    "PARLOR_GATEWAY_CODES_PER_MIN": "1000000",
    "PARLOR_GATEWAY_ADDRESS_CODES_PER_MIN": "1000000",
    "PARLOR_GATEWAY_ADDRESS_ARRIVALS_PER_S": "1000000",
    "PARLOR_GATEWAY_ADDRESS_ARRIVALS_BURST": "1000000",
    "PARLOR_GATEWAY_ADDRESS_REQUESTS_PER_S": "1000000",
    "PARLOR_GATEWAY_ADDRESS_REQUESTS_BURST": "1000000",
}
"""Everybody comes from one address here."""


@dataclass(frozen=True, slots=True)
class Used:
    """What the services have used so far."""

    cpu_s: dict[str, float]
    resident_kib: dict[str, int]
    redis_bytes: int


class Sized:
    """A Parlor that is measured."""

    def __init__(self, parlor: Everything, redis: Any) -> None:
        assert parlor.redis is not None
        self.url = parlor.url
        self.redis = redis
        self.pids = {
            "engine": parlor.pids("engine")[0],
            "gateway": parlor.pids("gateway")[0],
            "redis": parlor.redis.pid,
        }

    async def used(self) -> Used:
        """What they have used by now."""
        memory = await self.redis.info("memory")
        return Used(
            cpu_s={name: cpu_s(pid) for name, pid in self.pids.items()},
            resident_kib={name: resident_kib(pid) for name, pid in self.pids.items()},
            redis_bytes=int(memory["used_memory"]),
        )

    async def deal(self, count: int) -> None:
        """Opens so many rooms with their players, and deals."""
        batch = open_batch(self.redis)
        (replica,) = await live_replicas(batch, Keys())
        await batch.aclose()
        async with grpc.aio.insecure_channel(replica.address) as channel:
            stub: Any = EngineServiceStub(channel)
            for numbers in _chunks(range(count)):
                opened = await asyncio.gather(*(_opened(stub, number) for number in numbers))
                rooms = [answer.room.room_id for answer in opened]
                for seat in range(SEATS):
                    pairs = zip(numbers, rooms, strict=True)
                    await send(stub, [_ready(room, number, seat) for number, room in pairs])


@asynccontextmanager
async def sized() -> AsyncIterator[Sized]:
    """A new Parlor."""
    with tempfile.TemporaryDirectory(prefix="parlor-sizing-") as folder:
        config = EverythingConfig(
            port=0, kinds=("doudizhu",), engines=1, bots=0, directory=folder, start_ms=180_000
        )
        async with Everything(config, env={**os.environ, **NO_LIMITS}, say=print) as parlor:
            redis = connect(parlor.redis_url)
            yield Sized(parlor, redis)
            await redis.aclose()


def cpu_s(pid: int) -> float:
    """The processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _players(number: int) -> list[Player]:
    return [Player(player=f"p{number}-{seat}", name=f"P{seat}") for seat in range(SEATS)]


async def _opened(stub: Any, number: int) -> Any:
    """The answer to an opening, asked for again where the call broke: it is the same room."""
    while True:
        try:
            return await stub.OpenRoom(_opening(number))
        except grpc.aio.AioRpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                raise


def _opening(number: int) -> EngineServiceOpenRoomRequest:
    return EngineServiceOpenRoomRequest(
        request_id=f"sizing-{number}",
        opener="sizing",
        config=UNHURRIED,
        players=_players(number),
        unbounded=True,
    )


def _ready(room_id: str, number: int, seat: int) -> EngineRequest:
    command = Command(request_id=f"ready-{seat}", room_id=room_id, ready=Ready(ready=True))
    return EngineRequest(player=_players(number)[seat], command=command)


def _chunks(numbers: Sequence[int]) -> Iterator[list[int]]:
    left = iter(numbers)
    while chunk := list(islice(left, _AT_ONCE)):
        yield chunk


async def play(room: Room, think_s: float) -> None:
    """One person plays game after game, as the bots do but with time to think; ends when cancelled."""
    answered: set[tuple[int, int]] = set()
    ready_for = 0
    async for _ in room.changes():
        game_no = room.view.game_no
        if room.view.status != RoomStatus.ROOM_STATUS_PLAYING:
            if ready_for <= game_no:
                ready_for = game_no + 1
                await room.ready()
            continue
        if room.game_view is None:
            continue
        action = POLICIES["doudizhu"](room.game_view, random.Random(game_no))
        if action is None or (game_no, action.decision) in answered:
            continue
        answered.add((game_no, action.decision))
        await asyncio.sleep(think_s * random.uniform(0.5, 1.5))
        try:
            await room.act(action)
        except Refused:
            # The clock was faster.
            continue


async def at_tables(stack: AsyncExitStack, url: str, tables: int) -> list[list[Room]]:
    """People at so many tables, each with the room as that person sees it."""

    async def table(number: int) -> list[Room]:
        people = [
            await stack.enter_async_context(Client([url], guest=f"T{number}S{seat}"))
            for seat in range(SEATS)
        ]
        opened = await people[0].open_room(CONFIG)
        return [await people[0].watch(opened.room_id)] + [
            await person.join(opened.code) for person in people[1:]
        ]

    # One after the other: the sign-ins are not what is measured.
    return [await table(number) for number in range(tables)]


def _mib(kib: float) -> str:
    return f"{kib / 1024:.1f} MiB"


async def memory(parlor: Sized, rooms: int) -> None:
    """Prints what dealt tables hold."""
    # What is loaded or allocated once shall not count as the tables'.
    await parlor.deal(_AT_ONCE)
    before = await parlor.used()
    await parlor.deal(_AT_ONCE + rooms)
    after = await parlor.used()
    engine = after.resident_kib["engine"] - before.resident_kib["engine"]
    redis = (after.redis_bytes - before.redis_bytes) / 1024
    print(f"memory by 1,000 dealt tables, from {rooms}:")
    print(f"  engine {_mib(engine * 1000 / rooms)}, Redis {_mib(redis * 1000 / rooms)}")
    print(f"  each begins at: engine {_mib(before.resident_kib['engine'])}", flush=True)


async def pace(parlor: Sized, tables: int, seconds: float, think_s: float) -> None:
    """Prints what steps cost, and how many players a core carries therefore."""
    idle = await parlor.used()
    async with AsyncExitStack() as stack:
        rooms = await at_tables(stack, parlor.url, tables)
        connected = await parlor.used()
        playing = [asyncio.create_task(play(room, think_s)) for table in rooms for room in table]
        # Until the games are under way.
        await asyncio.sleep(2 * think_s)
        steps_before = sum(table[0].counts.entries for table in rooms)
        before = await parlor.used()
        await asyncio.sleep(seconds)
        after = await parlor.used()
        steps = sum(table[0].counts.entries for table in rooms) - steps_before
        for task in playing:
            task.cancel()
        ends = await asyncio.gather(*playing, return_exceptions=True)
    broken = [
        end for end in ends if isinstance(end, Exception) and not isinstance(end, SessionOver)
    ]
    assert not broken, broken
    people = tables * SEATS
    print(f"{people} players at {tables} tables: {steps / seconds:.1f} steps/s in {seconds:.0f} s")
    for name in parlor.pids:
        ms = (after.cpu_s[name] - before.cpu_s[name]) * 1000 / steps
        players = 1000 / ms * STEP_S * SEATS
        print(f"  {name:8} {ms:6.2f} ms by step: {players:8,.0f} players by core")
    gateway = connected.resident_kib["gateway"] - idle.resident_kib["gateway"]
    print(f"  gateway  {gateway / people:.0f} KiB by connection")
    print(
        f"  Redis    {(after.redis_bytes - before.redis_bytes) / steps:,.0f} bytes by step",
        flush=True,
    )


async def main() -> None:
    """Measures both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rooms", type=int, default=2000)
    parser.add_argument("--tables", type=int, default=120)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--think", type=float, default=STEP_S)
    args = parser.parse_args()
    async with sized() as parlor:
        await memory(parlor, args.rooms)
    # Another one: the clocks of the dealt tables would be counted as the others' steps.
    async with sized() as parlor:
        await pace(parlor, args.tables, args.seconds, args.think)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
