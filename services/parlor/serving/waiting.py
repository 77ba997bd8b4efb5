"""The start of a process whose Redis is not there yet: it waits, and goes on by itself.

Only what passes is waited for. A URL, a password or a certificate that is refused ends the process
at once, and so do settings of Redis that a service does not run with: somebody has to see to them.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeVar

import structlog
from redis.exceptions import ClusterDownError, MovedError, RedisError

from parlor.serving import metrics
from parlor.serving.away import is_away
from parlor.serving.cluster import Cluster
from parlor.serving.config import BadConfig, Common
from parlor.serving.redis import reach
from parlor.serving.redis_url import is_cluster
from parlor.serving.refusals import refusal

log = structlog.get_logger(__name__)

T = TypeVar("T")

_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 0.5
"""Players wait with the process: it looks often, and a look is one PING."""
_SAY_EVERY_S: Final = 30.0


async def once_redis_serves(
    begin: Callable[[], Awaitable[T]],
    *,
    name: str,
    config: Common,
    lobby: Callable[[], AbstractAsyncContextManager[None]],
) -> T:
    """What `begin` gives. While Redis is away the process is in the `lobby`; where it goes away during
    `begin`, that is begun anew.

    Raises BadConfig for a Redis that is not this process's, and whatever else `begin` raises.
    """
    wait = _Wait()
    try:
        while True:
            try:
                await _ask(name, config)
                begun = await begin()
            except (RedisError, ExceptionGroup) as error:
                wait.goes_on(_passing(error, config))
            else:
                wait.is_over()
                return begun
            async with lobby():
                await _until_it_answers(wait, name, config)
    finally:
        metrics.redis_awaited.set(0)


async def _until_it_answers(wait: "_Wait", name: str, config: Common) -> None:
    while True:
        await wait.pause()
        try:
            await _ask(name, config)
        except RedisError as error:
            wait.goes_on(error)
        else:
            return


async def _ask(name: str, config: Common) -> None:
    """Raises RedisError unless Redis serves, a Cluster all slots; BadConfig where it refuses to."""
    url, timeout_ms = config.redis_url, config.redis_timeout_ms
    try:
        async with reach(url, timeout_ms=timeout_ms, name=name) as redis:
            if isinstance(redis, Cluster) and not redis.is_covered:
                raise ClusterDownError("some slots are served by no server")
            await redis.ping()
    except RedisError as error:
        refused = refusal(error)
        if refused is None:
            raise
        raise BadConfig(f"PARLOR_REDIS_URL: refused: {refused}") from None


def _passing(error: Exception, config: Common) -> RedisError:
    """Why Redis does not serve yet; raises `error`, or the BadConfig in it, where that does not pass."""
    # A service starts its parts in task groups.
    parts = _flat(error) if isinstance(error, ExceptionGroup) else [error]
    for part in parts:
        if isinstance(part, MovedError) and not is_cluster(config.redis_url):
            raise BadConfig(
                "PARLOR_REDIS_URL: this is a server of a Cluster; expected redis+cluster://…"
            ) from None
        if isinstance(part, BadConfig):
            raise part from None
        if not isinstance(part, RedisError) or not is_away(part):
            raise error
    (passing, *_) = (part for part in parts if isinstance(part, RedisError))
    return passing


def _flat(group: ExceptionGroup[Exception]) -> list[Exception]:
    return [
        leaf
        for part in group.exceptions
        for leaf in (_flat(part) if isinstance(part, ExceptionGroup) else [part])
    ]


class _Wait:
    """How long it has lasted, and what is said of it."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._said_at = 0.0
        self._pause_s = _SHORTEST_PAUSE_S

    def goes_on(self, error: RedisError) -> None:
        """Says so when it begins, and now and then."""
        now = time.monotonic()
        if self._began is None:
            self._began = now
            metrics.redis_awaited.set(1)
        elif now - self._said_at < _SAY_EVERY_S:
            return
        self._said_at = now
        log.warning(
            "redis_awaited",
            error=type(error).__name__,
            reason=str(error),
            waited_s=round(now - self._began),
        )

    async def pause(self) -> None:
        """Until the next look."""
        # Jittered, or all processes would come in the same instant.
        await asyncio.sleep(self._pause_s * random.uniform(0.5, 1.0))
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def is_over(self) -> None:
        """Says so, had it begun."""
        if self._began is not None:
            log.info("redis_came", waited_s=round(time.monotonic() - self._began, 1))
