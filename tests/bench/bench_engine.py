"""How many commands one engine commits, and how long each takes; ratios within one run.

    python -m tests.bench.bench_engine [--rooms 400] [--seconds 5]

Closed loop: every room has one command on its way, a step that its three seats and the spectators
are told. `stream` is one stream that carries all rooms, as a gateway does; `calls` sends each
command as a call of its own. Both run without and with an append-only file synced on every commit.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc

from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.redis_server import start
from parlor.v1 import engine_service_pb2, play_pb2, room_pb2
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.engine_service_pb2 import EngineRequest, Player
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from tests.bench.engine_process import engine, ready

Carry = Callable[[EngineRequest], Awaitable[engine_service_pb2.EngineAnswer]]


async def open_rooms(stub: Any, count: int) -> list[str]:
    """Rooms with a player each."""
    requests = [
        engine_service_pb2.EngineServiceOpenRoomRequest(
            request_id=f"bench-{number}",
            opener="bench",
            config=room_pb2.GameConfig(doudizhu=DouDizhuConfig()),
            players=[Player(player=f"p{number}")],
        )
        for number in range(count)
    ]
    opened = [
        await asyncio.gather(*map(stub.OpenRoom, requests[i : i + 100]))
        for i in range(0, count, 100)
    ]
    return [answer.room.room_id for group in opened for answer in group]


class Stream:
    """One stream for all rooms; its writer sends all that is ready in one message."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub
        self._queue: list[EngineRequest] = []
        self._wake = asyncio.Event()
        self._waiting: dict[int, asyncio.Future[engine_service_pb2.EngineAnswer]] = {}
        self._next = 0

    async def carry(self, request: EngineRequest) -> engine_service_pb2.EngineAnswer:
        """The answer to one request."""
        self._next += 1
        request.call_id = self._next
        waiting: asyncio.Future[engine_service_pb2.EngineAnswer] = (
            asyncio.get_running_loop().create_future()
        )
        self._waiting[request.call_id] = waiting
        self._queue.append(request)
        self._wake.set()
        return await waiting

    async def run(self) -> None:
        """Until cancelled."""
        async for response in self._stub.Relay(self._outgoing()):
            for answer in response.answers:
                self._waiting.pop(answer.call_id).set_result(answer)

    async def _outgoing(self) -> AsyncIterator[engine_service_pb2.RelayRequest]:
        while True:
            await self._wake.wait()
            self._wake.clear()
            requests, self._queue = self._queue, []
            yield engine_service_pb2.RelayRequest(requests=requests)


async def play(room_id: str, number: int, carry: Carry, until: float, times: list[float]) -> None:
    """One room's player changes their mind about being ready, over and over."""
    turn = 0
    while (began := time.monotonic()) < until:
        turn += 1
        command = play_pb2.Command(
            request_id=f"{began:.9f}",
            room_id=room_id,
            ready=play_pb2.Ready(ready=turn % 2 == 1),
        )
        answer = await carry(EngineRequest(player=Player(player=f"p{number}"), command=command))
        assert play_pb2.ServerFrame.FromString(answer.frame).answer.HasField("accepted")
        times.append(time.monotonic() - began)


async def measure(rooms: list[str], carry: Carry, seconds: float) -> tuple[float, float, float]:
    """Commands per second, and p50 and p99 in ms."""
    times: list[float] = []
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(play(room, number, carry, until, times) for number, room in enumerate(rooms))
    )
    times.sort()
    return len(times) / seconds, times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000


async def bench(rooms: int, seconds: float, *, synced: bool) -> dict[str, float]:
    """Both ways on one server; commands per second by name."""
    folder = Path(tempfile.mkdtemp(prefix="parlor-bench-"))
    server = start(folder, append_only=synced)
    rates: dict[str, float] = {}
    try:
        with engine(server.url) as (address, http):
            await ready(http)
            async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
                stub: Any = EngineServiceStub(channel)
                opened = await open_rooms(stub, rooms)

                async def call(request: EngineRequest) -> engine_service_pb2.EngineAnswer:
                    response = await stub.Call(engine_service_pb2.CallRequest(request=request))
                    answer: engine_service_pb2.EngineAnswer = response.answer
                    return answer

                stream = Stream(stub)
                running = asyncio.create_task(stream.run())
                for name, carry in (("stream", stream.carry), ("calls", call)):
                    rate, p50, p99 = await measure(opened, carry, seconds)
                    rates[name] = rate
                    kind = "synced" if synced else "not synced"
                    print(f"{name:7} {kind:10} {rate:8.0f}/s  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms")
                running.cancel()
    finally:
        server.stop()
    return rates


async def main() -> None:
    """Runs all four and prints the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rooms", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=5)
    args = parser.parse_args()
    plain = await bench(args.rooms, args.seconds, synced=False)
    synced = await bench(args.rooms, args.seconds, synced=True)
    print(f"stream / calls: {plain['stream'] / plain['calls']:.1f}")
    print(f"synced / not synced: {synced['stream'] / plain['stream']:.2f}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
