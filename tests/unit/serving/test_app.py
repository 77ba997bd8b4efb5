"""A process from its start to its end: ports, health, errors over real gRPC, draining."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import REGISTRY
from redis.exceptions import ConnectionError as RedisConnectionError

from parlor.serving import App, Common, ServiceError, serving
from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1.error_reason_pb2 import ErrorReason
from tests.conftest import Eventually

SERVICE = "test.Echo"


async def unary(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    return answered(request)


async def yielding(
    request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]
) -> AsyncIterator[bytes]:
    yield b"first"
    yield answered(request)


async def writing(
    requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
) -> None:
    async for request in requests:
        await context.write(answered(request))


def answered(request: bytes) -> bytes:
    match request:
        case b"refuse":
            raise ServiceError(
                ErrorReason.ERROR_REASON_ROOM_NOT_FOUND, "no such room", room_id="s1-x"
            )
        case b"break":
            raise KeyError("the queen of hearts")
        case b"store":
            raise RedisConnectionError("gone")
        case _:
            return request


@asynccontextmanager
async def echo(app: App[Common]) -> AsyncIterator[None]:
    app.server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                SERVICE,
                {
                    "Unary": grpc.unary_unary_rpc_method_handler(unary),
                    "Yielding": grpc.unary_stream_rpc_method_handler(yielding),
                    "Writing": grpc.stream_stream_rpc_method_handler(writing),
                },
            ),
        )
    )
    yield


@pytest.fixture
async def app(redis_url: str) -> AsyncIterator[App[Common]]:
    async with serving("echo", Common(redis_url=redis_url), echo, services=[SERVICE]) as running:
        yield running


@pytest.fixture
async def channel(app: App[Common]) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(app.grpc_address, options=CHANNEL_OPTIONS) as opened:
        yield opened


async def call(channel: Any, form: str, request: bytes) -> list[bytes]:
    path = f"/{SERVICE}/{form}"
    if form == "Unary":
        return [await channel.unary_unary(path)(request)]
    if form == "Yielding":
        return [answer async for answer in channel.unary_stream(path)(request)]
    return [answer async for answer in channel.stream_stream(path)(iter([request]))]


FORMS = pytest.mark.parametrize("form", ["Unary", "Yielding", "Writing"])


@FORMS
async def test_an_answer_comes_back(channel: grpc.aio.Channel, form: str) -> None:
    assert (await call(channel, form, b"hello"))[-1] == b"hello"


@FORMS
async def test_a_refusal_reaches_the_client_as_error_info(
    channel: grpc.aio.Channel, form: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(channel, form, b"refuse")
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND
    error = from_rpc_error(raised.value)
    assert reason_name(error.reason) == "ROOM_NOT_FOUND"
    assert error.message == "no such room"
    assert error.metadata == {"room_id": "s1-x"}


@FORMS
async def test_a_defect_is_internal_and_says_nothing(channel: grpc.aio.Channel, form: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(channel, form, b"break")
    assert raised.value.code() is grpc.StatusCode.INTERNAL
    assert "queen" not in str(raised.value)
    assert reason_name(from_rpc_error(raised.value).reason) == "INTERNAL"


async def test_a_store_that_is_away_is_unavailable(channel: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(channel, "Unary", b"store")
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_name(from_rpc_error(raised.value).reason) == "STORE_UNAVAILABLE"


async def test_calls_are_counted_by_code(channel: grpc.aio.Channel) -> None:
    def counted(code: str) -> float:
        labels = {"service": SERVICE, "method": "Unary", "code": code}
        return REGISTRY.get_sample_value("parlor_rpc_requests_total", labels) or 0.0

    before = counted("OK"), counted("NOT_FOUND")
    await call(channel, "Unary", b"hello")
    with pytest.raises(grpc.aio.AioRpcError):
        await call(channel, "Unary", b"refuse")
    assert (counted("OK"), counted("NOT_FOUND")) == (before[0] + 1, before[1] + 1)


async def test_health_and_reflection_name_the_service(channel: grpc.aio.Channel) -> None:
    health: Any = health_pb2_grpc.HealthStub(channel)
    answer = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
    reflected = reflection.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    )
    async for response in reflected:
        names = {service.name for service in response.list_services_response.service}
        assert SERVICE in names
        break


async def get(app: App[Common], path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as client,
        client.get(f"http://{app.http_address}{path}") as response,
    ):
        return response.status, await response.text()


async def test_the_operators_endpoints_answer(app: App[Common]) -> None:
    assert (await get(app, "/healthz"))[0] == 200
    assert (await get(app, "/readyz"))[0] == 200
    status, text = await get(app, "/metrics")
    assert status == 200
    assert "parlor_loop_longest_step_seconds" in text


async def test_a_failing_check_makes_the_process_unready(app: App[Common]) -> None:
    async def broken() -> bool:
        raise RuntimeError("broken")

    app.add_ready_check("shards", broken)
    status, text = await get(app, "/readyz")
    assert status == 503
    assert '"shards": false' in text
    assert (await get(app, "/healthz"))[0] == 200


async def test_leaving_drains_with_the_ports_still_open(redis_url: str) -> None:
    seen: list[object] = []

    @asynccontextmanager
    async def bind(app: App[Common]) -> AsyncIterator[None]:
        async with echo(app):
            yield
            seen.append(app.draining.is_set())
            seen.append((await get(app, "/readyz"))[0])
            async with grpc.aio.insecure_channel(app.grpc_address) as channel:
                health: Any = health_pb2_grpc.HealthStub(channel)
                answer = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
                seen.append(answer.status)
                seen.append(await call(channel, "Unary", b"last"))

    async with serving("echo", Common(redis_url=redis_url), bind, services=[SERVICE]):
        pass
    assert seen == [True, 503, health_pb2.HealthCheckResponse.NOT_SERVING, [b"last"]]


async def test_a_drain_is_cut_short_at_its_bound(redis_url: str) -> None:
    @asynccontextmanager
    async def bind(app: App[Common]) -> AsyncIterator[None]:
        yield
        await asyncio.Event().wait()

    began = time.monotonic()
    async with serving("echo", Common(redis_url=redis_url, drain_ms=100), bind):
        pass
    assert 0.1 <= time.monotonic() - began < 20


async def test_a_failing_task_of_the_service_ends_the_process(redis_url: str) -> None:
    async def failing(app: App[Common]) -> None:
        await app.started.wait()
        raise RuntimeError("the service cannot go on")

    @asynccontextmanager
    async def bind(app: App[Common]) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(failing(app))
            yield

    with pytest.raises(ExceptionGroup) as raised:
        async with serving("echo", Common(redis_url=redis_url), bind):
            await asyncio.Event().wait()
    assert raised.group_contains(RuntimeError)


async def test_a_service_that_cannot_start_says_why(redis_url: str) -> None:
    @asynccontextmanager
    async def bind(app: App[Common]) -> AsyncIterator[None]:
        if not app.started.is_set():
            raise RuntimeError("no")
        yield

    with pytest.raises(RuntimeError, match="no"):
        async with serving("echo", Common(redis_url=redis_url), bind):
            pytest.fail("it started")


async def test_a_taken_port_is_named(app: App[Common]) -> None:
    port = int(app.http_address.rpartition(":")[2])
    config = Common(redis_url=app.config.redis_url, http_port=port)
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}"):
        async with serving("echo", config, echo):
            pytest.fail("it started")


MAIN = """
import asyncio, contextlib, sys
from parlor.serving import Common, run

@contextlib.asynccontextmanager
async def bind(app):
    print("bound", flush=True)
    yield
    print("drained", flush=True)
    await asyncio.sleep(float(sys.argv[1]))

run("engine", Common, bind)
"""


def started(redis_url: str, drains_for: str, **env: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, drains_for],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[3] / "services"),
            "PARLOR_REDIS_URL": redis_url,
            **env,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def until_started(process: "subprocess.Popen[str]") -> None:
    assert process.stderr is not None
    line = await asyncio.to_thread(process.stderr.readline)
    assert '"event": "started"' in line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains_and_exits_with_0(redis_url: str, number: signal.Signals) -> None:
    process = started(redis_url, "0")
    await until_started(process)
    process.send_signal(number)
    out, err = await asyncio.to_thread(process.communicate, timeout=60)
    assert process.returncode == 0, err
    assert out.split() == ["bound", "drained"]


async def test_sigterm_ends_a_process_whose_drain_hangs(redis_url: str) -> None:
    process = started(redis_url, "60", PARLOR_DRAIN_MS="200")
    await until_started(process)
    began = time.monotonic()
    process.terminate()
    process.send_signal(signal.SIGTERM)
    _, err = await asyncio.to_thread(process.communicate, timeout=60)
    assert time.monotonic() - began < 40
    assert "drain_cut_short" in err


def test_an_unknown_setting_ends_the_process_with_2(redis_url: str) -> None:
    process = started(redis_url, "0", PARLOR_ENGINE_SHARDZ="1")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("parlor engine: PARLOR_ENGINE_SHARDZ: no such setting")


async def test_the_longest_step_of_the_loop_is_measured(
    app: App[Common], eventually: Eventually
) -> None:
    def longest() -> float:
        return REGISTRY.get_sample_value("parlor_loop_longest_step_seconds") or 0.0

    await asyncio.sleep(0.03)
    time.sleep(0.2)
    await eventually(lambda: longest() >= 0.15)
