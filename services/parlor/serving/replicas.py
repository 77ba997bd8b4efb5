"""The live engine replicas and which of them owns a shard.

A replica announces itself in one hash every heartbeat; who has been silent for `DEAD_MS` of Redis
time is dead. Owners follow from rendezvous hashing over the live ones, so everybody who reads the
same hash agrees, and a replica that comes or goes moves only its own share of the shards.
"""

import hashlib
from collections.abc import Iterable

import msgspec

from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script

DEAD_MS = 2_000
GAP_MS = 1_000
"""A reader who could not read for longer takes it that nobody could beat."""
FORGET_MS = 60_000
"""After so long a dead replica is struck off the list."""

_READ = Script("""
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', KEYS[1])}
""")


class Replica(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine replica says of itself."""

    replica: str
    """Its id, new at every start."""
    address: str
    """`host:port` of its gRPC server."""
    kind: str
    formats: tuple[int, ...] = (1,)
    """Formats of room records that it reads."""
    draining: bool = False
    """Whether it is leaving: it finishes what it has and should be given nothing new."""
    beat_ms: int = 0
    """Redis time of its last heartbeat."""


async def live_replicas(batch: Batch, keys: Keys) -> tuple[Replica, ...]:
    """The replicas that have beaten within `DEAD_MS`, draining ones included, by id."""
    now, replicas = await _announced(batch, keys)
    return tuple(replica for replica in replicas if now - replica.beat_ms <= DEAD_MS)


class LiveReplicas:
    """The live replicas as one reader follows them, who reads several times within `GAP_MS`.

    While the store is away nobody can beat, and once it is back all have been silent for longer than a
    dead one. Taking them for dead would close every stream and move every shard just when all wait to go
    on, so each that lived before the gap has `DEAD_MS` after it to beat again.
    """

    def __init__(self, batch: Batch, keys: Keys) -> None:
        self._batch = batch
        self._keys = keys
        self._read_at = 0
        self._live: frozenset[str] = frozenset()
        self._excused: frozenset[str] = frozenset()
        self._excused_until = 0

    async def read(self) -> tuple[Replica, ...]:
        """Those that live now, draining ones included, by id."""
        now, replicas = await _announced(self._batch, self._keys)
        if self._read_at and now - self._read_at > GAP_MS:
            self._excused, self._excused_until = self._live, now + DEAD_MS
        excused = self._excused if now < self._excused_until else frozenset()
        live = tuple(
            each for each in replicas if now - each.beat_ms <= DEAD_MS or each.replica in excused
        )
        self._read_at = now
        self._live = frozenset(each.replica for each in live)
        return live


async def forget_dead(batch: Batch, keys: Keys) -> None:
    """Takes those off the list that have been silent for `FORGET_MS`; one that comes back announces itself again."""
    now, replicas = await _announced(batch, keys)
    dead = [each.replica for each in replicas if now - each.beat_ms > FORGET_MS]
    if dead:
        await batch.call("HDEL", keys.engines(), *dead)


async def _announced(batch: Batch, keys: Keys) -> tuple[int, list[Replica]]:
    """Redis time in ms, and all that stand on the list, by id."""
    now, pairs = await _READ(batch, [keys.engines()], [])
    replicas = (msgspec.json.decode(raw, type=Replica) for raw in pairs[1::2])
    return now, sorted(replicas, key=lambda replica: replica.replica)


def ranked(shard: int, kind: str, replicas: Iterable[Replica]) -> list[Replica]:
    """The replicas of `kind` in the order in which they should serve `shard`.

    The first owns it. Draining replicas come last: they serve only when nobody else does.
    """
    return sorted(
        (replica for replica in replicas if replica.kind == kind),
        key=lambda replica: (replica.draining, _weight(shard, kind, replica.replica)),
    )


def _weight(shard: int, kind: str, replica: str) -> bytes:
    return hashlib.blake2b(f"{shard}/{kind}/{replica}".encode(), digest_size=8).digest()
