"""How often: token buckets, here and across the fleet.

A connection has a bucket of its own. What is limited per player or address holds on all gateways
together: the bucket stands in Redis, and a gateway takes out a block at a time and spends it here,
so that a frame costs no round trip.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from redis.exceptions import RedisError

from parlor.serving import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script, is_away
from parlor.v1.error_reason_pb2 import ErrorReason

# Gives how many of ARGV[3] the bucket has, and how long to wait in ms where it has none.
_LEASE: Final = Script("""
local rate, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = burst
if held[1] then
  left = math.min(burst, tonumber(held[1]) + (now - tonumber(held[2])) * rate / 1000)
end
local given = math.max(0, math.min(want, math.floor(left)))
left = left - given
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - left) * 1000 / rate) + 1000)
local wait = 0
if given == 0 then wait = math.ceil((1 - left) * 1000 / rate) end
return {given, wait}
""")


_BURST_SPEED: Final = 2.5
"""How much faster than its rate a burst goes."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a bucket gives back, and how much it holds."""

    per_s: float
    burst: int


class Bucket:
    """One bucket of this process."""

    __slots__ = ("_at", "_clock", "_left", "_rate")

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._left = float(rate.burst)
        self._at = clock()

    @property
    def pause_s(self) -> float:
        """What to wait before the next one in a burst, so that it takes its turns among others."""
        if self._left > 0.9 * self._rate.burst or self._rate.per_s <= 0:
            return 0.0
        return 1 / (_BURST_SPEED * self._rate.per_s)

    def take(self) -> int:
        """Takes one; 0, or how many ms to wait when there is none."""
        now = self._clock()
        self._left = min(self._rate.burst, self._left + (now - self._at) * self._rate.per_s)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0
        return wait_ms(1 - self._left, self._rate)


def wait_ms(missing: float, rate: Rate) -> int:
    """How long `missing` takes to come back."""
    return math.ceil(missing * 1000 / rate.per_s) if rate.per_s > 0 else 60_000


class FleetLimit:
    """One limit on all gateways, by name: a player, an address."""

    def __init__(self, batch: Batch, keys: Keys, what: str, rate: Rate, *, block: int = 1) -> None:
        self._batch = batch
        self._prefix = f"{keys.prefix}limit:{what}:"
        self._rate = rate
        self.block = max(1, min(block, rate.burst))
        """How many a gateway takes out at once."""

    async def lease(self, name: str, want: int | None = None) -> tuple[int, int]:
        """Takes up to a block out for `name`; how many it got, and how many ms to wait if none.

        A Redis that is away limits nobody: it would have refused the request by itself. Raises any
        other RedisError: a limit that is broken is not to be one that everybody may ignore.
        """
        rate = self._rate
        wanted = self.block if want is None else want
        try:
            given, wait = await _LEASE(
                self._batch,
                [f"{self._prefix}{{{name}}}"],
                [max(rate.per_s, 1e-6), rate.burst, wanted],
            )
        except RedisError as error:
            if not is_away(error):
                raise
            return wanted, 0
        return int(given), int(wait)

    async def spend(self, name: str) -> None:
        """Takes one; raises TOO_FAST when there is none."""
        given, wait = await self.lease(name, 1)
        if not given:
            raise too_fast(wait)


class Purse:
    """What one session has leased of a fleet's limit: spent without waiting, refilled beside."""

    __slots__ = ("_left", "_limit", "_name", "_refilling", "_retry_at", "_spawn", "_wait")

    def __init__(self, limit: FleetLimit, name: str, spawn: Callable[..., object]) -> None:
        self._limit = limit
        self._name = name
        self._spawn = spawn
        self._left = 0
        self._refilling = False
        self._retry_at = 0.0
        self._wait = 0

    def take(self) -> int:
        """Takes one; 0, or how many ms to wait when there is none.

        The first of a session are not held up by the block that is still on its way: they are owed,
        and taken off it.
        """
        block = self._limit.block
        if self._left <= block // 2 and not self._refilling:
            now = asyncio.get_running_loop().time()
            if now >= self._retry_at:
                self._refilling = True
                self._spawn(self._refill)
        if self._left <= -block or (self._left <= 0 and self._wait):
            return self._wait or 50
        self._left -= 1
        return 0

    async def _refill(self) -> None:
        try:
            given, self._wait = await self._limit.lease(self._name)
            self._left += given
            self._retry_at = asyncio.get_running_loop().time() + self._wait / 1000
        finally:
            self._refilling = False


def too_fast(retry_after_ms: int) -> ServiceError:
    """The refusal of who came too often."""
    return ServiceError(
        ErrorReason.ERROR_REASON_TOO_FAST,
        "too many requests",
        retry_after_ms=str(max(1, retry_after_ms)),
    )
