"""Which shards this replica looks after: announced, agreed by rendezvous hashing, and leased.

Owning a shard only saves work. A room that two replicas change at once is kept whole by the check
of its version, so a lease that is late or lost costs a repeated step and nothing else.
"""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog
from redis.exceptions import RedisError

from parlor.engine import metrics, outages, scripts
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.serving.replicas import Replica, forget_dead, live_replicas, ranked

_log = structlog.get_logger(__name__)

HEARTBEAT_S = 0.5
LEASE_MS = 2_000
FORGET_EVERY = 120
"""Beats from one look for dead replicas to the next."""


class Shards:
    """The shards of one kind, as one replica sees them."""

    def __init__(
        self, me: Replica, *, shards: int, batch: Batch, keys: Keys, clock: RedisClock
    ) -> None:
        self._me = me
        self._all = range(shards)
        self._batch = batch
        self._keys = keys
        self._clock = clock
        self._owned: frozenset[int] = frozenset()
        self.have_heirs = False
        """Whether another live replica is there to take the shards over."""
        self.changed: Callable[[frozenset[int]], None] = lambda owned: None
        """Called with the shards that are owned from now on."""

        self.seen: Callable[[Sequence[Replica]], None] = lambda live: None
        """Called at each beat with the live replicas of this kind, this one among them."""

    @property
    def owned(self) -> frozenset[int]:
        """The shards whose lease this replica holds."""
        return self._owned

    @property
    def others(self) -> frozenset[int]:
        """The shards of this kind that somebody else should look after."""
        return frozenset(self._all) - self._owned

    async def keep(self) -> None:
        """Beats for ever; a beat that fails leaves the replica without shards until the next one."""
        beats = 0
        while True:
            try:
                await self.beat()
                if beats % FORGET_EVERY == 0:
                    # Whoever was killed could not do it.
                    await forget_dead(self._batch, self._keys)
                beats += 1
            except RedisError as error:
                self._hold(frozenset())
                _log.warning("heartbeat_failed", error=type(error).__name__)
            await asyncio.sleep(HEARTBEAT_S)

    async def beat(self) -> None:
        """Announces this replica, and takes, renews and gives up leases as the live replicas have it."""
        me = msgspec.structs.replace(self._me, beat_ms=self._clock.now())
        await self._batch.call("HSET", self._keys.engines(), me.replica, msgspec.json.encode(me))
        kind = self._me.kind
        live = [each for each in await live_replicas(self._batch, self._keys) if each.kind == kind]
        self.seen(live)
        self.have_heirs = any(not each.draining for each in live if each.replica != me.replica)
        mine = [
            s
            for s in self._all
            if (order := ranked(s, kind, live)) and order[0].replica == me.replica
        ]
        if me.draining:
            mine = []
        answers = await asyncio.gather(
            *(
                scripts.OWN(
                    self._batch,
                    [self._keys.owner(shard, kind), self._keys.outages(shard, kind)],
                    [me.replica, LEASE_MS],
                )
                for shard in mine
            )
        )
        outages.noted(kind, (lost for _, lost in answers))
        held = frozenset(shard for shard, (fence, _) in zip(mine, answers, strict=True) if fence)
        await self._give_up(self._owned - frozenset(mine))
        self._hold(held)

    async def leave(self) -> None:
        """Tells everybody that this replica takes nothing new, and gives up its shards."""
        self._me = msgspec.structs.replace(self._me, draining=True)
        await self.beat()

    async def forget(self) -> None:
        """Takes this replica off the list."""
        await self._batch.call("HDEL", self._keys.engines(), self._me.replica)

    async def _give_up(self, shards: frozenset[int]) -> None:
        await asyncio.gather(
            *(
                scripts.DISOWN(
                    self._batch, [self._keys.owner(shard, self._me.kind)], [self._me.replica]
                )
                for shard in shards
            )
        )

    def _hold(self, shards: frozenset[int]) -> None:
        if shards != self._owned:
            _log.info("shards_changed", count=len(shards), gained=len(shards - self._owned))
            self.changed(shards)
        self._owned = shards
        metrics.SHARDS_OWNED.labels(self._me.kind).set(len(shards))
