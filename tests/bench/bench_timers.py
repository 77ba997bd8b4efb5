"""How late clocks act, and that none is missed while no expiration is heard.

    python -m tests.bench.bench_timers [--rooms 1000 10000] [--seconds 15]

Rooms play Dou Dizhu without players: every seat's time to bid runs out, over and over. Lateness is
what the engine measures from the instant of a clock to its commit. Each size runs twice: as it is,
and with the engine's subscription killed many times a second. Afterwards every room's log is read:
each clock must stand there once, at its exact instant.
"""

import argparse
import asyncio
import random
import re
import sys
import tempfile
import urllib.request
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
from redis.asyncio import Redis

from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.redis_server import start
from parlor.v1 import doudizhu_pb2, engine_service_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from tests.bench.engine_process import engine, ready, send

LIMIT_MS = (20_000, 40_000)
"""Each room's time to bid lies between these."""
BOUND_S = 0.150


async def open_rooms(address: str, count: int, seed: int) -> list[str]:
    """Opens rooms with nobody connected and starts their games."""
    rng = random.Random(seed)
    async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        stub: Any = EngineServiceStub(channel)
        rooms: list[str] = []
        while len(rooms) < count:
            batch = [opening(rng) for _ in range(min(200, count - len(rooms)))]
            opened = await asyncio.gather(*(stub.OpenRoom(request) for request in batch))
            names = [[p.player for p in request.players] for request in batch]
            fresh = [answer.room.room_id for answer in opened]
            await send(stub, commands(fresh, names))
            rooms += fresh
            print(f"\r  {len(rooms)} rooms opened", end="", file=sys.stderr)
    print(file=sys.stderr)
    return rooms


def opening(rng: random.Random) -> engine_service_pb2.EngineServiceOpenRoomRequest:
    """A room of three players with a limit of its own."""
    game = doudizhu_pb2.DouDizhuConfig()
    game.bid_limit.FromMilliseconds(rng.randint(*LIMIT_MS))
    # Nobody is put on autoplay, so that every clock runs its full time.
    game.autoplay_after = 100
    key = uuid.uuid4().hex
    return engine_service_pb2.EngineServiceOpenRoomRequest(
        request_id=key,
        opener="bench",
        config=room_pb2.GameConfig(doudizhu=game),
        matched=True,
        players=[engine_service_pb2.Player(player=f"{key}-{seat}") for seat in range(3)],
    )


def commands(
    rooms: Iterable[str], names: Iterable[list[str]]
) -> list[engine_service_pb2.EngineRequest]:
    """Every seat is connected and declares ready."""
    requests = []
    for room_id, players in zip(rooms, names, strict=True):
        for name in players:
            player = engine_service_pb2.Player(player=name)
            presence = engine_service_pb2.Presence(room_id=room_id, connection=1, online=True)
            ready = play_pb2.Command(
                request_id="ready", room_id=room_id, ready=play_pb2.Ready(ready=True)
            )
            requests.append(engine_service_pb2.EngineRequest(player=player, presence=presence))
            requests.append(engine_service_pb2.EngineRequest(player=player, command=ready))
    for number, request in enumerate(requests, 1):
        request.call_id = number
    return requests


def lateness(http: str) -> dict[float, int]:
    """Clocks so far by upper bound of their lateness in seconds."""
    with urllib.request.urlopen(f"{http}/metrics") as response:
        text = response.read().decode()
    counts: dict[float, int] = {}
    pattern = r'parlor_engine_clock_lateness_seconds_bucket\{kind="doudizhu",le="([^"]+)".*\} (\S+)'
    for bound, count in re.findall(pattern, text):
        counts[float(bound)] = counts.get(float(bound), 0) + int(float(count))
    return counts


async def check_logs(redis: Redis, rooms: list[str]) -> int:
    """Clocks in the logs; raises AssertionError where one is missing, doubled or not at its instant."""
    total = 0
    for room_id in rooms:
        shard = room_id.split("-")[0]
        lines: Any = await redis.xrange(f"{{{shard}}}:log:{room_id}:1")
        start = int(lines[0][1][b"at"])
        dues = [int(fields[b"at"]) - start for _, fields in lines if fields[b"what"] == b"clock"]
        total += len(dues)
        if dues:
            assert dues == [dues[0] * number for number in range(1, len(dues) + 1)], (room_id, dues)
    seconds, micros = await redis.time()
    now = seconds * 1000 + micros // 1000
    async for key in redis.scan_iter("*deadlines*"):
        overdue: Any = await redis.zrangebyscore(key, 0, now - 1000)
        assert not overdue, f"{len(overdue)} rooms were never woken"
    return total


async def measure(redis_url: str, http: str, seconds: float, *, cut: bool) -> tuple[int, float]:
    """Clocks in the window and the share of them within the bound."""
    before = lateness(http)
    async with Redis.from_url(redis_url) as redis:
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            if cut:
                await redis.client_kill_filter(_type="pubsub")
            await asyncio.sleep(0.03)
    after = lateness(http)
    report = {bound: after[bound] - before.get(bound, 0) for bound in after}
    total = report[float("inf")]
    quantiles = " ".join(
        f"p{q}<={next(b for b in sorted(report) if report[b] >= total * q / 100) * 1000:.0f}ms"
        for q in (50, 90, 99, 99.9)
    )
    print(f"  {'subscription cut' if cut else 'as it is':18} {total:6} clocks  {quantiles}")
    return total, report[BOUND_S] / max(1, total)


async def bench(rooms: int, seconds: float) -> bool:
    """One size; whether it keeps the bound."""
    server = start(Path(tempfile.mkdtemp(prefix="parlor-bench-")), append_only=False)
    try:
        with engine(server.url) as (grpc_address, http):
            await ready(http)
            opened = await open_rooms(grpc_address, rooms, seed=rooms)
            print(f"{rooms} running deadlines")
            # Until the first of them are due.
            await asyncio.sleep(LIMIT_MS[0] / 1000)
            _, share = await measure(server.url, http, seconds, cut=False)
            await measure(server.url, http, seconds, cut=True)
            async with Redis.from_url(server.url) as redis:
                checked = await check_logs(redis, opened)
        print(
            f"  {'logs':18} {checked:6} clocks, each once and at its instant; {share:.2%} within 150 ms"
        )
        return share >= 0.99
    finally:
        server.stop()


async def main() -> int:
    """Runs every size; 1 where one is later than it may be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=15)
    args = parser.parse_args()
    kept = [await bench(rooms, args.seconds) for rooms in args.rooms]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
