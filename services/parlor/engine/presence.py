"""Connections that ended without a word: the leases that their gateway stopped renewing."""

import asyncio

import structlog
from redis.exceptions import RedisError

from parlor.engine import metrics, scripts
from parlor.engine.engine import Engine
from parlor.engine.lanes import Defect
from parlor.engine.shards import Shards
from parlor.engine.snapshot import UnreadableRecord
from parlor.engine.step import Refused
from parlor.engine.store import RoomGone
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, answers
from parlor.v1.engine_service_pb2 import Presence

_log = structlog.get_logger(__name__)

SWEEP_S = 1.0
MOST_PER_SHARD = 100


class Leases:
    """Sweeps the presence leases of the shards that this replica owns."""

    def __init__(
        self, kind: str, engine: Engine, shards: Shards, *, batch: Batch, keys: Keys
    ) -> None:
        self._kind = kind
        self._engine = engine
        self._shards = shards
        self._batch = batch
        self._keys = keys

    async def sweep(self) -> None:
        """Puts the players of lapsed leases offline, for ever."""
        while True:
            await self.sweep_once()
            await asyncio.sleep(SWEEP_S)

    async def sweep_once(self) -> None:
        """One look at every owned shard; each by itself, for in a Cluster one server may be away."""
        ends = await answers(self._sweep_shard(shard) for shard in sorted(self._shards.owned))
        if errors := [end for end in ends if end is not None]:
            _log.warning("lease_sweep_failed", shards=len(errors), error=type(errors[0]).__name__)

    async def _sweep_shard(self, shard: int) -> None:
        pairs = await scripts.LAPSED(self._batch, self._shard_keys(shard), [MOST_PER_SHARD])
        for lease, connection in zip(pairs[::2], pairs[1::2], strict=True):
            await self._lapse(shard, lease.decode(), int(connection))

    async def _lapse(self, shard: int, lease: str, connection: int) -> None:
        room_id, _, player = lease.partition(":")
        presence = Presence(room_id=room_id, connection=connection, online=False)
        try:
            await self._engine.presence(player, presence)
        except RoomGone:
            pass
        except (Defect, Refused, UnreadableRecord):
            # Logged where it happened. The lease stays, and the next sweep comes again.
            return
        except RedisError:
            raise
        except Exception:
            # Whatever is wrong with one room, the others' leases are looked at.
            _log.exception("lapse_failed", room=room_id)
            return
        metrics.LEASES_LAPSED.labels(self._kind).inc()
        _log.info("lease_lapsed", room=room_id, player=player, connection=connection)
        await scripts.FORGET_LEASE(self._batch, self._shard_keys(shard), [lease, connection])

    def _shard_keys(self, shard: int) -> list[str]:
        return [self._keys.presence(shard, self._kind), self._keys.connections(shard, self._kind)]
