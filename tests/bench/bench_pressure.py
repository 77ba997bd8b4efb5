"""What others notice of a client that does not read, of one that floods, and of a thousand connections.

    python tests/bench/bench_pressure.py [--rooms 12] [--pairs 7] [--phase 10] [--attack not_reading]…

Players at their tables, who have talked before, send commands at a steady pace, alone and under an
attack in turn, so that what else the machine does meets both alike. Measured are the time from a command
to its answer, and to its event at the other player. Each attack's ratio is the median over its pairs of
phases of p99 under attack by p99 alone. The last line is one JSON object; the exit status is 1 where a
ratio is above the target, or where an attack did not do in every phase what it is named for.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import aiohttp
import uvloop
from prometheus_client.parser import text_string_to_metric_families

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
TALK: Final = ["好" * 120] * 50
"""What is kept of a long evening's chat: with it a view has some 20 KB."""
EXPECTED: Final[Mapping[str, tuple[str, ...]]] = {
    "not_reading": ("frames", "connections", "reads_paused"),
    "flooding": ("frames", "taken"),
    "connecting": ("connections", "TOO_FAST"),
}
"""By attack, what it must have done in each phase, and had done to it, at least once."""
_MET: Final[Mapping[str, str]] = {
    "parlor_gateway_frames_received_total": "taken",
    "parlor_gateway_reads_paused_total": "reads_paused",
    "parlor_gateway_cuts_total": "cut",
    "parlor_gateway_refusals_total": "refused",
}
"""What is told of the gateway's counters: those with a reason by that."""
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


async def main(rooms: int, pairs: int, phase_s: float, attacks: Sequence[str]) -> dict[str, object]:
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
            worst, idle = 0.0, list[str]()
            room_ids = [table.rooms[0].room_id for table in tables]
            for name in attacks:
                async with _attacker(name, parlor.gateways[0].http, room_ids) as tell:
                    found, did = await _alternate(tables, pairs, phase_s, tell)
                figures[name] = {**found, "attack": dict(sorted(did.items()))}
                idle += [f"{name}: {what}" for what in EXPECTED[name] if did[what] < pairs]
                worst = max(worst, found["answer_ratio"], found["event_ratio"])
                print(f"{name:>12}  {figures[name]}", file=sys.stderr, flush=True)
    return {
        **figures,
        "worst_ratio": worst,
        "target": TARGET,
        "missing": idle,
        "holds": worst <= TARGET and not idle,
    }


async def _alternate(
    tables: list[Table], pairs: int, phase_s: float, tell: "Tell"
) -> tuple[dict[str, float], Counter[str]]:
    """The figures, and what the attack did and had done to it, in all its phases together."""
    alone: list[Waits] = []
    under: list[Waits] = []
    did = Counter[str]()
    for _ in range(pairs):
        await tell("off")
        alone.append(await _phase(tables, phase_s))
        met = await tell.met()
        await tell("on")
        under.append(await _phase(tables, phase_s))
        did.update(await tell("off"))
        did.update(await tell.met() - met)
        # What is measured sends frames too.
        did["taken"] -= len(under[-1].answers)
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
    return found, did


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
    for text in TALK:
        await table.rooms[0].say(text)
    return table


class Tell:
    """Tells the attacker what to do; returns what it did until then."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process = process
        self._address = address

    async def __call__(self, what: str) -> Counter[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n".encode())
        return Counter(json.loads(await self._process.stdout.readline()))

    async def met(self) -> Counter[str]:
        """The frames that the gateway has taken so far, how often it stopped reading, and what it
        has cut and refused, by its reasons.
        """
        async with (
            aiohttp.ClientSession() as http,
            http.get(f"http://{self._address}/metrics") as response,
        ):
            families = text_string_to_metric_families(await response.text())
        met = Counter[str]()
        for family in families:
            for sample in family.samples:
                if sample.name in _MET:
                    met[sample.labels.get("reason", _MET[sample.name])] += int(sample.value)
        return met


@asynccontextmanager
async def _attacker(kind: str, address: str, rooms: list[str]) -> AsyncIterator[Tell]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.pressure_attack",
        kind,
        address,
        *rooms,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Tell(process, address)
    finally:
        process.kill()
        await process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--phase", type=float, default=10.0, help="seconds")
    parser.add_argument(
        "--attack", choices=ATTACKS, action="append", help="all where none is named"
    )
    options = parser.parse_args()
    logs.configure("bench", level="error")
    figures = uvloop.run(
        main(options.rooms, options.pairs, options.phase, options.attack or list(ATTACKS))
    )
    print(json.dumps(figures))
    sys.exit(0 if figures["holds"] else 1)
