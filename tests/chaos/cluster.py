"""What is done to a Redis Cluster: primaries die and come back as replicas, slots move while played on.

One thing at a time, and the next when the cluster is whole again: what Parlor promises, it promises
for one failure at a time. Engines run with `durability=replicated`, so a step that was acknowledged
may not be lost; what was only seen may be taken back, as under Sentinel.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from redis.asyncio.cluster import RedisCluster
from redis.exceptions import RedisError

from parlor.client import Client
from parlor.everything import Everything
from parlor.serving.slots import slot_of
from tests.chaos.failovers import LONG_FREEZE_S, WHOLE_S
from tests.chaos.faults import WEIGHTS, Faults
from tests.integration.redis_forms.cluster import RunningCluster, ask, until

STORE: Final = {"kill primary": 4, "freeze primary": 2, "reshard primary": 4}
"""As the weights of the other faults."""

SHARDS: Final = 64
MOVED_AT_ONCE: Final = 8
"""Shards whose slots move, one after the other."""


class ClusterFaults(Faults):
    """Breaks one thing after the other, the cluster's servers among them."""

    def __init__(
        self,
        parlor: Everything,
        clients: Mapping[str, Client],
        seed: int,
        *,
        seconds: float,
        most: int,
        servers: RunningCluster,
        only: str = "",
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(parlor, clients, seed, seconds=seconds, most=most, only=only, say=say)
        self._servers = servers
        self._weights = WEIGHTS | STORE

    async def _break(self, kind: str, player: str) -> float | None:
        match kind:
            case "kill primary":
                killed = self._chance.randrange(len(self._servers.primaries()))
                return self._fail_over(
                    kind,
                    lambda served: asyncio.to_thread(_kill_primary, self._servers, killed, served),
                )
            case "freeze primary":
                frozen = self._chance.randrange(len(self._servers.primaries()))
                longer_s = self._chance.uniform(*LONG_FREEZE_S)
                return self._fail_over(
                    kind,
                    lambda served: asyncio.to_thread(
                        _freeze_primary, self._servers, frozen, longer_s, served
                    ),
                )
            case "reshard primary":
                shards = self._chance.sample(range(SHARDS), MOVED_AT_ONCE)
                return self._fail_over(
                    kind,
                    lambda served: asyncio.to_thread(_reshard, self._servers, shards, served),
                )
            case _:
                return await super()._break(kind, player)

    async def _drop_subscribers(self) -> float | None:
        for server in self._servers.alive:
            # One that has died meanwhile has no subscribers.
            with suppress(RedisError):
                await asyncio.to_thread(ask, server.port, "CLIENT", "KILL", "TYPE", "pubsub")
        return 0.0


def reader(servers: RunningCluster) -> Any:
    """A client that reads a room's log wherever it is."""
    return RedisCluster(host="127.0.0.1", port=servers.alive[0].port)


def _kill_primary(servers: RunningCluster, number: int, served: Callable[[], None]) -> None:
    """Returns when its replica has taken its place, and it has become the replica's."""
    killed = servers.primaries()[number]
    os.kill(killed.pid, signal.SIGKILL)
    killed.process.wait()
    until(lambda: killed not in servers.primaries(), WHOLE_S)
    served()
    killed.restart()
    until(servers.is_whole, WHOLE_S)


def _freeze_primary(
    servers: RunningCluster, number: int, longer_s: float, served: Callable[[], None]
) -> None:
    """Until its replica has taken its place, and longer; returns when it has become the replica's."""
    frozen = servers.primaries()[number]
    with servers.frozen(frozen):
        until(lambda: frozen not in servers.primaries(), WHOLE_S)
        served()
        time.sleep(longer_s)
    until(servers.is_whole, WHOLE_S)


def _reshard(servers: RunningCluster, shards: Sequence[int], served: Callable[[], None]) -> None:
    """Takes the slots of some shards to other primaries, with what is in them."""
    for shard in shards:
        key = f"{{s{shard}}}"
        others = [each for each in servers.primaries() if each is not servers.primary_of(key)]
        servers.move_slot(slot_of(key), others[shard % len(others)])
    served()
