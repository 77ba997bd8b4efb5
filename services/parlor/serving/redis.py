"""How every process of Parlor reaches Redis.

`reach` gives a server, or a cluster of them, with a plain client for what is rare; `Batch` carries
the commands of the hot path, `Script` the Lua, `Replication` what replicas have to confirm, and
`Subscriber` the messages. None of them ever sends a command twice that a server may have begun.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from redis.asyncio import BlockingConnectionPool, Connection, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from parlor.serving.away import is_away
from parlor.serving.batch import Batch, ServerBatch, answers
from parlor.serving.cluster import Cluster
from parlor.serving.cluster_batch import ClusterBatch
from parlor.serving.cluster_replication import ClusterReplication
from parlor.serving.cluster_subscriber import ClusterSubscriber
from parlor.serving.connection import whole
from parlor.serving.duplex import Argument
from parlor.serving.redis_url import cluster_options, connection_options, is_cluster
from parlor.serving.replication import Replication, ServerReplication
from parlor.serving.script import Script
from parlor.serving.slots import Address
from parlor.serving.subscriber import Listener, ServerSubscriber, Subscriber

__all__ = [
    "Argument",
    "Batch",
    "Cluster",
    "Listener",
    "Replication",
    "Script",
    "Subscriber",
    "answers",
    "connect",
    "database",
    "is_away",
    "open_batch",
    "open_replication",
    "open_subscriber",
    "primaries",
    "reach",
    "redis_time_ms",
]


def connect(
    url: str, *, timeout_ms: int = 2000, max_connections: int = 16, name: str = "parlor"
) -> Redis:
    """A client that answers with bytes, waits for a free connection instead of failing, and never
    retries. Raises BadConfig for a `url` of no known form, or of a cluster.

    With `redis+sentinel://` every new connection, of this client as of a Batch or a Subscriber on
    it, goes to the server that is the primary then.
    """
    # What the URL itself says wins.
    return _client(_options(timeout_ms, max_connections, name) | connection_options(url))


@asynccontextmanager
async def reach(
    url: str, *, timeout_ms: int = 2000, max_connections: int = 16, name: str = "parlor"
) -> "AsyncIterator[Redis | Cluster]":
    """What `url` names, for as long as the context lasts; raises BadConfig for no known form.

    A cluster is asked for its servers: raises RedisError where none answers.
    """
    if not is_cluster(url):
        client = connect(url, timeout_ms=timeout_ms, max_connections=max_connections, name=name)
        try:
            yield client
        finally:
            await client.aclose()
        return
    seeds, found = cluster_options(url)
    options = _options(timeout_ms, max_connections, name) | found

    def of_server(address: Address) -> Redis:
        host, port = address
        return _client(options | {"host": host, "port": port})

    cluster = Cluster(seeds, of_server)
    try:
        yield await cluster.start()
    finally:
        await cluster.aclose()


def open_batch(redis: Redis | Cluster, *, timeout_ms: int = 2000) -> Batch:
    """A Batch of connections of its own, opened when first needed."""
    if isinstance(redis, Cluster):
        return ClusterBatch(redis, timeout_ms=timeout_ms)
    return ServerBatch(redis, timeout_ms=timeout_ms)


def open_replication(
    redis: Redis | Cluster, *, timeout_ms: int = 2000, confirm_ms: int, least: int = 1
) -> Replication:
    """A Replication of connections of its own, opened when first needed.

    All replicas that are present, and `least` in any case, have `confirm_ms` to confirm, and the primary
    `timeout_ms` beside.
    """
    timeout_ms += confirm_ms
    if isinstance(redis, Cluster):
        return ClusterReplication(redis, timeout_ms=timeout_ms, confirm_ms=confirm_ms, least=least)
    return ServerReplication(
        ServerBatch(redis, timeout_ms=timeout_ms), confirm_ms=confirm_ms, least=least
    )


def open_subscriber(
    redis: Redis | Cluster,
    *,
    on_reconnect: Callable[[], None] | None = None,
    heartbeat_ms: int = 1000,
    timeout_ms: int = 2000,
) -> Subscriber:
    """A Subscriber of connections of its own; enter it before use.

    `on_reconnect` is its first reconnect listener. Three heartbeats without an answer end a
    connection.
    """
    options: dict[str, Any] = {
        "on_reconnect": on_reconnect,
        "heartbeat_ms": heartbeat_ms,
        "timeout_ms": timeout_ms,
    }
    if isinstance(redis, Cluster):
        return ClusterSubscriber(redis, **options)
    return ServerSubscriber(redis, **options)


def primaries(redis: Redis | Cluster) -> list[Redis]:
    """A client of each server that takes writes."""
    if isinstance(redis, Cluster):
        return [redis.client(address) for address in redis.primaries]
    return [redis]


def database(redis: Redis | Cluster) -> int:
    """The number of the database; a cluster has only 0."""
    if isinstance(redis, Cluster):
        return 0
    return int(redis.connection_pool.connection_kwargs.get("db") or 0)


def _options(timeout_ms: int, max_connections: int, name: str) -> dict[str, Any]:
    timeout_s = timeout_ms / 1000
    return {
        "max_connections": max_connections,
        "timeout": timeout_s,
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "decode_responses": False,
        # redis-py's own retries send a command again whose answer was lost: an increment would
        # count twice.
        "retry": Retry(NoBackoff(), 0),
        # RESP2: a message of a channel is then an ordinary reply, in order with the confirmations.
        "protocol": 2,
        "client_name": name,
    }


def _client(options: dict[str, Any]) -> Redis:
    connection_class = whole(options.get("connection_class", Connection))
    return Redis.from_pool(
        BlockingConnectionPool(**options | {"connection_class": connection_class})
    )


async def redis_time_ms(redis: Redis) -> int:
    """Now, as Redis has it: milliseconds since 1970, the one clock of every room."""
    seconds, microseconds = await redis.time()
    return seconds * 1000 + microseconds // 1000
