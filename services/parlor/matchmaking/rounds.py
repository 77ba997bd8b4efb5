"""The pools that this replica owns, each looked at again and again.

A pool has its own task while it is being tended, so that one that waits for an engine holds up no
other. Ownership only saves work and keeps the order of waits: the fence makes a second owner
harmless.
"""

import asyncio

import structlog
from redis.exceptions import RedisError

from parlor.matchmaking import metrics
from parlor.matchmaking.matcher import Matcher
from parlor.matchmaking.pools import Pool, kind_of_pool
from parlor.matchmaking.store import PoolStore, Survey
from parlor.serving.errors import ServiceError

log = structlog.get_logger(__name__)


class Rounds:
    """Tends every pool that this replica can own."""

    def __init__(self, store: PoolStore, matcher: Matcher, *, replica: str, owner_ms: int) -> None:
        self._store = store
        self._matcher = matcher
        self._replica = replica
        self._owner_ms = owner_ms
        self._busy: set[str] = set()
        self._owned: dict[str, Survey] = {}

    async def run(self, tick_ms: int) -> None:
        """Looks at every pool once a tick, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                for pool in await self._pools():
                    if pool.name not in self._busy:
                        self._busy.add(pool.name)
                        tasks.create_task(self._round(pool), name=f"pool-{pool.name}")
                await asyncio.sleep(tick_ms / 1000)

    async def release(self) -> None:
        """Gives every owned pool to the other replicas."""
        for pool in list(self._owned):
            await self._store.release(pool, self._replica)
        self._owned.clear()
        self._publish()

    async def _pools(self) -> tuple[Pool, ...]:
        try:
            return await self._store.pools()
        except RedisError as error:
            metrics.failures.labels(type(error).__name__).inc()
            return ()

    async def _round(self, pool: Pool) -> None:
        """One round of a pool. A failure ends the round, not the replica: the next one retries."""
        try:
            await self._tend(pool)
        except (RedisError, ServiceError) as error:
            metrics.failures.labels(type(error).__name__).inc()
            log.warning("round_failed", pool=pool.name, error=type(error).__name__)
        except Exception as error:
            metrics.failures.labels(type(error).__name__).inc()
            log.exception("round_failed", pool=pool.name)
        finally:
            self._busy.discard(pool.name)

    async def _tend(self, pool: Pool) -> None:
        own = await self._store.own(pool, self._replica, lease_ms=self._owner_ms)
        if own is None:
            self._owned.pop(pool.name, None)
            return
        survey = await self._matcher.tend(own)
        self._owned[pool.name] = survey
        if not survey.waiting and not survey.under_way:
            await self._store.retire(pool)
            del self._owned[pool.name]
        self._publish()

    def _publish(self) -> None:
        """Brings the gauges up to date."""
        metrics.pools_owned.set(len(self._owned))
        metrics.tickets_waiting.clear()
        for pool, survey in self._owned.items():
            kind = kind_of_pool(pool)
            metrics.tickets_waiting.labels(kind, "people").inc(survey.people)
            metrics.tickets_waiting.labels(kind, "bots").inc(survey.bots)
