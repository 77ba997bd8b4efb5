"""A campaign: a private Parlor, traffic, faults, and the verdict on what was kept of it."""

import asyncio
import math
import os
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from redis.exceptions import RedisClusterException, RedisError

from parlor.everything import Everything, EverythingConfig
from parlor.serving.keys import Keys
from parlor.serving.redis import connect
from tests.chaos.checker import check
from tests.chaos.cluster import ClusterFaults, reader
from tests.chaos.cuts import cuts
from tests.chaos.failovers import WHOLE_S
from tests.chaos.faults import KINDS, Faults
from tests.chaos.history import GameLog, now_ms, read_log
from tests.chaos.report import Report
from tests.chaos.rolling import Rolling, resumes
from tests.chaos.traffic import Table, Traffic
from tests.integration.redis_forms.cluster import RunningCluster, cluster
from tests.integration.redis_forms.support import Watched, server, watched

_OPEN_S: Final = 120.0
_SHORTEST_SETTLING_S: Final = 15.0
_GONE_ON_MS: Final = 2_000

IMPATIENT: Final = {
    # A player's game is less than a kilobyte a second, of which kernels hold 64 KiB and more.
    "PARLOR_GATEWAY_SOCKET_BYTES": "4608",
    "PARLOR_GATEWAY_OUTGOING_BYTES": "16384",
    "PARLOR_GATEWAY_SILENCE_MS": "7000",
    # A gateway that stalls or dies loses its players' seats sooner than they are back.
    "PARLOR_GATEWAY_LEASE_MS": "1500",
    "PARLOR_GATEWAY_RENEW_MS": "500",
}
"""Gateways that bear less, so that clients and stalls of some seconds meet their bounds."""

Say = Callable[[str], None]
Deployment = Watched | RunningCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What is to be done."""

    seconds: float
    """How long faults are made at most."""
    seed: int
    """Of the faults and of the players' choices."""
    kills: int = 0
    """After how many kills it is enough; 0 for no such end."""
    only: str = ""
    """How the names of the faults begin that are made."""
    tables: int = 6
    """Of the three games in turn, every second round of them matched."""
    least: int = 0
    """After the last fault games go on until so many moves were acknowledged: a slow machine may have come to few."""
    settling_s: float = 40.0
    """How long tables may take after the last fault to come to that, and then to end their games."""
    redis: str = "single"
    """`single`: one server. `relaxed`: one that syncs its file once a second, engines have
    `durability=relaxed`, and it is not killed. With the others they have `durability=replicated`.
    `sentinel`: a primary with two replicas, and three sentinels. `cluster`: three primaries with a
    replica each."""
    to_the_end: bool = True
    """Whether games are played to their end, or until something has happened at every table."""
    rolling: bool = False
    """Instead of faults, every process is restarted once, as an upgrade does it."""
    leave_ms: int = 10_000
    """Over how long a gateway spreads the departure of its clients."""
    served_s: float = 2.0
    """How long everything runs between two restarts."""

    @property
    def env(self) -> dict[str, str]:
        """What the processes are set to."""
        leaving = {
            "PARLOR_GATEWAY_LEAVE_MS": str(self.leave_ms),
            "PARLOR_GATEWAY_DRAIN_MS": str(2 * self.leave_ms + 5_000),
        }
        # An upgrade cuts nobody off, so that there the bounds are those that everybody has.
        return {**os.environ, **leaving, **({} if self.rolling else IMPATIENT)}


class Logs:
    """The logs of all rooms, read as tables leave them."""

    def __init__(self, reader: Callable[[], Any]) -> None:
        """`reader` gives a new client of Redis."""
        self._reader = reader
        self.read: list[GameLog] = []

    async def collect(self, room_id: str, games: int) -> None:
        """Reads the logs of a room's games, also where Redis is down at the moment."""
        try:
            # A failover may be under way.
            async with asyncio.timeout(WHOLE_S):
                logs = await self._read(room_id, games)
        except TimeoutError:
            raise TimeoutError(f"{room_id}: its logs could not be read") from None
        self.read += [log for log in logs if log.lines]

    async def _read(self, room_id: str, games: int) -> list[GameLog]:
        while True:
            # Connected anew for each room: a kept connection may lead to a primary that was replaced.
            redis = self._reader()
            try:
                return [await read_log(redis, Keys(), room_id, n) for n in range(1, games + 1)]
            except (RedisError, RedisClusterException):
                await asyncio.sleep(0.1)
            finally:
                await redis.aclose()


async def run(campaign: Campaign, *, say: Say = lambda _: None) -> Report:
    """Carries the campaign out."""
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="parlor-chaos-"))
        config = EverythingConfig(port=0, engines=2, gateways=2, bots=0, directory=directory)
        env = campaign.env
        deployment: Deployment | None = None
        say(f"starting everything, redis: {campaign.redis}")
        if campaign.redis == "sentinel":
            deployment = stack.enter_context(watched(Path(directory) / "watched", replicas=2))
        elif campaign.redis == "cluster":
            deployment = stack.enter_context(
                # As the README asks for; the tests' own Cluster is quicker.
                cluster(Path(directory) / "cluster", "appendfsync always")
            )
        if campaign.redis == "relaxed":
            alone = stack.enter_context(server(Path(directory) / "alone", "appendfsync everysec"))
            config = replace(config, redis_url=alone.url)
            env["PARLOR_ENGINE_DURABILITY"] = "relaxed"
        if deployment is not None:
            config = replace(config, redis_url=deployment.url)
            env["PARLOR_ENGINE_DURABILITY"] = "replicated"
        async with Everything(config, env=env) as parlor:
            failed = asyncio.create_task(parlor.until_failed())
            try:
                return await _run(campaign, parlor, deployment, say, failed, Path(directory))
            finally:
                failed.cancel()


async def _run(
    campaign: Campaign,
    parlor: Everything,
    deployment: Deployment | None,
    say: Say,
    failed: "asyncio.Task[None]",
    directory: Path,
) -> Report:
    began, logs = time.monotonic(), Logs(_reader(parlor, deployment))
    urls = [gateway.url for gateway in parlor.gateways]
    traffic = Traffic(urls=urls, chance=random.Random(campaign.seed), collect=logs.collect)
    tables = [
        traffic.table(number, KINDS[number % len(KINDS)], matched=number // len(KINDS) % 2 == 1)
        for number in range(campaign.tables)
    ]
    tasks = [asyncio.create_task(table.run()) for table in tables]
    try:
        await _opened(tables, tasks)
        say(f"{len(tables)} tables are open")
        faults = _breaking(campaign, parlor, deployment, traffic, _with_traffic(say, traffic))
        await faults.run()
        last_fault = now_ms()
        await _played(campaign, traffic, tasks)
        say(f"no more faults after {len(faults.faults)}; tables end their games")
        traffic.stopping.set()
        await _settled(campaign, tables, tasks, last_fault)
    finally:
        trouble = await _ended(tasks)
    if failed.done():
        trouble = (*trouble, f"not kept running: {failed.exception()}")
    say("checking")
    histories = [each.history for each in traffic.listeners]
    return Report(
        redis=campaign.redis,
        seed=campaign.seed,
        seconds=time.monotonic() - began,
        faults=faults.faults,
        histories=histories,
        logs=logs.read,
        verdict=check(
            histories,
            logs.read,
            traffic.stays,
            last_fault=last_fault,
            may_rewind=deployment is not None,
        ),
        unanswered=traffic.unanswered,
        broken=traffic.broken,
        refused_leaves=traffic.refused_leaves,
        trouble=(*faults.trouble, *trouble),
        resumes=resumes(histories, faults.left) if isinstance(faults, Rolling) else None,
        cuts=cuts(directory),
    )


def _breaking(
    campaign: Campaign,
    parlor: Everything,
    deployment: Deployment | None,
    traffic: Traffic,
    say: Say,
) -> Faults | Rolling:
    """What disturbs the traffic."""
    if campaign.rolling:
        return Rolling(parlor, served_s=campaign.served_s, say=say)
    clients = {each.history.player: each.client for each in traffic.listeners}
    options: dict[str, Any] = {
        "seconds": campaign.seconds,
        "most": campaign.kills,
        "only": campaign.only,
        "say": say,
    }
    if isinstance(deployment, RunningCluster):
        return ClusterFaults(parlor, clients, campaign.seed, servers=deployment, **options)
    return Faults(parlor, clients, campaign.seed, deployment=deployment, **options)


async def _opened(tables: list[Table], tasks: list["asyncio.Task[None]"]) -> None:
    """Until everybody has a session; raises what kept one from it."""
    opened = asyncio.gather(*(table.is_open.wait() for table in tables))
    async with asyncio.timeout(_OPEN_S):
        waited: list[asyncio.Future[Any]] = [opened, *tasks]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    if not opened.done():
        opened.cancel()
        for task in tasks:
            if task.done():
                task.result()


async def _played(campaign: Campaign, traffic: Traffic, tasks: list["asyncio.Task[None]"]) -> None:
    """Until enough moves were acknowledged, or the time for that is over."""
    until = time.monotonic() + campaign.settling_s
    while time.monotonic() < until and not all(task.done() for task in tasks):
        if sum(each.history.acknowledged for each in traffic.listeners) >= campaign.least:
            return
        await asyncio.sleep(0.1)


async def _settled(
    campaign: Campaign, tables: list[Table], tasks: list["asyncio.Task[None]"], last_fault: float
) -> None:
    """Until every table has ended its game, or gone on with it, or the time is over."""
    until = time.monotonic() + max(campaign.settling_s, _SHORTEST_SETTLING_S)
    moved_by = math.inf if campaign.to_the_end else last_fault + _GONE_ON_MS
    while time.monotonic() < until:
        each = zip(tables, tasks, strict=True)
        if all(task.done() or table.moved_at > moved_by for table, task in each):
            return
        await asyncio.sleep(0.1)


async def _ended(tasks: list["asyncio.Task[None]"]) -> tuple[str, ...]:
    """Ends what still plays; what ended a table before its time, in words."""
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return tuple(f"{type(end).__name__}: {end}" for end in ends if isinstance(end, Exception))


def _reader(parlor: Everything, deployment: Deployment | None) -> Callable[[], Any]:
    if isinstance(deployment, RunningCluster):
        return partial(reader, deployment)
    return partial(connect, parlor.redis_url)


def _with_traffic(say: Say, traffic: Traffic) -> Say:
    return lambda line: say(f"{line}, {traffic.games_ended} games")
