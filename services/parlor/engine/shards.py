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
from parlor.serving.replicas import LiveReplicas, Replica, forget_dead, ranked

_log = structlog.get_logger(__name__)

HEARTBEAT_S = 0.5
LEASE_MS = 2_000
FORGET_EVERY = 120
"""Beats from one look for dead replicas to the next."""
BEAT_S = 0.8
"""How long one beat may wait for Redis. In a Cluster, a server that does not answer may not hold up the beats of the
shards on others, or those would have an outage too."""


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
        self._replicas = LiveReplicas(batch, keys)
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
    def all(self) -> range:
        """All shards."""
        return self._all

    @property
    def others(self) -> frozenset[int]:
        """The shards of this kind that somebody else should look after."""
        return frozenset(self._all) - self._owned

    async def keep(self) -> None:
        """Beats for ever."""
        beats = 0
        while True:
            await self.beat()
            if beats % FORGET_EVERY == 0:
                await self._forget_dead()
            beats += 1
            await asyncio.sleep(HEARTBEAT_S)

    async def beat(self) -> None:
        """Announces this replica, and takes, renews and gives up leases as the live replicas have it.

        A beat that fails leaves the replica without the shards concerned until the next one.
        """
        try:
            async with asyncio.timeout(BEAT_S):
                await self._announce()
                mine = await self._mine()
        except (RedisError, TimeoutError) as error:
            # Who else is there is unknown. What was owned may well be on another server.
            _log.warning("heartbeat_failed", error=type(error).__name__)
            mine = frozenset() if self._me.draining else self._owned
        taken = await asyncio.gather(*(self._own(shard) for shard in mine))
        if unknown := taken.count(None):
            _log.warning("shards_not_owned", count=unknown)
        held = frozenset(shard for shard, is_taken in zip(mine, taken, strict=True) if is_taken)
        await self._give_up(self._owned - frozenset(mine))
        self._hold(held)

    async def leave(self) -> None:
        """Tells everybody that this replica takes nothing new, and gives up its shards."""
        self._me = msgspec.structs.replace(self._me, draining=True)
        await self.beat()

    async def forget(self) -> None:
        """Takes this replica off the list."""
        await self._batch.call("HDEL", self._keys.engines(), self._me.replica)

    async def _announce(self) -> None:
        me = msgspec.structs.replace(self._me, beat_ms=self._clock.now())
        await self._batch.call("HSET", self._keys.engines(), me.replica, msgspec.json.encode(me))

    async def _mine(self) -> frozenset[int]:
        """The shards that this replica should own, as those that live now share them."""
        me, kind = self._me, self._me.kind
        live = [each for each in await self._replicas.read() if each.kind == kind]
        self.seen(live)
        self.have_heirs = any(not each.draining for each in live if each.replica != me.replica)
        if me.draining:
            return frozenset()
        orders = ((shard, ranked(shard, kind, live)) for shard in self._all)
        return frozenset(
            shard for shard, order in orders if order and order[0].replica == me.replica
        )

    async def _own(self, shard: int) -> bool | None:
        """Whether the shard's lease was taken or renewed; None where that failed."""
        kind = self._me.kind
        try:
            async with asyncio.timeout(BEAT_S):
                fence, lost = await scripts.OWN(
                    self._batch,
                    [self._keys.owner(shard, kind), self._keys.outages(shard, kind)],
                    [self._me.replica, LEASE_MS],
                )
        except TimeoutError:
            # The lease that there was has not run out yet.
            return shard in self._owned
        except RedisError:
            return None
        outages.noted(kind, [lost])
        return bool(fence)

    async def _give_up(self, shards: frozenset[int]) -> None:
        kind, replica = self._me.kind, self._me.replica
        ends = await asyncio.gather(
            *(
                scripts.DISOWN(self._batch, [self._keys.owner(shard, kind)], [replica])
                for shard in shards
            ),
            return_exceptions=True,
        )
        for end in ends:
            if isinstance(end, RedisError):
                # It runs out.
                _log.warning("shard_not_given_up", error=type(end).__name__)

    async def _forget_dead(self) -> None:
        """Whoever was killed could not do it."""
        try:
            await forget_dead(self._batch, self._keys)
        except RedisError as error:
            _log.warning("dead_not_forgotten", error=type(error).__name__)

    def _hold(self, shards: frozenset[int]) -> None:
        if shards != self._owned:
            _log.info("shards_changed", count=len(shards), gained=len(shards - self._owned))
            self.changed(shards)
        self._owned = shards
        metrics.SHARDS_OWNED.labels(self._me.kind).set(len(shards))
