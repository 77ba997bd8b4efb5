"""Who wakes a room when its deadline has come.

The expiration of the room's timer key is the trigger. Redis alone notices it late, so the owner of
a shard touches what is due: an access to an expired key deletes it and publishes its event at once.
What is still due one grace later, because events were lost, any replica wakes directly; where the
shard's owner has not been heard of since the clock ran out, only after the outage is recorded.
Hearing twice is harmless: the room's lane commits a clock only if it is due by Redis time.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import chain

import structlog
from redis.exceptions import RedisError

from parlor.engine import metrics, outages, scripts
from parlor.engine.lanes import Defect, Lanes
from parlor.engine.shards import Shards
from parlor.engine.snapshot import UnreadableRecord
from parlor.engine.step import Refused
from parlor.engine.store import RoomGone
from parlor.serving import BadConfig
from parlor.serving.keys import Keys, is_room_id, shard_of
from parlor.serving.redis import Batch, Subscriber
from parlor.serving.tasks import begun

_log = structlog.get_logger(__name__)

SWEEP_S = 0.05
BACKSTOP_S = 0.25
GRACE_MS = 500
MOST_PER_SHARD = 200
ASIDE_S = 1.0
"""How long a room is left alone that this replica cannot read: another one looks after it, or will write it anew."""
LOOK_S = 0.25
"""How long one look waits for Redis."""
PROBE_S = 1.0
_PROBE = "probe"
_PROOFS = 3
"""How often it is tried at the start: a machine that stands still hears in time of nothing."""


class NoExpirations(BadConfig):
    """Redis does not publish the expirations of keys, so clocks would be late. The engine does not run so."""


class Clocks:
    """Wakes the rooms of one kind."""

    def __init__(
        self,
        kind: str,
        lanes: Lanes,
        shards: Shards,
        *,
        batch: Batch,
        keys: Keys,
        subscriber: Subscriber,
        tasks: asyncio.TaskGroup,
        db: int = 0,
        replica: str = "",
    ) -> None:
        self._kind = kind
        self._lanes = lanes
        self._shards = shards
        self._batch = batch
        self._keys = keys
        self._subscriber = subscriber
        self._tasks = tasks
        self._db = db
        self._probe = f"{_PROBE}-{replica}"
        self._unheard: set[str] = set()
        """Probes of which nothing has been heard yet."""
        self._heard = False
        self._waking: set[str] = set()
        self._aside: dict[str, float] = {}
        """Rooms that cannot be read here, and until when they are left alone."""

    async def listen(self) -> None:
        """Subscribes and proves that expirations arrive; raises NoExpirations where they do not."""
        await self._subscriber.psubscribe(
            self._keys.timer_pattern(self._kind, self._db), self._on_message
        )
        for left in reversed(range(_PROOFS)):
            try:
                await self.prove()
                return
            except NoExpirations:
                if not left:
                    raise

    def on_reconnect(self) -> None:
        """Proves the path again; until then the replica is not ready, and the sweep does the work."""
        self._heard = False
        begun(self._tasks, self._prove_again())

    async def are_heard(self) -> bool:
        """Whether expirations arrive, as far as is known."""
        return self._heard

    async def prove(self) -> None:
        """Lets a key expire on every server and waits to hear of all; raises NoExpirations."""
        self._heard = False
        servers = self._batch.by_server(self._shards.all, self._timer_prefix)
        self._unheard = {self._timer_prefix(shards[0]) + self._probe for shards in servers}
        for key in tuple(self._unheard):
            await self._batch.call("SET", key, "", "PX", 1)
        try:
            async with asyncio.timeout(PROBE_S):
                while self._unheard:
                    await asyncio.sleep(0.005)
                    for key in tuple(self._unheard):
                        await self._batch.call("EXISTS", key)
        except TimeoutError:
            # Who says nothing at all is only away.
            await self._batch.call("PING")
            raise NoExpirations(
                "Redis publishes no expirations: set notify-keyspace-events to Kx in its configuration"
            ) from None
        self._heard = True

    async def _prove_again(self) -> None:
        while not self._heard:
            try:
                await self.prove()
            except (NoExpirations, RedisError) as error:
                _log.error("expirations_not_heard", error=type(error).__name__)
                await asyncio.sleep(PROBE_S)

    async def sweep(self) -> None:
        """Touches what is due in the owned shards, for ever, and wakes what nobody heard of."""
        while True:
            # Without a subscription nobody hears the touch.
            heard = self._heard and self._subscriber.connected
            grace = GRACE_MS if heard else 0
            await self._look_for_due(grace)
            await asyncio.sleep(SWEEP_S)

    async def back_up(self) -> None:
        """Wakes what has been overdue for long in the shards of others, for ever."""
        while True:
            await self._look_for_overdue()
            await asyncio.sleep(BACKSTOP_S * random.uniform(0.8, 1.2))

    async def _look_for_due(self, grace: int) -> None:
        async def touch(shards: Sequence[int]) -> None:
            late = await scripts.DUE(
                self._batch,
                [self._keys.deadlines(shard, self._kind) for shard in shards],
                [grace, self._most(), *map(self._timer_prefix, shards)],
            )
            for room_id in late:
                self._wake(room_id.decode(), "sweep")

        await self._look(self._shards.owned, touch, failed="sweep_failed")

    async def _look_for_overdue(self) -> None:
        await self._look(self._shards.others, self._find_overdue, failed="back_up_failed")

    async def _look(
        self,
        shards: Collection[int],
        look: Callable[[Sequence[int]], Awaitable[None]],
        *,
        failed: str,
    ) -> None:
        """Looks at shards, as many at once as one script may touch; a server that does not answer
        holds up nobody for long.
        """
        if not shards:
            return

        async def bounded(group: Sequence[int]) -> str:
            try:
                async with asyncio.timeout(LOOK_S):
                    await look(group)
            except (RedisError, TimeoutError) as error:
                return type(error).__name__
            return ""

        groups = self._batch.by_slot(sorted(shards), self._timer_prefix)
        errors = list(filter(None, await asyncio.gather(*map(bounded, groups))))
        if errors:
            _log.warning(failed, error=errors[0], times=len(errors))

    async def _find_overdue(self, shards: Sequence[int]) -> None:
        keys, kind = self._keys, self._kind
        by_shard = [
            (keys.deadlines(shard, kind), keys.owner(shard, kind), keys.outages(shard, kind))
            for shard in shards
        ]
        lost, late = await scripts.OVERDUE(
            self._batch, list(chain.from_iterable(by_shard)), [GRACE_MS, self._most()]
        )
        outages.noted(kind, lost)
        for room_id in late:
            self._wake(room_id.decode(), "sweep")

    def _most(self) -> int:
        """How many due rooms of a shard are looked at: those that are left alone may be in front of the others."""
        now = time.monotonic()
        self._aside = {room_id: until for room_id, until in self._aside.items() if until > now}
        return MOST_PER_SHARD + len(self._aside)

    def _timer_prefix(self, shard: int) -> str:
        return self._keys.timer_prefix(shard, self._kind)

    def _on_message(self, channel: bytes, data: bytes) -> None:
        """An expiration: the name of the key is all that it says."""
        if data != b"expired":
            return
        key = channel.decode().partition("__:")[2]
        room_id = key.rpartition(":")[2]
        if room_id.startswith(_PROBE):
            self._unheard.discard(key)
            return
        metrics.TIMER_EVENTS.labels(self._kind).inc()
        if is_room_id(room_id) and shard_of(room_id) in self._shards.owned:
            self._wake(room_id, "event")

    def _wake(self, room_id: str, woken_by: str) -> None:
        if room_id not in self._waking and room_id not in self._aside:
            self._waking.add(room_id)
            begun(self._tasks, self._expire(room_id, woken_by))

    async def _expire(self, room_id: str, woken_by: str) -> None:
        try:
            await self._lanes.expire(room_id, woken_by)
        except RoomGone:
            await self._forget(room_id)
        except UnreadableRecord:
            self._aside[room_id] = time.monotonic() + ASIDE_S
        except (Defect, Refused):
            # Logged where it happened; the sweep comes again.
            pass
        except RedisError as error:
            _log.warning("expire_failed", room=room_id, error=type(error).__name__)
        except Exception:
            # Whatever is wrong with one room, the others' clocks go on.
            _log.exception("expire_failed", room=room_id)
        finally:
            self._waking.discard(room_id)

    async def _forget(self, room_id: str) -> None:
        key = self._keys.deadlines(shard_of(room_id), self._kind)
        try:
            await scripts.ORPHANED(self._batch, [self._keys.room(room_id), key], [room_id])
        except RedisError as error:
            _log.warning("deadline_not_forgotten", room=room_id, error=type(error).__name__)
