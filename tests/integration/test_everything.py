"""All of Parlor on one machine: ready, restarted, stopped."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import pytest

from parlor.everything import Everything, EverythingConfig, NotStarted
from parlor.rules.catalog import GAMES
from parlor.serving.redis import connect
from tests.conftest import Eventually

SERVICES = ("bots", "gateway", "matchmaking", "engine", "archive")
ONE = ("doudizhu",)
"""What tests serve that are not about games."""
Program = Callable[..., "subprocess.Popen[str]"]


async def status(url: str) -> int:
    try:
        async with aiohttp.ClientSession() as client, client.get(f"{url}/readyz") as response:
            return response.status
    except aiohttp.ClientError:
        return 0


def runs(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
async def parlor(tmp_path: Path, said: list[str]) -> AsyncIterator[Everything]:
    config = EverythingConfig(port=0, kinds=ONE, engines=1, directory=str(tmp_path))
    async with Everything(config, say=said.append) as running:
        yield running


async def test_it_is_ready_when_entered_and_gone_when_left(tmp_path: Path) -> None:
    config = EverythingConfig(port=0, engines=2, gateways=2, directory=str(tmp_path))
    async with Everything(config) as parlor:
        assert [len(parlor.pids(service)) for service in SERVICES] == [
            1,
            2,
            1,
            2 * len(GAMES),
            1,
        ]
        for gateway in parlor.gateways:
            assert await status(gateway.url) == 200
        redis = connect(parlor.redis_url)
        assert await redis.ping()
        await redis.aclose()
        pids = [pid for service in SERVICES for pid in parlor.pids(service)]
        assert parlor.redis is not None
        pids.append(parlor.redis.pid)
        assert all(runs(pid) for pid in pids)
    assert not any(runs(pid) for pid in pids)


async def test_a_process_that_dies_is_started_again_where_it_was(
    parlor: Everything, said: list[str], eventually: Eventually
) -> None:
    url = parlor.url
    (pid,) = parlor.pids("gateway")
    os.kill(pid, signal.SIGKILL)
    await eventually(lambda: "gateway-1 is ready again" in said)
    assert parlor.url == url
    assert await status(url) == 200
    assert parlor.pids("gateway") != (pid,)
    assert said[0].startswith("gateway-1 ended with -9; starting it again")


async def test_redis_is_started_again_with_its_data(
    parlor: Everything, said: list[str], eventually: Eventually
) -> None:
    redis = connect(parlor.redis_url)
    await redis.set("kept", "1")
    assert parlor.redis is not None
    pid = parlor.redis.pid
    os.kill(pid, signal.SIGKILL)
    server = parlor.redis
    await eventually(lambda: server.pid != pid)
    assert await redis.get("kept") == b"1"
    await redis.aclose()
    await eventually(lambda: _is_ready(parlor))


async def _is_ready(parlor: Everything) -> bool:
    return await status(parlor.url) == 200


async def test_a_service_that_cannot_start_is_named_with_the_end_of_its_log(
    tmp_path: Path,
) -> None:
    config = EverythingConfig(port=0, kinds=ONE, engines=1, directory=str(tmp_path))
    env = {**os.environ, "PARLOR_MATCHMAKING_NONSENSE": "1"}
    with pytest.raises(NotStarted, match=r"(?s)matchmaking-1 ended.*PARLOR_MATCHMAKING_NONSENSE"):
        async with Everything(config, env=env):
            pytest.fail("it started")


async def test_a_taken_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = EverythingConfig(port=port, directory=str(tmp_path))
        with pytest.raises(NotStarted, match=rf"port {port} .*PARLOR_EVERYTHING_PORT"):
            async with Everything(config):
                pytest.fail("it started")


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """Runs `python -m parlor.everything` as a person does."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **env: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "parlor.everything", *arguments],
            env={
                **os.environ,
                "PARLOR_EVERYTHING_PORT": "0",
                "PARLOR_EVERYTHING_ENGINES": "1",
                "PARLOR_EVERYTHING_KINDS": ONE[0],
                "PARLOR_EVERYTHING_DIRECTORY": str(tmp_path / "run"),
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_one_signal_stops_all_of_it(program: Program, number: signal.Signals) -> None:
    process = program("--json")
    assert process.stdout is not None
    described = json.loads(await asyncio.to_thread(process.stdout.readline))
    assert await status(described["url"]) == 200
    pids = [pid for service in SERVICES for pid in described["pids"][service]]
    assert len(pids) == len(SERVICES)
    process.send_signal(number)
    _, err = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0, err
    assert err.splitlines()[-2:] == ["parlor: stopping", "parlor: stopped"]
    assert not any(runs(pid) for pid in pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
async def test_nothing_is_left_when_it_is_killed(program: Program, eventually: Eventually) -> None:
    process = program("--json")
    assert process.stdout is not None
    described = json.loads(await asyncio.to_thread(process.stdout.readline))
    pids = [pid for service in SERVICES for pid in described["pids"][service]]
    process.kill()
    await eventually(lambda: not any(runs(pid) for pid in pids))


async def test_a_setting_it_does_not_know_ends_it_with_2(program: Program) -> None:
    process = program(PARLOR_EVERYTHING_ENGINE="3")
    _, err = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 2
    assert "PARLOR_EVERYTHING_ENGINE: no such setting" in err
