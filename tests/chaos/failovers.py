"""What is done to the primary of a deployment under Sentinel, one thing after the other.

A second fault of the store waits until all replicas follow again: what Parlor promises, it promises
for one failure at a time.
"""

import asyncio
import os
import random
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from redis.exceptions import RedisError

from tests.integration.redis_forms.support import Watched, follow

WEIGHTS: Final = {"kill primary": 6, "freeze primary": 2}
"""As the weights of the other faults; each comes only when all replicas follow."""

SHORT_FREEZE_S: Final = (0.05, 0.4)
"""Shorter than what a sentinel takes for a death."""
LONG_FREEZE_S: Final = (0.0, 2.0)
"""How long a primary stays frozen after it was replaced."""
SHORT_IN: Final = 3
"""Of so many freezes one is short."""
REST_S: Final = 5.0
"""How long a new primary is left alone."""
_LOOK_S: Final = 0.05
WHOLE_S: Final = 240.0
"""How long a failover may take until all is whole again, also on a machine that stands still now and then."""

Failover = Callable[[Callable[[], None]], Coroutine[Any, Any, None]]
"""Carries one out. It calls what it is given once the store serves again, and ends when all replicas follow."""


class Failovers:
    """Kills and freezes primaries, and brings them back."""

    def __init__(self, deployment: Watched, chance: random.Random) -> None:
        self._deployment = deployment
        self._chance = chance

    async def kill_primary(self, served: Callable[[], None]) -> None:
        """Returns when another is the primary and the killed one its replica."""
        servers = self._deployment
        old = await asyncio.to_thread(servers.elected)
        os.kill(old.pid, signal.SIGKILL)
        await _until(lambda: servers.follow_elected(but=old))
        served()
        await asyncio.to_thread(old.restart)
        # Who does not get through at once is told by the sentinels, which takes longer.
        with suppress(TimeoutError, LookupError, RedisError):
            await asyncio.to_thread(lambda: follow(old, servers.elected()))
        await _until(servers.follow_elected)

    async def freeze_primary(self, served: Callable[[], None]) -> None:
        """For a moment, or until it was replaced and longer; returns when it has become a replica.

        It thaws when no replica follows it any more. Before, its last replica would confirm what the
        promoted one has not got, against which one confirmation does not help.
        """
        servers, chance = self._deployment, self._chance
        is_short = chance.randrange(SHORT_IN) == 0
        length_s = chance.uniform(*(SHORT_FREEZE_S if is_short else LONG_FREEZE_S))
        old = await asyncio.to_thread(servers.elected)
        os.kill(old.pid, signal.SIGSTOP)
        try:
            if not is_short:
                await _until(lambda: servers.follow_elected(but=old))
                served()
            await asyncio.sleep(length_s)
        finally:
            os.kill(old.pid, signal.SIGCONT)
        if is_short:
            served()
        await _until(servers.follow_elected)


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WHOLE_S):
        while not await asyncio.to_thread(condition):
            await asyncio.sleep(_LOOK_S)
