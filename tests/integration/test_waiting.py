"""Services that are there before their Redis: they wait, say so, and go on by themselves."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from redis import Redis as BlockingRedis

from parlor.client import Refused
from parlor.client.login import login
from parlor.client.requests import PASSING
from parlor.serving import redis_server as servers
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.serving.ports import free_port
from tests.conftest import Eventually

SERVICES = {
    "gateway": "parlor.v1.PlayService",
    "engine": "parlor.v1.EngineService",
    "matchmaking": "parlor.v1.MatchmakingService",
    "archive": "parlor.v1.ArchiveService",
    "bots": "",
}
ARGUMENTS = {"engine": ("planes",)}
END_S = 60.0
SAY_EVERY_S = 30


@dataclass
class Process:
    """A service as it is deployed."""

    process: "subprocess.Popen[bytes]"
    log: Path
    http: str
    grpc: str

    def said(self, event: str) -> list[dict[str, Any]]:
        """The lines of this event in its log."""
        lines = (line for line in self.log.read_text().splitlines() if line.startswith("{"))
        return [line for line in map(json.loads, lines) if line["event"] == event]

    async def get(self, path: str) -> tuple[int, str]:
        """What a page answers; 0 where nobody does."""
        try:
            async with (
                aiohttp.ClientSession() as client,
                client.get(f"http://{self.http}{path}") as response,
            ):
                return response.status, await response.text()
        except aiohttp.ClientError:
            return 0, ""

    async def ended(self) -> int:
        """Its exit code, once it has ended."""
        return await asyncio.to_thread(self.process.wait, END_S)


@contextmanager
def running(service: str, redis_url: str, directory: Path) -> Iterator[Process]:
    """A service with a Redis at `redis_url`, or none."""
    http, rpc = free_port(), free_port()
    section = f"PARLOR_{service.upper()}"
    log = directory / f"{service}.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", f"parlor.{service}", *ARGUMENTS.get(service, ())],
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parents[2] / "services"),
                "PARLOR_REDIS_URL": redis_url,
                f"{section}_HTTP_PORT": str(http),
                f"{section}_GRPC_PORT": str(rpc),
                "PARLOR_ARCHIVE_DATABASE_URL": f"sqlite:///{directory / 'archive.db'}",
            },
            stdout=written,
            stderr=written,
        )
    try:
        yield Process(process, log, f"127.0.0.1:{http}", f"127.0.0.1:{rpc}")
    finally:
        process.kill()
        process.wait(END_S)


@pytest.fixture
def port() -> int:
    """Where a Redis will be."""
    return free_port()


@pytest.fixture(params=SERVICES)
async def waiting(
    request: pytest.FixtureRequest, port: int, tmp_path: Path, eventually: Eventually
) -> AsyncIterator[Process]:
    """Each of the services, as it waits."""
    with running(request.param, f"redis://127.0.0.1:{port}/0", tmp_path) as process:
        await eventually(lambda: process.said("redis_awaited"), timeout=60)
        yield process


async def test_a_service_lives_without_redis_and_is_ready_when_it_comes(
    waiting: Process, port: int, tmp_path: Path, eventually: Eventually
) -> None:
    async def answers(path: str, status: int, text: str = "") -> bool:
        answer = await waiting.get(path)
        return answer[0] == status and text in answer[1]

    await eventually(lambda: answers("/healthz", 200), timeout=60)
    assert await answers("/readyz", 503, '"redis": false')
    assert await answers("/metrics", 200, "parlor_redis_awaited 1.0")
    assert await answers("/ws", 503)
    with pytest.raises(Refused) as refused:
        await login(f"http://{waiting.http}", "Ann")
    assert refused.value.reason in PASSING
    redis = servers.start(tmp_path / "redis", port=port)
    try:
        await eventually(lambda: answers("/readyz", 200), timeout=60)
        assert await answers("/metrics", 200, "parlor_redis_awaited 0.0")
        (came,) = waiting.said("redis_came")
        assert len(waiting.said("redis_awaited")) <= 1 + came["waited_s"] / SAY_EVERY_S
        waiting.process.terminate()
        assert await waiting.ended() == 0
    finally:
        redis.kill()


async def test_a_waiting_service_ends_when_it_is_told_to(waiting: Process) -> None:
    waiting.process.send_signal(signal.SIGTERM)
    assert await waiting.ended() == 0
    assert waiting.said("stopped")
    assert not waiting.said("started")


@pytest.mark.parametrize("waiting", ["engine"], indirect=True)
async def test_calls_to_a_waiting_service_may_be_made_again(
    waiting: Process, eventually: Eventually
) -> None:
    async with grpc.aio.insecure_channel(waiting.grpc) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)

        async def status(service: str) -> Any:
            request = health_pb2.HealthCheckRequest(service=service)
            return (await health.Check(request, wait_for_ready=True)).status

        assert await status("") == health_pb2.HealthCheckResponse.SERVING
        named = await status(SERVICES["engine"])
        assert named == health_pb2.HealthCheckResponse.NOT_SERVING
        path = f"/{SERVICES['engine']}/OpenRoom"
        unary: Any = channel.unary_unary(path)
        stream: Any = channel.unary_stream(path)
        for answer in (unary(b""), stream(b"").read()):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await answer
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert reason_name(from_rpc_error(refused.value).reason) == "STORE_UNAVAILABLE"


@pytest.mark.parametrize("service", SERVICES)
async def test_a_wrong_password_ends_a_service_at_once(service: str, tmp_path: Path) -> None:
    redis = servers.start(tmp_path / "redis")
    try:
        with BlockingRedis(port=redis.port) as client:
            client.config_set("requirepass", "right")
        with running(service, f"redis://:wrong@127.0.0.1:{redis.port}/0", tmp_path) as process:
            assert await process.ended() == 2
            last = process.log.read_text().splitlines()[-1]
        assert last.startswith(f"parlor {service}: PARLOR_REDIS_URL: refused: ")
        assert ":wrong@" not in last
        assert not process.said("redis_awaited")
    finally:
        redis.kill()


async def test_settings_of_redis_that_lose_rooms_end_an_engine_at_once(tmp_path: Path) -> None:
    redis = servers.start(tmp_path / "redis", settings=("maxmemory-policy allkeys-lru",))
    try:
        with running("engine", redis.url, tmp_path) as process:
            assert await process.ended() == 2
            assert "set it to noeviction" in process.log.read_text().splitlines()[-1]
    finally:
        redis.kill()
