"""How often: token buckets, here and across the fleet.

A connection has a bucket of its own. What is limited per player, address or method holds on all
gateways together: the bucket stands in Redis, and a gateway takes out a block at a time, puts it in a
purse and spends it from there, so that neither a frame nor a call costs a round trip. Of what is rare,
such as codes and openings, a block is one: a larger one would be most of what there is.
"""

import asyncio
import math
from collections import OrderedDict
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


PURSES: Final = 10_000
"""Names of one limit whose blocks a gateway remembers. Who is forgotten has spent a block too early."""
_SHARES: Final = 4
"""A block is no larger than such a part of a burst."""
_AGAIN_S: Final = 0.05
"""After how long a block is asked for again whose asking may have ended with its session."""

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
        self._purses: OrderedDict[str, Purse] = OrderedDict()
        self.block = max(1, min(block, rate.burst // _SHARES))
        """How many a gateway takes out at once: not all that there is, for there are others."""

    def purse(self, name: str) -> "Purse":
        """What this gateway has leased for `name`: one purse for all of its sessions and calls."""
        purse = self._purses.get(name)
        if purse is None:
            purse = self._purses[name] = Purse(self, name)
            if len(self._purses) > PURSES:
                self._purses.popitem(last=False)
        else:
            self._purses.move_to_end(name)
        return purse

    async def spend(self, name: str) -> None:
        """Takes one, after a round trip where the block is spent; raises TOO_FAST when there is none."""
        await self.purse(name).spend()

    async def lease(self, name: str) -> tuple[int, int]:
        """Takes up to a block out for `name`; how many it got, and how many ms to wait if none.

        A Redis that is away limits nobody: it would have refused the request by itself. Raises any
        other RedisError: a limit that is broken is not to be one that everybody may ignore.
        """
        rate = self._rate
        try:
            given, wait = await _LEASE(
                self._batch,
                [f"{self._prefix}{{{name}}}"],
                [max(rate.per_s, 1e-6), rate.burst, self.block],
            )
        except RedisError as error:
            if not is_away(error):
                raise
            return self.block, 0
        return int(given), int(wait)


class Purse:
    """What a gateway has leased of a fleet's limit for one name."""

    __slots__ = ("_asked_at", "_filling", "_left", "_limit", "_name", "_retry_at", "_wait")

    def __init__(self, limit: FleetLimit, name: str) -> None:
        self._limit = limit
        self._name = name
        self._left = 0
        self._filling = asyncio.Lock()
        self._asked_at = -math.inf
        """When a block that has not come yet was asked for."""
        self._wait = 0
        """What the bucket said the last time, in ms; 0 where it gave."""
        self._retry_at = -math.inf
        """When that is over."""

    def take(self, spawn: Callable[..., object]) -> int:
        """Takes one without waiting; 0, or how many ms to wait when there is none.

        The next block is fetched by `spawn`, before this one is spent. The first ones are not held up
        by the block that is still on its way: they are owed, and taken off it.
        """
        block, now = self._limit.block, _now()
        if self._left <= block // 2 and now >= max(self._retry_at, self._asked_at + _AGAIN_S):
            self._asked_at = now
            spawn(self._fill)
        if self._left <= -block or (self._left <= 0 and self._wait):
            return self._wait or 50
        self._left -= 1
        return 0

    async def spend(self) -> None:
        """Takes one, once a block has come where there is none; raises TOO_FAST."""
        while self._left <= 0:
            if (left_s := self._retry_at - _now()) > 0:
                raise too_fast(math.ceil(1000 * left_s))
            await self._fill()
        self._left -= 1

    async def _fill(self) -> None:
        """Fetches a block; whoever comes meanwhile waits for the same one, or for the same no."""
        async with self._filling:
            if self._left > self._limit.block // 2 or _now() < self._retry_at:
                return
            given, self._wait = await self._limit.lease(self._name)
            self._left += given
            self._asked_at = -math.inf
            self._retry_at = _now() + self._wait / 1000


def _now() -> float:
    return asyncio.get_running_loop().time()


def too_fast(retry_after_ms: int) -> ServiceError:
    """The refusal of who came too often."""
    return ServiceError(
        ErrorReason.ERROR_REASON_TOO_FAST,
        "too many requests",
        retry_after_ms=str(max(1, retry_after_ms)),
    )
