"""start.sh and sentinel.sh of deploy/redis, which start Redis in every deployment: real servers, real sentinels."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from parlor.serving import redis_server
from parlor.serving.ports import free_port
from parlor.serving.tether import tethered
from tests.conftest import Eventually

DEPLOY = Path(__file__).parents[3] / "deploy" / "redis"
HOST = "127.0.0.1"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("redis-cli") is None, reason="no redis-cli on this machine: make tools"
    ),
]


@dataclass
class Node:
    """A server or a sentinel and its disk."""

    script: str
    port: int
    directory: Path
    env: dict[str, str]
    arguments: tuple[str, ...] = ()
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    def start(self) -> None:
        self.directory.mkdir(exist_ok=True)
        with (self.directory.parent / f"{self.port}.log").open("ab") as log:
            self.process = subprocess.Popen(
                tethered(["/bin/sh", str(DEPLOY / self.script), *self.arguments]),
                env={**self.env, "PORT": str(self.port), "DATA": str(self.directory)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        if self.process is not None:
            # The script's own helpers too, where it still waits.
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def lose_disk(self) -> None:
        shutil.rmtree(self.directory)

    def asked(self, *command: str | int) -> object:
        """What it answers; None where nobody does."""
        with Redis(host=HOST, port=self.port, socket_timeout=1, decode_responses=True) as client:
            try:
                return client.execute_command(*command)
            except RedisError:
                return None

    def role(self) -> object:
        said = self.asked("ROLE")
        return said[0] if isinstance(said, list) else None


@dataclass
class Fleet:
    """Three servers and three sentinels."""

    servers: list[Node]
    sentinels: list[Node]

    def primaries(self) -> list[int]:
        return [node.port for node in self.servers if node.role() == "master"]

    def is_whole(self) -> bool:
        """One primary with two replicas in step, and every sentinel knows all of them."""
        primaries = self.primaries()
        if len(primaries) != 1 or [node.role() for node in self.servers].count("slave") != 2:
            return False
        (primary,) = (node for node in self.servers if node.port == primaries[0])
        if primary.asked("WAIT", 2, 500) != 2:
            return False
        return all(
            node.asked("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "parlor") == [HOST, str(primaries[0])]
            and len(_listed(node.asked("SENTINEL", "REPLICAS", "parlor"))) == 2
            and len(_listed(node.asked("SENTINEL", "SENTINELS", "parlor"))) == 2
            for node in self.sentinels
        )

    def value(self) -> set[object]:
        return {node.asked("GET", "room") for node in self.servers}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "redis-server").symlink_to(redis_server.find_binary())
    servers = [free_port() for _ in range(3)]
    sentinels = [free_port() for _ in range(3)]
    env = {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "ME": HOST,
        "FIRST": f"{HOST}:{servers[0]}",
        "SERVERS": " ".join(f"{HOST}:{port}" for port in servers),
        "SENTINELS": " ".join(f"{HOST}:{port}" for port in sentinels),
        "DOWN_AFTER_MS": "1500",
    }
    quickly = ("--repl-diskless-sync-delay", "0", "--bind", HOST)
    fleet = Fleet(
        [
            Node(
                "start.sh", port, tmp_path / str(port), env, (str(DEPLOY / "redis.conf"), *quickly)
            )
            for port in servers
        ],
        [Node("sentinel.sh", port, tmp_path / str(port), env) for port in sentinels],
    )
    try:
        for node in [*fleet.servers, *fleet.sentinels]:
            node.start()
        yield fleet
    finally:
        for node in [*fleet.servers, *fleet.sentinels]:
            node.kill()


async def test_rooms_survive_an_empty_disk_and_a_restart_of_everything(
    fleet: Fleet, eventually: Eventually
) -> None:
    first, *_ = fleet.servers
    await eventually(fleet.is_whole)
    assert fleet.primaries() == [first.port]
    first.asked("SET", "room", "s1-a")
    await eventually(lambda: fleet.value() == {"s1-a"})

    # The primary's machine comes back at once, but without its disk.
    first.kill()
    first.lose_disk()
    first.start()
    await eventually(fleet.is_whole)
    assert first.port not in fleet.primaries()
    assert fleet.value() == {"s1-a"}

    # All machines go down and come back, the first server before any sentinel.
    nodes = [*fleet.servers, *fleet.sentinels]
    for node in nodes:
        node.kill()
    for node in nodes:
        node.start()
    await eventually(fleet.is_whole)
    assert fleet.value() == {"s1-a"}


async def test_without_sentinels_a_server_is_on_its_own(
    tmp_path: Path, fleet: Fleet, eventually: Eventually
) -> None:
    alone = Node(
        "start.sh",
        free_port(),
        tmp_path / "alone",
        {**fleet.servers[0].env, "SENTINELS": "", "REDIS_PASSWORD": "not-for-everybody"},
        fleet.servers[0].arguments,
    )
    alone.start()
    try:
        with Redis(host=HOST, port=alone.port, password="not-for-everybody") as client:
            await eventually(lambda: _pings(client))
            assert client.config_get("appendfsync")["appendfsync"] == "always"
            assert client.role()[0] == b"master"
        assert alone.asked("PING") is None
    finally:
        alone.kill()


def _listed(said: object) -> list[object]:
    return said if isinstance(said, list) else []


def _pings(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False
