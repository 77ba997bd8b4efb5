"""Which shards this replica looks after: announced, agreed by rendezvous hashing, and leased.

Owning a shard only saves work. A room that two replicas change at once is kept whole by the check
of its version, so a lease that is late or lost costs a repeated step and nothing else.
"""

import asyncio
import itertools
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
"""From the beginning of one beat to that of the next."""
LEASE_MS = 2_000
FORGET_EVERY = 120
"""Beats from one look for dead replicas to the next."""
ANSWER_S = 0.4
"""How long each of the two halves of a beat waits for Redis. In a Cluster one server may not answer: the shards on
others are renewed all the same after 0.8 s at most, which is far from an outage."""


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
        loop = asyncio.get_running_loop()
        for beats in itertools.count():
            next_at = loop.time() + HEARTBEAT_S
            looks = [self._forget_dead()] if beats % FORGET_EVERY == 0 else []
            await asyncio.gather(self.beat(), *looks)
            await asyncio.sleep(next_at - loop.time())

    async def beat(self) -> None:
        """Renews leases and announces this replica, then takes and gives up leases as the live replicas have it.

        A beat that fails leaves the replica without the shards concerned until the next one.
        """
        owned = frozenset[int]() if self._me.draining else self._owned
        mine, renewed = await asyncio.gather(self._agree(), self._take(owned))
        gained, _ = await asyncio.gather(
            self._take(mine - owned), self._give_up(self._owned - mine)
        )
        self._hold(mine & renewed | gained)

    async def leave(self) -> None:
        """Tells everybody that this replica takes nothing new, and gives up its shards."""
        self._me = msgspec.structs.replace(self._me, draining=True)
        await self.beat()

    async def forget(self) -> None:
        """Takes this replica off the list."""
        await self._batch.call("HDEL", self._keys.engines(), self._me.replica)

    async def _agree(self) -> frozenset[int]:
        """Announces this replica; the shards that it should own, as those that live now share them."""
        try:
            async with asyncio.timeout(ANSWER_S):
                _, live = await asyncio.gather(self._announce(), self._replicas.read())
        except (RedisError, TimeoutError) as error:
            # Who else is there is unknown. What was owned may well be on another server.
            _log.warning("heartbeat_failed", error=type(error).__name__)
            return frozenset() if self._me.draining else self._owned
        return self._share([each for each in live if each.kind == self._me.kind])

    async def _announce(self) -> None:
        me = msgspec.structs.replace(self._me, beat_ms=self._clock.now())
        await self._batch.call("HSET", self._keys.engines(), me.replica, msgspec.json.encode(me))

    def _share(self, live: Sequence[Replica]) -> frozenset[int]:
        """What falls to this replica of the shards of its kind, whose replicas are these."""
        me = self._me
        self.seen(live)
        self.have_heirs = any(not each.draining for each in live if each.replica != me.replica)
        if me.draining:
            return frozenset()
        orders = ((shard, ranked(shard, me.kind, live)) for shard in self._all)
        return frozenset(
            shard for shard, order in orders if order and order[0].replica == me.replica
        )

    async def _take(self, shards: frozenset[int]) -> frozenset[int]:
        """Takes or renews leases; those of the shards that are held now."""
        taken = await asyncio.gather(*map(self._own, shards))
        if unknown := taken.count(None):
            _log.warning("shards_not_owned", count=unknown)
        return frozenset(shard for shard, is_taken in zip(shards, taken, strict=True) if is_taken)

    async def _own(self, shard: int) -> bool | None:
        """Whether the shard's lease was taken or renewed; None where that failed."""
        kind = self._me.kind
        try:
            async with asyncio.timeout(ANSWER_S):
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
        await asyncio.gather(*map(self._disown, shards))

    async def _disown(self, shard: int) -> None:
        owner = self._keys.owner(shard, self._me.kind)
        try:
            async with asyncio.timeout(ANSWER_S):
                await scripts.DISOWN(self._batch, [owner], [self._me.replica])
        except (RedisError, TimeoutError) as error:
            # It runs out.
            _log.warning("shard_not_given_up", error=type(error).__name__)

    async def _forget_dead(self) -> None:
        """Whoever was killed could not do it."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await forget_dead(self._batch, self._keys)
        except (RedisError, TimeoutError) as error:
            _log.warning("dead_not_forgotten", error=type(error).__name__)

    def _hold(self, shards: frozenset[int]) -> None:
        if shards != self._owned:
            _log.info("shards_changed", count=len(shards), gained=len(shards - self._owned))
            self.changed(shards)
        self._owned = shards
        metrics.SHARDS_OWNED.labels(self._me.kind).set(len(shards))
