"""A primary, its replicas and three sentinels, each a private process on the loopback."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis as BlockingRedis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from parlor.serving import redis_server as servers
from parlor.serving.ports import free_port
from parlor.serving.redis_server import RedisServer
from parlor.serving.tether import tethered

SERVICE = "tables"
DOWN_AFTER_MS = 1500
"""After how long without an answer a sentinel calls a server dead. Not less than a second: it opens a connection to a
new primary once a second, and would call that dead too."""
TILT_MS = 1000
"""A sentinel that was held up for two seconds trusts its own clock no more, and for so long does nothing about a
primary's death. It would be half a minute, and tests run on machines that stand still now and then.
"""
ANSWER_S = 0.5
RETRY_AFTER_MS = 1000
"""Half of the time until they vote again where no sentinel got enough votes."""

# The first synchronisation would wait five seconds for further replicas.
_AT_ONCE = "repl-diskless-sync-delay 0"

_NOT_ALONE = ("min-replicas-to-write 1", "min-replicas-max-lag 2")
"""As `deploy/redis/redis.conf` has it for servers under Sentinel."""


@contextmanager
def server(directory: Path, *settings: str) -> Iterator[RedisServer]:
    """A server of the test's own."""
    running = servers.start(directory, settings=(_AT_ONCE, *settings))
    try:
        yield running
    finally:
        # Told to stop, a primary would wait up to ten seconds for replicas that are gone.
        running.kill()


@contextmanager
def replica_of(primary: RedisServer, directory: Path, *settings: str) -> Iterator[RedisServer]:
    """A replica that has caught up."""
    with server(directory, *settings) as replica:
        follow(replica, primary)
        yield replica


def follow(replica: RedisServer, primary: RedisServer) -> None:
    """Makes it a replica; returns when it has all that the primary had."""
    # By command: one that is started as a replica takes a second before it looks for its primary.
    with BlockingRedis(port=replica.port) as client:
        client.replicaof("127.0.0.1", primary.port)
    _until(lambda: _follows(replica, primary))


def leave(replica: RedisServer, primary: RedisServer) -> None:
    """Makes it follow no more; returns when the primary has noticed."""
    with BlockingRedis(port=replica.port) as client:
        before = _info(primary.port)["connected_slaves"]
        client.replicaof("NO", "ONE")
    _until(lambda: _info(primary.port)["connected_slaves"] < before)


@dataclass
class Watched:
    """A primary and its replicas under three sentinels."""

    servers: list[RedisServer]
    sentinels: list[int]

    @property
    def primary(self) -> RedisServer:
        """The server that began as the primary."""
        return self.servers[0]

    def elected(self) -> RedisServer:
        """The server that all sentinels name; raises LookupError while they do not agree on one."""
        named = {_named_by(port) for port in self.sentinels}
        for server in self.servers:
            if named == {server.port}:
                return server
        raise LookupError(f"the sentinels name {sorted(named)}")

    def follow_elected(self, *, but: RedisServer | None = None) -> bool:
        """Whether a primary is elected that all others follow, `but` one where that is told."""
        try:
            primary = self.elected()
            others = [each for each in self.servers if each is not primary and each is not but]
            return primary is not but and all(_follows(each, primary) for each in others)
        except (LookupError, RedisError):
            return False

    @property
    def url(self) -> str:
        """As a setting names it."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}/0"


@contextmanager
def watched(directory: Path, *, replicas: int) -> Iterator[Watched]:
    """Servers that know each other, so that a failover may begin at once."""
    with ExitStack() as stack:
        primary = stack.enter_context(server(directory / "0", *_NOT_ALONE))
        others = [
            stack.enter_context(replica_of(primary, directory / str(number), *_NOT_ALONE))
            for number in range(1, replicas + 1)
        ]
        ports = [
            stack.enter_context(_sentinel(directory / f"sentinel{number}", primary.port))
            for number in range(3)
        ]
        for port in ports:
            _until(lambda port=port: _knows(port, others=2, replicas=replicas))  # type: ignore[misc]
            with _asked(port) as sentinel:
                sentinel.execute_command("SENTINEL", "DEBUG", "TILT-PERIOD", TILT_MS)
        yield Watched([primary, *others], ports)


@contextmanager
def _sentinel(directory: Path, primary: int) -> Iterator[int]:
    directory.mkdir(parents=True)
    port = free_port()
    conf = directory / "sentinel.conf"
    conf.write_text(
        f"port {port}\n"
        "bind 127.0.0.1\n"
        f"dir {directory}\n"
        f"logfile {directory}/sentinel.log\n"
        f"sentinel monitor {SERVICE} 127.0.0.1 {primary} 2\n"
        f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}\n"
        f"sentinel failover-timeout {SERVICE} {RETRY_AFTER_MS}\n"
    )
    process = subprocess.Popen(
        tethered([str(servers.find_binary()), str(conf), "--sentinel"]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _knows(port: int, *, others: int, replicas: int) -> bool:
    with BlockingRedis(port=port, decode_responses=True) as client:
        state = client.sentinel_master(SERVICE)
    return (state["num-other-sentinels"], state["num-slaves"]) == (others, replicas)


def _named_by(sentinel: int) -> int:
    with _asked(sentinel) as client:
        return int(client.sentinel_get_master_addr_by_name(SERVICE)[1])


def _follows(replica: RedisServer, primary: RedisServer) -> bool:
    told = _info(replica.port)
    return (told.get("master_port"), told.get("master_link_status")) == (primary.port, "up")


def _info(port: int) -> dict[str, Any]:
    with _asked(port) as client:
        told: dict[str, Any] = client.info("replication")
        return told


def _asked(port: int) -> BlockingRedis:
    """A client that asks once: a frozen server gives no answer."""
    return BlockingRedis(
        port=port,
        socket_timeout=ANSWER_S,
        socket_connect_timeout=ANSWER_S,
        retry=Retry(NoBackoff(), 0),
    )


def _until(condition: Callable[[], object], timeout: float = 120.0) -> None:
    until = time.monotonic() + timeout
    while True:
        try:
            if condition():
                return
        except RedisError:
            pass
        if time.monotonic() > until:
            raise TimeoutError(condition)
        time.sleep(0.02)
