"""The pools that this replica owns, each looked at when something happens in it.

A pool has a task while there is something in it. It sleeps until a ticket calls for it, or for a
moment where windows are widening, and ends when the pool is empty: a Parlor in which nobody waits
costs one look a second at the list of pools, which also finds what a lost message would have told.
Ownership only saves work and keeps the order of waits: the fence makes a second owner harmless.
"""

import asyncio
from dataclasses import dataclass, field

import structlog
from redis.exceptions import RedisError

from parlor.matchmaking import metrics
from parlor.matchmaking.matcher import Matcher, Work
from parlor.matchmaking.pools import Pool, kind_of_pool
from parlor.matchmaking.store import PoolStore, Survey
from parlor.serving.errors import ServiceError
from parlor.serving.redis import Subscriber

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Tended:
    """A pool that has a task."""

    work: Work
    called: asyncio.Event = field(default_factory=asyncio.Event)
    seating: int = 0


class Rounds:
    """Tends every pool that this replica can own."""

    def __init__(
        self,
        store: PoolStore,
        matcher: Matcher,
        subscriber: Subscriber,
        *,
        replica: str,
        owner_ms: int,
        tick_ms: int,
        look_ms: int,
    ) -> None:
        self._store = store
        self._matcher = matcher
        self._subscriber = subscriber
        self._replica = replica
        self._owner_ms = owner_ms
        self._tick_s = tick_ms / 1000
        self._look_s = look_ms / 1000
        self._tended: dict[str, _Tended] = {}
        self._owned: set[str] = set()
        self._unknown = asyncio.Event()

    async def run(self) -> None:
        """Tends pools until cancelled."""
        self._subscriber.add_reconnect_listener(self._unknown.set)
        hears = False
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._unknown.clear()
                hears = hears or await self._listen()
                for pool in await self._pools():
                    if pool.name not in self._tended:
                        self._tended[pool.name] = _Tended(Work(pool))
                        tasks.create_task(self._tend(pool, tasks), name=f"pool-{pool.name}")
                await _either(self._unknown, self._look_s)

    async def release(self) -> None:
        """Gives every owned pool to the other replicas."""
        for pool in list(self._owned):
            await self._store.release(pool, self._replica)
        self._owned.clear()
        self._publish()

    async def _listen(self) -> bool:
        """Whether it hears where somebody waits; as long as it does not, it finds out by looking."""
        try:
            await self._subscriber.subscribe(self._store.called(), self._hear)
        except RedisError as error:
            metrics.failures.labels(type(error).__name__).inc()
            return False
        return True

    def _hear(self, _channel: bytes, name: bytes) -> None:
        """A ticket waits in this pool."""
        tended = self._tended.get(name.decode())
        if tended is not None:
            tended.called.set()
        else:
            self._unknown.set()

    async def _pools(self) -> tuple[Pool, ...]:
        try:
            return await self._store.pools()
        except RedisError as error:
            metrics.failures.labels(type(error).__name__).inc()
            return ()

    async def _tend(self, pool: Pool, tasks: asyncio.TaskGroup) -> None:
        """Tends one pool for as long as there is something to do for this replica."""
        tended = self._tended[pool.name]
        try:
            while True:
                tended.called.clear()
                rest_s = await self._round(tended, tasks)
                if rest_s is None and not tended.called.is_set():
                    return
                # What comes at once is matched at once, and best where there is more to choose from.
                await asyncio.sleep(self._tick_s)
                await _either(tended.called, max(0.0, (rest_s or 0.0) - self._tick_s))
        finally:
            del self._tended[pool.name]
            self._owned.discard(pool.name)
            self._publish()

    async def _round(self, tended: _Tended, tasks: asyncio.TaskGroup) -> float | None:
        """One round of a pool, and how long it may rest if nobody calls; None where it has come to
        its end. A failure ends the round, not the replica: the next one begins with the whole queue.
        """
        work = tended.work
        try:
            survey = await self._store.survey(
                work.pool, work.mirror, self._replica, lease_ms=self._owner_ms
            )
            if survey is None:
                self._owned.discard(work.pool.name)
                work.mirror.lose()
                return None if not work.busy else self._look_s
            tended.seating = survey.seating
            self._owned.add(work.pool.name)
            await self._matcher.tend(work, survey, tasks)
            self._publish()
            return await self._rest(work, survey)
        except (RedisError, ServiceError) as error:
            metrics.failures.labels(type(error).__name__).inc()
            log.warning("round_failed", pool=work.pool.name, error=type(error).__name__)
        except Exception as error:
            metrics.failures.labels(type(error).__name__).inc()
            log.exception("round_failed", pool=work.pool.name)
        work.mirror.lose()
        return self._look_s

    async def _rest(self, work: Work, survey: Survey) -> float | None:
        if work.mirror.matches or work.busy:
            # On their way to a room, or to be tried again.
            return self._tick_s
        if work.mirror.tickets or survey.seating:
            return self._look_s
        if await self._store.retire(work.pool):
            work.mirror.lose()
            return None
        return 0.0

    def _publish(self) -> None:
        """Brings the gauges up to date."""
        metrics.pools_owned.set(len(self._owned))
        metrics.tickets_waiting.clear()
        for name in self._owned & self._tended.keys():
            waiting = len(self._tended[name].work.mirror.tickets)
            metrics.tickets_waiting.labels(kind_of_pool(name)).inc(waiting)


async def _either(called: asyncio.Event, within_s: float) -> None:
    """Returns when it is called, and after so long at the latest."""
    try:
        async with asyncio.timeout(within_s):
            await called.wait()
    except TimeoutError:
        pass
