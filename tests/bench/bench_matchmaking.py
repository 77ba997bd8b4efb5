"""How fast people who ask are seated: a rush of thousands at once, then a steady stream.

    python -m tests.bench.bench_matchmaking [--players 10000] [--rate 1000] [--seconds 30]

A real Redis, one engine process, one of matchmaking. Tickets are asked for and followed over gRPC,
many in a call, as a backend does; a wait lasts from the request until the bench is told of the
assignment. Afterwards every room is asked who sits in it: `lost` are players without a
seat, `twice` those with more than one. `cycle_ms` is the CPU time of one decision over a queue of
that many tickets, on this process alone. The last line is all of it as JSON.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import uvloop

from parlor.matchmaking.queue import Table, Waiting, matches
from parlor.matchmaking.tables import Tables
from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.ports import free_port
from parlor.serving.redis_server import start
from parlor.v1.engine_service_pb2 import AttendanceRequest
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.matchmaking_pb2 import TicketState
from parlor.v1.matchmaking_service_pb2 import (
    CreateTicketsRequest,
    WatchTicketsRequest,
)
from parlor.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from parlor.v1.room_pb2 import GameConfig
from tests.bench.engine_process import engine, ready

CONFIG = GameConfig(jinxian=JinxianConfig())
SEATS = 4
BATCH = 250
"""Tickets that are asked for in one call."""
PATIENCE_S = 60.0
WINDOW = ("0:4", "10000:8", "30000:inf")


@dataclass(slots=True)
class Seen:
    """What became of the players."""

    waits_ms: list[float] = field(default_factory=list)
    rooms: dict[str, str] = field(default_factory=dict)
    """By player."""
    refused: int = 0


@contextmanager
def matchmaking(redis_url: str) -> Iterator[tuple[str, str]]:
    """A process of matchmaking; its gRPC and HTTP addresses."""
    ports = free_port(), free_port()
    env = {
        **os.environ,
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_MATCHMAKING_GRPC_PORT": str(ports[0]),
        "PARLOR_MATCHMAKING_HTTP_PORT": str(ports[1]),
        "PARLOR_MATCHMAKING_WINDOW": "0:inf",
        # Nobody here ever says that they are ready.
        "PARLOR_MATCHMAKING_CONNECT_MS": "3600000",
        "PYTHONPATH": "services",
    }
    # What it logs is a part of what it does.
    process = subprocess.Popen(
        [sys.executable, "-m", "parlor.matchmaking"], env=env, stderr=subprocess.DEVNULL
    )
    try:
        yield f"127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}"
    finally:
        process.terminate()
        process.wait()


def asking(names: list[str]) -> CreateTicketsRequest:
    """A ticket for each of these players."""
    request = CreateTicketsRequest()
    for name in names:
        request.requests.add(request_id="bench", config=CONFIG, player=name, name=name)
    return request


class Crowd:
    """Players who ask, and their tickets as a backend follows them."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    async def ask(self, asked: CreateTicketsRequest, seen: Seen) -> None:
        """Asks for tickets in one call and follows them to their rooms in another."""
        began = time.perf_counter()
        response = await self._stub.CreateTickets(asked, timeout=PATIENCE_S)
        watched = WatchTicketsRequest()
        for result in response.results:
            if result.HasField("ticket"):
                ticket = result.ticket
                watched.requests.add(ticket_id=ticket.ticket_id, player=ticket.players[0])
        seen.refused += len(asked.requests) - len(watched.requests)
        watching = self._stub.WatchTickets(watched, timeout=PATIENCE_S)
        try:
            async for response in watching:
                wait_ms = (time.perf_counter() - began) * 1000
                for ticket in response.tickets:
                    if ticket.state == TicketState.TICKET_STATE_ASSIGNED:
                        seen.waits_ms.append(wait_ms)
                        seen.rooms[ticket.players[0]] = ticket.room_id
        except grpc.aio.AioRpcError as error:
            # Whoever has no room by now is lost.
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


async def rush(crowd: Crowd, players: int) -> Seen:
    """Everybody at once."""
    seen, names = Seen(), [f"rush{n}" for n in range(players)]
    asks = [asking(names[at : at + BATCH]) for at in range(0, players, BATCH)]
    await asyncio.gather(*(crowd.ask(asked, seen) for asked in asks))
    return seen


async def stream(crowd: Crowd, rate: int, seconds: int) -> Seen:
    """So many per second, in batches of ten."""
    seen, loop = Seen(), asyncio.get_running_loop()
    began, size = loop.time(), 10
    async with asyncio.TaskGroup() as tasks:
        for number in range(rate * seconds // size):
            await asyncio.sleep(max(0.0, began + number * size / rate - loop.time()))
            asked = asking([f"stream{number}-{n}" for n in range(size)])
            tasks.create_task(crowd.ask(asked, seen))
    return seen


async def counted(stub: Any, seen: Seen, asked: int) -> tuple[int, int, int]:
    """Players seated in rooms that exist, lost ones, and those with two seats."""
    seats: Counter[str] = Counter()
    limit = asyncio.Semaphore(64)

    async def look(room_id: str) -> None:
        async with limit:
            there = await stub.Attendance(AttendanceRequest(room_id=room_id), timeout=PATIENCE_S)
        seats.update(seat.player for seat in there.seats if seat.player)

    await asyncio.gather(*(look(room_id) for room_id in set(seen.rooms.values())))
    seated = sum(1 for player in seen.rooms if seats[player])
    return seated, asked - seated, sum(1 for count in seats.values() if count > 1)


def cycle_ms(tickets: int) -> float:
    """CPU time of one decision over a queue of people who came over half a minute."""
    chance = random.Random(1)
    queue = [
        Waiting(since_ms=chance.randrange(30_000), ticket=f"t{n}", rating=chance.gauss(25, 8))
        for n in range(tickets)
    ]
    tables = Tables.parsed(WINDOW, None, ())
    table = Table(seats=SEATS, window=tables.windows[""])
    took = []
    for _ in range(7):
        began = time.process_time()
        made = sum(1 for _ in matches(queue, table, 30_000))
        took.append((time.process_time() - began) * 1000)
        assert made > tickets // SEATS * 0.9
    return statistics.median(took)


def figures(name: str, seen: Seen, counts: tuple[int, int, int]) -> dict[str, Any]:
    """One phase as figures, said aloud."""
    waits = sorted(seen.waits_ms) or [float("nan")]
    found = {
        "seated": counts[0],
        "lost": counts[1],
        "twice": counts[2],
        "wait_p50_ms": round(waits[len(waits) // 2], 1),
        "wait_p99_ms": round(waits[int(len(waits) * 0.99)], 1),
    }
    print(name, found, flush=True)
    return found


async def measure(players: int, rate: int, seconds: int) -> dict[str, Any]:
    """Both phases against processes of their own."""
    with tempfile.TemporaryDirectory() as directory:
        server = start(Path(directory))
        try:
            with engine(server.url, "jinxian") as engines, matchmaking(server.url) as desk:
                await ready(engines[1])
                await ready(desk[1])
                return await _measure(engines[0], desk[0], players, rate, seconds)
        finally:
            server.stop()


async def _measure(
    engine_at: str, desk_at: str, players: int, rate: int, seconds: int
) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(at, options=CHANNEL_OPTIONS))
            for at in (engine_at, desk_at)
        ]
        rooms, tickets = EngineServiceStub(channels[0]), MatchmakingServiceStub(channels[1])
        crowd = Crowd(tickets)
        # The first of everything is slower, and nobody's measure.
        await crowd.ask(asking([f"first{n}" for n in range(SEATS)]), Seen())
        seen = await rush(crowd, players)
        rushed = figures("rush", seen, await counted(rooms, seen, players))
        seen = await stream(crowd, rate, seconds)
        asked = rate * seconds // 10 * 10
        streamed = figures("stream", seen, await counted(rooms, seen, asked))
    return rushed | {f"stream_{name}": value for name, value in streamed.items()}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=30)
    options = parser.parse_args()
    cycle = cycle_ms(options.players)
    print(f"cycle over {options.players} tickets: {cycle:.1f} ms of CPU", flush=True)
    found = uvloop.run(measure(options.players, options.rate, options.seconds))
    print(json.dumps(found | {"cycle_ms": round(cycle, 1)}))


if __name__ == "__main__":
    main()
