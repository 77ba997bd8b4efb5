"""People who ask to be matched, again and again, while what matches them is killed.

    python -m tests.chaos.matching [--seconds 20] [--players 24]

Everybody asks for a table, leaves it once there, and asks again; meanwhile matchmaking, engines and
Redis are killed. When that is over everybody asks a last time and stays. Then each has one place,
the room that the ticket led to, and one seat in all rooms that there are: `lost` counts who has
none, `twice` who has two. The last line is all of it as JSON; exits with 1 unless both are 0.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from parlor.client import Client, Refused
from parlor.engine.formats import RELEASED
from parlor.engine.record import Status
from parlor.everything import Everything, EverythingConfig
from parlor.serving import logs
from parlor.serving.keys import Keys
from parlor.serving.redis import connect
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.play_pb2 import Command, Leave
from parlor.v1.room_pb2 import GameConfig, RoomStatus

CONFIG: Final = GameConfig(planes=PlanesConfig())
VICTIMS: Final = ("matchmaking", "engine", "redis")
PAUSE_S: Final = (1.0, 3.0)
SETTLE_S: Final = 180.0
ORPHANED_S: Final = 40.0
"""How long a room may keep seats that nobody ever came to: longer than matched players may take."""

_ENV: Final = {
    "PARLOR_MATCHMAKING_WINDOW": "0:inf",
    "PARLOR_MATCHMAKING_GIVE_UP_MS": "3000",
    "PARLOR_GATEWAY_OPENS_PER_MIN": "100000",
    "PARLOR_LOG_LEVEL": "warning",
}


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What a campaign came to."""

    seconds: float
    players: int
    kills: dict[str, int] = field(default_factory=dict)
    matched: int = 0
    """How often anybody was led to a room."""
    lost: int = 0
    late: int = 0
    """Of the lost, those who were led to no room in time."""
    twice: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether everybody has one place and one seat."""
        return not self.lost and not self.twice


class _Seeker:
    """One who asks for a table."""

    def __init__(self, client: Client, outcome: Outcome) -> None:
        self.client = client
        self._outcome = outcome
        self.room_id = ""

    async def seek(self) -> str:
        """Asks until there is a room; that room."""
        while True:
            try:
                await self.client.enqueue(CONFIG)
                room_id = await self.client.assigned()
            except Refused as refused:
                if refused.name != "PLAYER_BUSY":
                    raise
                await self._leave(refused.metadata.get("place", "").removeprefix("room:"))
                continue
            except TimeoutError:
                continue
            if room_id:
                self._outcome.matched += 1
                return room_id

    async def wander(self, over: asyncio.Event) -> None:
        """Asks and leaves until it is over, then asks a last time and stays."""
        while not over.is_set():
            await self._leave(await self.seek())
        while not self.room_id:
            self.room_id = await self._begun(await self.seek())

    async def _begun(self, room_id: str) -> str:
        """The room, once its game has begun; empty where the other one did not come."""
        try:
            room = await self.client.watch(room_id)
            await room.ready()
            async for _ in room.changes():
                if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
                    return room_id
                if room.seat is None:
                    break
        except (Refused, TimeoutError):
            await asyncio.sleep(0.1)
        return ""

    async def _leave(self, room_id: str) -> None:
        try:
            await self.client.command(Command(room_id=room_id, leave=Leave()))
        except (Refused, TimeoutError):
            # It is closed, or the seat is another's by now.
            await asyncio.sleep(0.1)


async def run(*, seconds: float, players: int, seed: int) -> Outcome:
    """One campaign; `players` is even, for two play together."""
    outcome, chance = Outcome(seconds=seconds, players=players), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="parlor-") as directory:
        config = EverythingConfig(port=0, kinds=("planes",), engines=2, bots=0, directory=directory)
        async with AsyncExitStack() as stack:
            parlor = await stack.enter_async_context(Everything(config, env={**os.environ, **_ENV}))
            urls = [gateway.url for gateway in parlor.gateways]
            clients = [Client(urls, guest=f"Seeker {n}") for n in range(players)]
            seekers = [
                _Seeker(await stack.enter_async_context(client), outcome) for client in clients
            ]
            over = asyncio.Event()
            wandering = [asyncio.create_task(seeker.wander(over)) for seeker in seekers]
            kills = await _break(parlor, chance, seconds)
            outcome.kills = dict(kills)
            over.set()
            _, late = await asyncio.wait(wandering, timeout=SETTLE_S)
            for task in late:
                task.cancel()
            for end in await asyncio.gather(*wandering, return_exceptions=True):
                if isinstance(end, Exception):
                    outcome.notes.append(f"a seeker gave up: {end!r}")
            await _judge(parlor, seekers, outcome)
    return outcome


async def _break(parlor: Everything, chance: random.Random, seconds: float) -> Counter[str]:
    """Kills one process after the other, none while it is still coming back."""
    kills: Counter[str] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(chance.uniform(*PAUSE_S))
        victim = chance.choice(VICTIMS)
        assert parlor.redis is not None
        pids = (parlor.redis.pid,) if victim == "redis" else parlor.pids(victim)
        if pids:
            try:
                os.kill(chance.choice(pids), signal.SIGKILL)
            except ProcessLookupError:
                continue
            kills[victim] += 1
    return kills


async def _judge(parlor: Everything, seekers: list[_Seeker], outcome: Outcome) -> None:
    """Counts who has no place or not the one that was promised, and who has two seats."""
    redis, keys = connect(parlor.redis_url), Keys()
    try:
        for seeker in seekers:
            raw: Any = await redis.hget(keys.player(seeker.client.player), "place")
            place = raw.decode() if raw else ""
            if not seeker.room_id or place != f"room:{seeker.room_id}":
                outcome.lost += 1
                outcome.late += not seeker.room_id
                behind = await _behind(redis, keys, place)
                outcome.notes.append(
                    f"{seeker.client.player} was led to {seeker.room_id!r} and is at {place!r}: {behind}"
                )
        seats = await _seats(redis)
        until = time.monotonic() + ORPHANED_S
        # A room that an engine opened for a match that was given up is emptied by its own clock.
        while any(count > 1 for count in seats.values()) and time.monotonic() < until:
            await asyncio.sleep(0.5)
            seats = await _seats(redis)
        for player, count in seats.items():
            if count > 1:
                outcome.twice += 1
                outcome.notes.append(f"{player} has {count} seats")
    finally:
        await redis.aclose()


async def _behind(redis: Any, keys: Keys, place: str) -> dict[str, Any]:
    """What stands behind a ticket's place: the ticket, and who looks after its pool."""
    ticket = place.removeprefix("ticket:")
    if ticket == place:
        return {}
    pool = ticket.rpartition("-")[0]
    return {
        "ticket": await redis.hgetall(keys.pool(pool, f"ticket:{ticket}")),
        "owner": await redis.hgetall(keys.pool(pool, "owner")),
        "matches": await redis.hgetall(keys.pool(pool, "matches")),
        "listed": await redis.hexists(keys.pool("all", "pools"), pool),
        "now": await redis.time(),
    }


async def _seats(redis: Any) -> Counter[str]:
    """How many seats each player has in all rooms."""
    seats: Counter[str] = Counter()
    async for key in redis.scan_iter(match="{s*}:room:*"):
        raw = await redis.hget(key, "record")
        record = RELEASED.decode(raw) if raw else None
        if record is not None and record.status is not Status.FAULTED:
            seats.update(seat.player for seat in record.seats if seat.player and not seat.left)
    return seats


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="tests.chaos.matching", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of kills (20)")
    parser.add_argument("--players", type=int, default=24, help="an even number (24)")
    parser.add_argument("--seed", type=int, default=None, help="drawn and printed unless given")
    parser.add_argument("--report", type=Path, help="where the JSON report goes")
    options = parser.parse_args()
    seed = random.randrange(10**6) if options.seed is None else options.seed
    logs.configure("chaos", level="error")
    print(f"matching: seed {seed}", file=sys.stderr, flush=True)
    outcome = asyncio.run(run(seconds=options.seconds, players=options.players, seed=seed))
    for note in outcome.notes[:20]:
        print(f"matching: {note}", file=sys.stderr)
    report = json.dumps(asdict(outcome))
    if options.report is not None:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(report + "\n")
    print(report)
    return 0 if outcome.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
