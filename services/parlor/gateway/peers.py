"""The gateways that take clients: each says so in Redis every heartbeat, and reads whether another does."""

import asyncio
import uuid
from collections.abc import Callable
from typing import Final

import structlog
from redis.exceptions import RedisError

from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script

log = structlog.get_logger(__name__)

HEARTBEAT_S: Final = 0.5
ALIVE_MS: Final = 2_000
"""How long after a heartbeat a gateway is taken to be there."""

_BEAT: Final = Script("""
-- KEYS: gateways. ARGV: 1 gateway, 2 ms for which it takes clients; 0 where it does not.
-- Gives how many others do.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local others = redis.call('ZCARD', KEYS[1])
if ARGV[2] ~= '0' then redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) end
return others
""")


class Peers:
    """This gateway among all gateways."""

    def __init__(self, batch: Batch, keys: Keys, takes_clients: Callable[[], bool]) -> None:
        self._batch = batch
        self._keys = keys
        self._takes_clients = takes_clients
        self._me = f"gateway-{uuid.uuid4().hex[:12]}"
        self.others = asyncio.Event()
        """Set while another gateway takes clients, as far as is known."""

    async def keep(self) -> None:
        """Beats for ever."""
        while True:
            await self.beat()
            await asyncio.sleep(HEARTBEAT_S)

    async def beat(self) -> None:
        """Says whether this gateway takes clients, and looks whether another does."""
        alive_ms = ALIVE_MS if self._takes_clients() else 0
        try:
            others = await _BEAT(self._batch, [self._keys.gateways()], [self._me, alive_ms])
        except RedisError as error:
            # Without Redis no gateway can open a session.
            others = 0
            log.warning("heartbeat_failed", error=type(error).__name__)
        if others:
            self.others.set()
        else:
            self.others.clear()
