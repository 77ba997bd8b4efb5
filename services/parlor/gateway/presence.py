"""Who is connected: a lease per seated player here, and word to the engine when one comes or goes.

The leases are renewed in one batch. A gateway that dies stops renewing; its leases run out and an
engine finds them. Each carries the number of the player's connection, and one with a lower number
changes nothing: a session that was replaced, here or elsewhere, cannot put its player offline.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

import structlog
from redis.exceptions import RedisError

from parlor.gateway import metrics
from parlor.gateway.config import GatewayConfig
from parlor.gateway.routing import Router
from parlor.serving import ServiceError
from parlor.serving.keys import Keys, kind_of, shard_of
from parlor.serving.redis import Batch, Script
from parlor.v1.engine_service_pb2 import EngineAnswer, Player, Presence

log = structlog.get_logger(__name__)

RENEW: Final = Script("""
-- KEYS: presence, connections of one shard. ARGV: 1 ms until they run out, then pairs of lease and connection.
-- Gives one number each: 0 a newer connection has it, 1 renewed, 2 it is new, or an engine has taken it for lapsed.
local time = redis.call('TIME')
local until_ms = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
local results = {}
for at = 2, #ARGV, 2 do
  local connection = tonumber(ARGV[at + 1])
  local held = tonumber(redis.call('HGET', KEYS[2], ARGV[at]) or '0')
  if held > connection then
    results[#results + 1] = 0
  else
    redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1])
    local added = redis.call('ZADD', KEYS[1], until_ms, ARGV[at])
    results[#results + 1] = (added == 1 or held < connection) and 2 or 1
  end
end
return results
""")

_RELEASE: Final = Script("""
-- KEYS: presence, connections. ARGV: 1 lease, 2 connection.
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
""")


class Lease:
    """A seat that one session keeps online."""

    __slots__ = ("connection", "on_superseded", "player", "room_id", "told")

    def __init__(
        self, room_id: str, player: Player, connection: int, on_superseded: Callable[[], None]
    ) -> None:
        self.room_id = room_id
        self.player = player
        self.connection = connection
        self.on_superseded = on_superseded
        self.told = False
        """Whether the engine knows that the player is online."""

    @property
    def member(self) -> str:
        """Its name in Redis."""
        return f"{self.room_id}:{self.player.player}"


class Presences:
    """The leases of all sessions here."""

    def __init__(self, batch: Batch, keys: Keys, config: GatewayConfig, router: Router) -> None:
        self._batch = batch
        self._keys = keys
        self._config = config
        self._router = router
        self._held: dict[str, Lease] = {}
        self._new: list[Lease] = []
        self._ended: list[Lease] = []
        self._wake = asyncio.Event()
        self._untold = 0
        """Ended connections of which the engine has not heard yet."""
        self._all_told = asyncio.Event()
        self._all_told.set()

    async def run(self) -> None:
        """Takes, renews and gives back."""
        loop = asyncio.get_running_loop()
        interval_s = self._config.renew_ms / 1000
        renew_at = loop.time() + interval_s
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(renew_at):
                    await self._wake.wait()
            # Looked at here: where sessions come and go all the time, no wait ever runs out.
            if loop.time() >= renew_at:
                renew_at = loop.time() + interval_s
                self._new = list(self._held.values())
            self._wake.clear()
            new, self._new = self._new, []
            ended, self._ended = self._ended, []
            try:
                await self._renew(lease for lease in new if self._held.get(lease.member) is lease)
                await self._release(ended)
            except RedisError as error:
                # The next round renews; a lease that runs out meanwhile is new to it.
                log.warning("leases_not_renewed", error=type(error).__name__)

    def hold(
        self, room_id: str, player: Player, connection: int, on_superseded: Callable[[], None]
    ) -> None:
        """Keeps the player's seat online; `on_superseded` is called where a newer connection has it."""
        lease = Lease(room_id, player, connection, on_superseded)
        held = self._held.get(lease.member)
        if held is not None and held.connection > connection:
            return
        if held is not None and held.connection == connection:
            # The seat may be a new one, whose engine has not heard of the connection.
            lease = held
            lease.told = False
        self._held[lease.member] = lease
        self._new.append(lease)
        self._wake.set()
        metrics.leases.set(len(self._held))

    def forget(self, room_id: str, player: Player, connection: int) -> Lease | None:
        """Renews the lease no more and says nothing: it passes to a newer connection, or runs out."""
        member = f"{room_id}:{player.player}"
        lease = self._held.get(member)
        if lease is None or lease.connection != connection:
            return None
        del self._held[member]
        metrics.leases.set(len(self._held))
        return lease

    def give_back(self, room_id: str, player: Player, connection: int) -> None:
        """Says that the connection is gone; changes nothing where a newer one has the seat."""
        lease = self.forget(room_id, player, connection)
        if lease is None:
            return
        presence = Presence(room_id=room_id, connection=connection, online=False)

        def done(result: EngineAnswer | ServiceError) -> None:
            self._untold -= 1
            if not self._untold:
                self._all_told.set()
            # Not noted: the lease runs out, and an engine finds that.
            if _is_noted(result):
                self._ended.append(lease)
                self._wake.set()

        self._untold += 1
        self._all_told.clear()
        self._router.send(room_id, player, done, presence=presence)

    async def settled(self) -> None:
        """Returns when the engines have heard of every connection that ended and its lease is given back."""
        await self._all_told.wait()
        ended, self._ended = self._ended, []
        await self._release(ended)

    async def _renew(self, leases: Iterable[Lease]) -> None:
        shards: dict[tuple[int, str], list[Lease]] = defaultdict(list)
        for lease in leases:
            shards[shard_of(lease.room_id), kind_of(lease.room_id)].append(lease)
        calls = [self._renew_shard(*place, here) for place, here in shards.items()]
        await asyncio.gather(*calls)

    async def _renew_shard(self, shard: int, kind: str, leases: list[Lease]) -> None:
        pairs = [part for lease in leases for part in (lease.member, lease.connection)]
        results = await RENEW(
            self._batch, self._keys_of(shard, kind), [self._config.lease_ms, *pairs]
        )
        for lease, result in zip(leases, results, strict=True):
            if result == 0:
                lease.on_superseded()
            elif result == 2 or not lease.told:
                self._tell(lease)

    def _tell(self, lease: Lease) -> None:
        """Tells the engine that the player is online; again at each renewal until it has heard."""
        presence = Presence(room_id=lease.room_id, connection=lease.connection, online=True)

        def done(result: EngineAnswer | ServiceError) -> None:
            lease.told = _is_noted(result)

        self._router.send(lease.room_id, lease.player, done, presence=presence)

    async def _release(self, leases: Iterable[Lease]) -> None:
        calls = [
            _RELEASE(
                self._batch,
                self._keys_of(shard_of(lease.room_id), kind_of(lease.room_id)),
                [lease.member, lease.connection],
            )
            for lease in leases
        ]
        await asyncio.gather(*calls)

    def _keys_of(self, shard: int, kind: str) -> list[str]:
        return [self._keys.presence(shard, kind), self._keys.connections(shard, kind)]


def _is_noted(result: EngineAnswer | ServiceError) -> bool:
    return not isinstance(result, ServiceError) and result.WhichOneof("result") == "done"
