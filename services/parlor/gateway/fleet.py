"""The engine replicas that live, each with a stream to it."""

import asyncio
from collections.abc import Callable

import structlog
from redis.exceptions import RedisError

from parlor.gateway import metrics
from parlor.gateway.config import GatewayConfig
from parlor.gateway.relay import Call, Relay
from parlor.serving.channels import Channels
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.replicas import LiveReplicas, Replica, ranked
from parlor.v1.engine_service_pb2 import EngineAnswer

log = structlog.get_logger(__name__)


class Fleet:
    """Follows the list of replicas, and opens and closes streams as they come and go."""

    def __init__(
        self,
        batch: Batch,
        keys: Keys,
        config: GatewayConfig,
        channels: Channels,
        *,
        on_answer: Callable[[Call, EngineAnswer], None],
        on_break: Callable[[list[Call]], None],
    ) -> None:
        self._replicas = LiveReplicas(batch, keys)
        self._config = config
        self._channels = channels
        self._on_answer = on_answer
        self._on_break = on_break
        self._live: tuple[Replica, ...] = ()
        self._orders: dict[tuple[int, str], list[Relay]] = {}
        self._relays: dict[str, Relay] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._read = asyncio.Event()
        """Set, and replaced, whenever the list was read."""
        self.known = asyncio.Event()
        """Set once the list was read."""

    async def run(self) -> None:
        """Keeps to the list, for ever."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                try:
                    self._update(await self._replicas.read(), tasks)
                    self.known.set()
                except RedisError as error:
                    # Those last known may well live: only Redis is away.
                    log.warning("replicas_unknown", error=type(error).__name__)
                await asyncio.sleep(self._config.engine_poll_ms / 1000)

    def relays(self) -> tuple[Relay, ...]:
        """All streams."""
        return tuple(self._relays.values())

    def order(self, shard: int, kind: str) -> list[Relay]:
        """The streams to replicas of `kind` in the order in which they should serve the shard."""
        order = self._orders.get((shard, kind))
        if order is None:
            replicas = ranked(shard, kind, self._live)
            order = [self._relays[replica.replica] for replica in replicas]
            self._orders[shard, kind] = order
        return order

    async def serves(self, kind: str, within_s: float) -> bool:
        """Whether a replica of `kind` is there, now or within this time."""
        try:
            async with asyncio.timeout(within_s):
                while all(replica.kind != kind for replica in self._live):
                    await self._read.wait()
        except TimeoutError:
            return False
        return True

    def _update(self, live: tuple[Replica, ...], tasks: asyncio.TaskGroup) -> None:
        self._live = live
        self._orders.clear()
        for name in self._relays.keys() - {replica.replica for replica in live}:
            del self._relays[name]
            # What it owes is moved on as its stream closes.
            self._running.pop(name).cancel()
        for replica in live:
            if replica.replica not in self._relays:
                self._open(replica, tasks)
        metrics.engines.clear()
        for replica in live:
            metrics.engines.labels(replica.kind).inc()
        self._read.set()
        self._read = asyncio.Event()

    def _open(self, replica: Replica, tasks: asyncio.TaskGroup) -> None:
        relay = Relay(
            replica,
            self._channels,
            most_waiting=self._config.engine_queue,
            on_answer=self._on_answer,
            on_break=self._on_break,
        )
        self._relays[replica.replica] = relay
        self._running[replica.replica] = tasks.create_task(relay.run())
        log.info(
            "engine_found", replica=replica.replica, kind=replica.kind, address=replica.address
        )
