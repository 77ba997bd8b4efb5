"""`parlor maintenance`: nothing begins from an instant on, and what runs comes to its end.

It works on Redis, which `PARLOR_REDIS_URL` names, and not through a gateway: whoever may plan a
maintenance can reach Redis, and none of the services has to answer.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import uvloop
from redis.asyncio import Redis
from redis.exceptions import RedisError

from parlor.cli.census import Census, census
from parlor.cli.instants import FORMS, instant_of, shown
from parlor.serving import BadConfig, Common, from_env, logs
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Plan, call_off, plan, planned_now
from parlor.serving.redis import Batch, Cluster, open_batch, reach
from parlor.serving.redis_clock import RedisClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_LOOK_S: Final = 2.0
"""How often `--wait` counts again."""


@dataclass(frozen=True, slots=True)
class _Parlor:
    """A Parlor, as far as its Redis goes."""

    redis: Redis | Cluster
    batch: Batch
    keys: Keys
    clock: RedisClock

    async def count(self) -> Census:
        """What is left."""
        return await census(self.redis, self.batch, self.keys)


def add_parser(subcommands: "Subparsers") -> None:
    """Adds the subcommand and its own."""
    parser = subcommands.add_parser(
        "maintenance", help="let nothing begin, tell players, and wait until nothing runs"
    )
    whats = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    on = whats.add_parser("on", help="plan it, or move it; nothing begins from then on")
    on.add_argument("--at", default="now", help=f"when it begins: {FORMS}")
    on.add_argument("--until", default="", help="when it is over, to tell players; as --at")
    whats.add_parser("off", help="call it off, or end it")
    status = whats.add_parser("status", help="say what is planned, and what still runs")
    status.add_argument("--wait", action="store_true", help="return once nothing runs any more")
    status.add_argument("--limit", type=float, default=None, help="seconds to wait at most")


def run(options: argparse.Namespace) -> int:
    """Carries one of them out; 0 where it was done."""
    what = {"on": _on, "off": _off, "status": _status}[options.what]
    logs.configure("cli", level="error")
    try:
        return uvloop.run(_with_redis(lambda parlor: what(parlor, options)))
    except (BadConfig, ValueError, RedisError, OSError) as error:
        print(f"parlor: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1


async def _with_redis(work: Callable[[_Parlor], Awaitable[int]]) -> int:
    async with _reached(from_env(Common, "CLI")) as parlor:
        return await work(parlor)


@asynccontextmanager
async def _reached(config: Common) -> "AsyncIterator[_Parlor]":
    async with reach(config.redis_url, timeout_ms=config.redis_timeout_ms) as redis:
        batch = open_batch(redis, timeout_ms=config.redis_timeout_ms)
        clock = RedisClock(batch)
        await clock.measure()
        try:
            yield _Parlor(redis, batch, Keys(config.redis_prefix), clock)
        finally:
            await batch.aclose()


async def _on(parlor: _Parlor, options: argparse.Namespace) -> int:
    now_ms = parlor.clock.now()
    at_ms = instant_of(options.at, now_ms)
    until_ms = instant_of(options.until, now_ms) if options.until else 0
    if until_ms and until_ms <= max(at_ms, now_ms):
        raise ValueError("--until: expected a time after --at, and after now")
    planned = Plan(at_ms=at_ms, until_ms=until_ms)
    await plan(parlor.batch, parlor.keys, planned)
    print(_said(planned, now_ms))
    return 0


async def _off(parlor: _Parlor, _options: argparse.Namespace) -> int:
    was_planned = await call_off(parlor.batch, parlor.keys)
    print("maintenance is over" if was_planned else "no maintenance was planned")
    return 0


async def _status(parlor: _Parlor, options: argparse.Namespace) -> int:
    try:
        async with asyncio.timeout(options.limit):
            return await _told(parlor, wait=options.wait)
    except TimeoutError:
        print("parlor: not idle in time", file=sys.stderr)
        return 1


async def _told(parlor: _Parlor, *, wait: bool) -> int:
    """Says how it stands, with `wait` whenever that has changed; 1 where there is nothing to wait for."""
    last = ""
    was_idle = False
    while True:
        now_ms = parlor.clock.now()
        try:
            planned = await planned_now(parlor.batch, parlor.keys)
            counted = await parlor.count()
        except RedisError as error:
            if not wait:
                raise
            # A failover is no reason to give up a wait of hours.
            print(f"parlor: {error}; looking again", file=sys.stderr)
            was_idle = False
            await asyncio.sleep(_LOOK_S)
            continue
        said = f"{_said(planned, now_ms)}\n{_left(counted)}"
        if said != last:
            print(said, flush=True)
            last = said
        if not wait:
            return 0
        if planned is None:
            # Idle would be idle for a moment only.
            print("parlor: nothing to wait for", file=sys.stderr)
            return 1
        is_idle = planned.at_ms <= now_ms and counted.is_idle
        # Twice in a row: services notice within a second what is planned, and one may have begun a game meanwhile.
        if is_idle and was_idle:
            return 0
        was_idle = is_idle
        await asyncio.sleep(_LOOK_S)


def _said(planned: Plan | None, now_ms: int) -> str:
    if planned is None:
        return "no maintenance is planned"
    begins = "since" if planned.at_ms <= now_ms else "from"
    until = f" until {shown(planned.until_ms)}" if planned.until_ms else ""
    return f"maintenance {begins} {shown(planned.at_ms)}{until}"


def _left(counted: Census) -> str:
    games = ", ".join(f"{kind} {count}" for kind, count in sorted(counted.games.items()))
    return f"games: {games or 'none'}\ntickets: {counted.tickets or 'none'}"
