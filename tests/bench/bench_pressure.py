"""What others notice of a client that does not read, of one that floods, and of a thousand connections.

    python tests/bench/bench_pressure.py [--rooms 12] [--pairs 10] [--phase 3]

Players at their tables send commands at a steady pace, alone and under an attack in turn, so that
what else the machine does meets both alike. Measured are the time from a command to its answer, and to its
event at the other player. Each attack's ratio is the median over its pairs of phases of p99 under
attack by p99 alone. The last line is one JSON object.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import uvloop

from parlor.cli.tally import percentile
from parlor.client import Client, Room
from parlor.everything import Everything, EverythingConfig
from parlor.serving import logs
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import RoomOptions
from tests.bench.pressure_attack import ATTACKS
from tests.soak.churn import CONFIGS

TARGET: Final = 1.10
PACE_S: Final = 0.1
"""Between two commands of a room."""
_ANSWERED_S: Final = 10.0


@dataclass(slots=True)
class Waits:
    """Of one phase, in ms."""

    answers: list[float] = field(default_factory=list)
    events: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """Two players in a room for three, where no game begins: one says in turn that it is ready and that it is not."""

    clients: list[Client]
    rooms: list[Room] = field(default_factory=list)
    is_ready: bool = False
    heard: "asyncio.Future[float] | None" = None
    """When the second player gets the next entry."""

    async def play(self, waits: Waits, until: float) -> None:
        """Sends commands until then."""
        while time.monotonic() < until:
            self.is_ready = not self.is_ready
            began = time.perf_counter()
            self.heard = seen = asyncio.get_running_loop().create_future()
            await self.rooms[0].ready(ready=self.is_ready)
            waits.answers.append(1000 * (time.perf_counter() - began))
            async with asyncio.timeout(_ANSWERED_S):
                waits.events.append(1000 * (await seen - began))
            await asyncio.sleep(max(0.0, PACE_S - (time.perf_counter() - began)))

    def hear(self, frame: ServerFrame) -> None:
        """What the second player gets."""
        if not frame.HasField("entry") or self.heard is None or self.heard.done():
            return
        if any(event.HasField("seat_changed") for event in frame.entry.events):
            self.heard.set_result(time.perf_counter())


async def main(rooms: int, pairs: int, phase_s: float) -> dict[str, object]:
    """The figures."""
    with tempfile.TemporaryDirectory(prefix="parlor-pressure-") as directory:
        config = EverythingConfig(
            port=0, kinds=("doudizhu",), engines=1, gateways=1, bots=0, directory=directory
        )
        env = {**os.environ, "PARLOR_GATEWAY_OPENS_PER_MIN": "1000"}
        async with Everything(config, env=env) as parlor, AsyncExitStack() as stack:
            tables = [await _table(stack, parlor.url, number) for number in range(rooms)]
            await _phase(tables, phase_s)
            figures: dict[str, object] = {}
            worst = 0.0
            for name in ATTACKS:
                async with _attacker(name, parlor.gateways[0].http) as tell:
                    found = await _alternate(tables, pairs, phase_s, tell)
                figures[name] = found
                worst = max(worst, found["answer_ratio"], found["event_ratio"])
                print(f"{name:>12}  {found}", file=sys.stderr, flush=True)
    return {**figures, "worst_ratio": worst, "target": TARGET, "holds": worst <= TARGET}


async def _alternate(
    tables: list[Table], pairs: int, phase_s: float, tell: "Tell"
) -> dict[str, float]:
    alone, under = [], []
    for _ in range(pairs):
        await tell("off")
        alone.append(await _phase(tables, phase_s))
        await tell("on")
        under.append(await _phase(tables, phase_s))
    await tell("off")
    found: dict[str, float] = {}
    for what in ("answer", "event"):
        before = [getattr(waits, f"{what}s") for waits in alone]
        after = [getattr(waits, f"{what}s") for waits in under]
        ratios = [percentile(b, 99) / percentile(a, 99) for a, b in zip(before, after, strict=True)]
        found |= {
            f"{what}_p99_alone_ms": percentile(list(chain(*before)), 99),
            f"{what}_p99_under_ms": percentile(list(chain(*after)), 99),
            f"{what}_p50_ratio": round(
                percentile(list(chain(*after)), 50) / percentile(list(chain(*before)), 50), 3
            ),
            f"{what}_ratio": round(statistics.median(ratios), 3),
            f"{what}_count": sum(map(len, after)),
        }
    return found


async def _phase(tables: list[Table], seconds: float) -> Waits:
    waits, until = Waits(), time.monotonic() + seconds
    async with asyncio.TaskGroup() as tasks:
        for number, table in enumerate(tables):
            tasks.create_task(_later(table, waits, until, number * PACE_S / len(tables)))
    return waits


async def _later(table: Table, waits: Waits, until: float, after_s: float) -> None:
    """Tables begin one after the other, or all commands would come at once."""
    await asyncio.sleep(after_s)
    await table.play(waits, until)


async def _table(stack: AsyncExitStack, url: str, number: int) -> Table:
    table = Table([])
    for seat, heard in enumerate((lambda frame: None, table.hear)):
        client = Client([url], guest=f"Guest {number}-{seat}", heard=heard)
        table.clients.append(await stack.enter_async_context(client))
    first, second = table.clients
    opened = await first.open_room(CONFIGS["doudizhu"], options=RoomOptions(spectators=True))
    table.rooms.append(await first.watch(opened.room_id))
    table.rooms.append(await second.join(opened.code))
    return table


class Tell:
    """Tells the attacker what to do; returns when it does it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def __call__(self, what: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n".encode())
        await self._process.stdout.readline()


@asynccontextmanager
async def _attacker(kind: str, address: str) -> AsyncIterator[Tell]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.pressure_attack",
        kind,
        address,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Tell(process)
    finally:
        process.kill()
        await process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--phase", type=float, default=3.0, help="seconds")
    options = parser.parse_args()
    logs.configure("bench", level="error")
    print(json.dumps(uvloop.run(main(options.rooms, options.pairs, options.phase))))
