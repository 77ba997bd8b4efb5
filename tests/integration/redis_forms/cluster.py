"""A Redis Cluster on the loopback: three primaries with a replica each, and what happens to it."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from redis import Redis as BlockingRedis
from redis.exceptions import RedisError

from parlor.serving import redis_server as servers
from parlor.serving.ports import free_port
from parlor.serving.redis_server import RedisServer
from parlor.serving.slots import COUNT, slot_of

PRIMARIES: Final = 3
NODE_TIMEOUT_MS: Final = 1_000
"""After how long without an answer a node counts as dead."""


class RunningCluster:
    """The servers, by whatever role they have at the moment."""

    def __init__(self, servers: Sequence[RedisServer]) -> None:
        self.servers = list(servers)
        self._frozen: list[RedisServer] = []

    @property
    def url(self) -> str:
        """As a setting names it."""
        return "redis+cluster://" + ",".join(
            f"127.0.0.1:{server.port}" for server in self.servers[:2]
        )

    @property
    def alive(self) -> list[RedisServer]:
        """Those that run, and are not frozen."""
        running = [server for server in self.servers if server.process.poll() is None]
        return [server for server in running if server not in self._frozen]

    @contextmanager
    def frozen(self, *servers: RedisServer) -> Iterator[None]:
        """Stops servers, which keep their connections and answer nobody; left, they go on."""
        try:
            for server in servers:
                os.kill(server.pid, signal.SIGSTOP)
                self._frozen.append(server)
            yield
        finally:
            for server in servers:
                os.kill(server.pid, signal.SIGCONT)
            self._frozen = [each for each in self._frozen if each not in servers]

    def owners(self) -> list[tuple[range, int]]:
        """The slots with the ports of their primaries, as the first living server has it."""
        return [
            (range(first, last + 1), primary[1])
            for first, last, primary, *_ in ask(self.alive[0].port, "CLUSTER", "SLOTS")
        ]

    def primary_of(self, key: str) -> RedisServer:
        """The server of the key's slot."""
        slot = slot_of(key)
        (port,) = (port for slots, port in self.owners() if slot in slots)
        return self.at(port)

    def all_of(self, key: str) -> list[RedisServer]:
        """Whoever has the key: the primary first, then its replicas."""
        slot = slot_of(key)
        for first, last, *nodes in ask(self.alive[0].port, "CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return [self.at(port) for _, port, *_ in nodes]
        raise LookupError(key)

    def primaries(self) -> list[RedisServer]:
        """Those with slots."""
        return [self.at(port) for port in sorted({port for _, port in self.owners()})]

    def at(self, port: int) -> RedisServer:
        """The server at a port."""
        (server,) = (server for server in self.servers if server.port == port)
        return server

    def is_whole(self) -> bool:
        """Whether every server runs, all agree, and each primary has a replica that has caught up."""
        if len(self.alive) < len(self.servers):
            return False
        views = [_layout(server.port) for server in self.servers]
        return (
            all(view == views[0] for view in views)
            and len(views[0]) == len(self.servers)
            and all(_is_well(server.port) for server in self.servers)
        )

    def flush(self) -> None:
        """Forgets all keys."""
        for server in self.primaries():
            ask(server.port, "FLUSHALL")

    def move_slot(self, slot: int, target: RedisServer) -> None:
        """Takes a slot with its keys to another primary, as an operator's tool does."""
        mover = SlotMove(self, slot, target)
        mover.begin()
        while mover.take_keys():
            pass
        mover.end()


class SlotMove:
    """A slot on its way, step by step."""

    def __init__(self, cluster: RunningCluster, slot: int, target: RedisServer) -> None:
        (port,) = (port for slots, port in cluster.owners() if slot in slots)
        self._cluster = cluster
        self._slot = slot
        self._source = cluster.at(port)
        self._target = target

    def begin(self) -> None:
        """Tells both servers; from here on each answers only for what it has."""
        ids = [_id(server.port) for server in (self._source, self._target)]
        ask(self._target.port, "CLUSTER", "SETSLOT", self._slot, "IMPORTING", ids[0])
        ask(self._source.port, "CLUSTER", "SETSLOT", self._slot, "MIGRATING", ids[1])

    def take_keys(self, count: int = 100) -> int:
        """Moves some keys; how many there were."""
        keys = ask(self._source.port, "CLUSTER", "GETKEYSINSLOT", self._slot, count)
        if keys:
            host, port = "127.0.0.1", self._target.port
            ask(self._source.port, "MIGRATE", host, port, "", 0, 5_000, "KEYS", *keys)
        return len(keys)

    def end(self) -> None:
        """Gives the slot to its new server, who hears of it first."""
        target_id = _id(self._target.port)
        others = [s for s in self._cluster.primaries() if s not in (self._source, self._target)]
        for server in (self._target, self._source, *others):
            ask(server.port, "CLUSTER", "SETSLOT", self._slot, "NODE", target_id)


@contextmanager
def cluster(directory: Path, *settings: str) -> Iterator[RunningCluster]:
    """Servers that agree with each other; `settings` are further lines of redis.conf."""
    with ExitStack() as stack:
        running = RunningCluster(
            [
                stack.enter_context(node(directory / str(number), *settings))
                for number in range(2 * PRIMARIES)
            ]
        )
        ports = [server.port for server in running.servers]
        for number, port in enumerate(ports):
            ask(port, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            for other in ports[:number]:
                # Each with each: word of mouth takes seconds.
                ask(port, "CLUSTER", "MEET", "127.0.0.1", other, _bus_port(other))
        until(lambda: all(len(_known(port)) == len(ports) for port in ports))
        for number in range(PRIMARIES):
            first, last = (COUNT * n // PRIMARIES for n in (number, number + 1))
            ask(ports[number], "CLUSTER", "ADDSLOTSRANGE", first, last - 1)
            ask(ports[number + PRIMARIES], "CLUSTER", "REPLICATE", _id(ports[number]))
        until(running.is_whole)
        yield running


@contextmanager
def node(directory: Path, *settings: str) -> Iterator[RedisServer]:
    """A server that may become one of a cluster."""
    server = servers.start(
        directory,
        settings=(
            "cluster-enabled yes",
            f"cluster-port {free_port()}",
            f"cluster-node-timeout {NODE_TIMEOUT_MS}",
            # What other primaries have is played on while one has no successor yet.
            "cluster-require-full-coverage no",
            # Six servers that wait for one disk after every command would be a test of the disk.
            "appendfsync everysec",
            # The first synchronisation would wait five seconds for further replicas.
            "repl-diskless-sync-delay 0",
            # A replica that has received nothing yet is shown to nobody.
            "repl-ping-replica-period 1",
            *settings,
        ),
    )
    try:
        yield server
    finally:
        # Told to stop, a primary would wait for replicas that are gone.
        server.kill()


def until(condition: Callable[[], object], timeout: float = 120.0) -> None:
    """Returns once it holds."""
    end = time.monotonic() + timeout
    while True:
        try:
            if condition():
                return
        except RedisError:
            pass
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.02)


def ask(port: int, *command: Any) -> Any:
    """One server's answer, as it travels."""
    with BlockingRedis(port=port, protocol=2, socket_timeout=10) as client:
        client.response_callbacks.clear()
        return client.execute_command(*command)


def _id(port: int) -> str:
    return str(ask(port, "CLUSTER", "MYID").decode())


def _bus_port(port: int) -> int:
    return int(ask(port, "CONFIG", "GET", "cluster-port")[1])


def _known(port: int) -> list[bytes]:
    lines: list[bytes] = ask(port, "CLUSTER", "NODES").splitlines()
    return [line for line in lines if b"handshake" not in line]


def _layout(port: int) -> frozenset[tuple[bytes, int]]:
    """The nodes with their ports, primaries and replicas, as one of them sees it."""
    ranges = ask(port, "CLUSTER", "SLOTS")
    return frozenset((node[2], node[1]) for _, _, *nodes in ranges for node in nodes)


def _is_well(port: int) -> bool:
    info = ask(port, "INFO", "replication").decode()
    state = ask(port, "CLUSTER", "INFO").decode()
    return "cluster_state:ok" in state and (
        "master_link_status:up" in info or "connected_slaves:1" in info
    )
