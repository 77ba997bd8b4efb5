"""How every process of Parlor reaches Redis.

`connect` gives a plain client for what is rare; `Batch` carries the commands of the hot path,
`Script` the Lua, `Replication` what a replica has to confirm, and `Subscriber` the messages. None of
them ever sends a command twice by itself.
"""

from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import (
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving.batch import Batch
from parlor.serving.duplex import Argument
from parlor.serving.redis_url import connection_options
from parlor.serving.replication import Replication
from parlor.serving.script import Script
from parlor.serving.subscriber import Listener, Subscriber

__all__ = [
    "Argument",
    "Batch",
    "Listener",
    "Replication",
    "Script",
    "Subscriber",
    "connect",
    "is_away",
    "redis_time_ms",
]


def connect(
    url: str, *, timeout_ms: int = 2000, max_connections: int = 16, name: str = "parlor"
) -> Redis:
    """A client that answers with bytes, waits for a free connection instead of failing, and never
    retries. Raises BadConfig for a `url` of no known form.

    With `redis+sentinel://` every new connection, of this client as of a Batch or a Subscriber on
    it, goes to the server that is the primary then.

    redis-py's own retries send a command again whose answer was lost: an increment would count
    twice.
    """
    timeout_s = timeout_ms / 1000
    options: dict[str, Any] = {
        "max_connections": max_connections,
        "timeout": timeout_s,
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "decode_responses": False,
        "retry": Retry(NoBackoff(), 0),
        # RESP2: a message of a channel is then an ordinary reply, in order with the confirmations.
        "protocol": 2,
        "client_name": name,
    }
    # What the URL itself says wins.
    pool = BlockingConnectionPool(**(options | connection_options(url)))
    return Redis.from_pool(pool)


_AWAY = (
    RedisConnectionError,
    RedisTimeoutError,
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    TryAgainError,
)
_AWAY_WORDS = frozenset({"NOREPLICAS", "CLUSTERDOWN", "MISCONF", "BUSY"})
"""How answers begin that redis-py has no class for."""


def is_away(error: RedisError) -> bool:
    """Whether Redis may do later what it did not do now: it is gone, silent, full, or no primary at the moment."""
    if isinstance(error, _AWAY):
        return True
    return isinstance(error, ResponseError) and str(error).split(" ", 1)[0] in _AWAY_WORDS


async def redis_time_ms(redis: Redis) -> int:
    """Now, as Redis has it: milliseconds since 1970, the one clock of every room."""
    seconds, microseconds = await redis.time()
    return seconds * 1000 + microseconds // 1000
