"""The harness of a process: what is the same for every service between its start and its end.

A service is a `Bind`: an async context manager. Entered, it registers servicers on `app.server` and
routes on `app.http`, starts its tasks, and yields. Then the ports open. When the process is told to
stop, `app.draining` is set, gRPC health and `/readyz` say so, and the context is left with the
ports still open: what it does on leaving is the drain, and it has `drain_ms` for it.
"""

import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

import grpc
import structlog
import uvloop
from aiohttp import web
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from redis.asyncio import Redis
from redis.exceptions import RedisError

from parlor.serving import logs, metrics, tracing
from parlor.serving.accepting import Gate, OpenGate, accept
from parlor.serving.channels import Channels
from parlor.serving.config import BadConfig, Common, from_env
from parlor.serving.endpoints import ReadyCheck, add_endpoints
from parlor.serving.interceptor import Typed
from parlor.serving.listening import grpc_server, listening, reachable
from parlor.serving.lobby import lobby
from parlor.serving.redis import Cluster, reach
from parlor.serving.tasks import stop
from parlor.serving.tls import Tls, tls_of
from parlor.serving.traced_calls import Callers, traced
from parlor.serving.waiting import once_redis_serves

log = structlog.get_logger(__name__)

C = TypeVar("C", bound=Common)

_STREAM_GRACE_S: Final = 1.0
_HTTP_GRACE_S: Final = 1.0
_LAST_RESORT_S: Final = 5.0


@dataclass(slots=True, kw_only=True)
class App(Generic[C]):
    """A process, as its service sees it."""

    name: str
    config: C
    redis: Redis | Cluster
    server: grpc.aio.Server
    http: web.Application
    grpc_address: str
    """`host:port` by which other services reach this one; bound before the service is entered."""
    http_address: str
    """`host:port` of HTTP."""
    channels: Channels
    """Opens the channels to other services."""
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the process was told to stop: take nothing new."""
    started: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the ports are open: a task of the service may wait for it."""
    ready_checks: dict[str, ReadyCheck] = field(default_factory=dict)
    callers: Callers = field(default_factory=Callers)
    """Whose traces the calls to it go on with."""
    gate: Gate = field(default_factory=OpenGate)
    """Which connections to HTTP are taken."""

    def add_ready_check(self, name: str, check: ReadyCheck) -> None:
        """`/readyz` also asks `check` from now on."""
        self.ready_checks[name] = check

    async def once_started(self, loop: Callable[[], Awaitable[None]]) -> None:
        """Runs `loop` from when the ports are open: whoever hears of this process can reach it."""
        await self.started.wait()
        await loop()


Bind: TypeAlias = Callable[[App[C]], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def serving(
    name: str, config: C, bind: Bind[C], *, services: Sequence[str] = ()
) -> AsyncIterator[App[C]]:
    """A running process inside this one, until the context is left: then it drains as on SIGTERM.

    `services` are full names such as `parlor.v1.EngineService`, for health and reflection. While
    Redis is away it waits. Raises what the service raises; a drain that takes longer than `drain_ms`
    is cancelled and logged.
    """
    async with AsyncExitStack() as stack:
        tls = tls_of(config)
        http = listening(config.http_host, config.http_port)
        stack.callback(http.close)
        yield await once_redis_serves(
            lambda: stack.enter_async_context(_bound(name, config, bind, services, tls, http)),
            name=name,
            config=config,
            lobby=lambda: lobby(config, tls, http, services),
        )


@asynccontextmanager
async def _bound(
    name: str,
    config: C,
    bind: Bind[C],
    services: Sequence[str],
    tls: Tls | None,
    http_socket: socket.socket,
) -> AsyncIterator[App[C]]:
    """The process at work; where the service does not start, its port for gRPC is free again."""
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(
            reach(config.redis_url, timeout_ms=config.redis_timeout_ms, name=name)
        )
        callers = Callers()
        server, grpc_port = grpc_server(config, tls, (*traced(callers), Typed()))
        app = App(
            name=name,
            config=config,
            redis=redis,
            server=server,
            http=web.Application(),
            grpc_address=config.advertise or f"{reachable(config.grpc_host)}:{grpc_port}",
            http_address=f"{reachable(config.http_host)}:{http_socket.getsockname()[1]}",
            channels=Channels(tls),
            callers=callers,
        )
        app.add_ready_check("redis", lambda: _answers(redis))
        status = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(status, server)
        reflection.enable_server_reflection(
            (*services, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )

        stack.push_async_callback(_closed, server, app.started)
        bound = bind(app)
        await bound.__aenter__()
        watcher = asyncio.create_task(metrics.watch_loop())
        failure: BaseException | None = None
        try:
            add_endpoints(app.http, app.ready_checks, app.draining.is_set)
            runner = web.AppRunner(
                app.http, access_log=None, handle_signals=False, shutdown_timeout=_HTTP_GRACE_S
            )
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            await server.start()
            assert runner.server is not None
            accepting = asyncio.create_task(accept(http_socket, runner.server, app.gate))
            stack.callback(accepting.cancel)
            for service in ("", *services):
                await status.set(service, health_pb2.HealthCheckResponse.SERVING)
            app.started.set()
            log.info("started", grpc=app.grpc_address, http=app.http_address)
            yield app
        except BaseException as error:
            failure = error
            raise
        finally:
            watcher.cancel()
            app.draining.set()
            metrics.draining.set(1)
            await status.enter_graceful_shutdown()
            await _leave(bound, failure, config.drain_ms)
            log.info("stopped")
            metrics.draining.set(0)


async def _closed(server: grpc.aio.Server, started: asyncio.Event) -> None:
    if not started.is_set():
        # One that has never run keeps its port.
        await server.start()
        await server.stop(0)
        return
    await server.stop(_STREAM_GRACE_S)


async def _leave(
    bound: AbstractAsyncContextManager[None], failure: BaseException | None, drain_ms: int
) -> None:
    """Leaves the service's context within the time it has."""
    limit = asyncio.timeout(drain_ms / 1000)
    try:
        async with limit:
            if failure is None:
                await bound.__aexit__(None, None, None)
            else:
                await bound.__aexit__(type(failure), failure, failure.__traceback__)
    except TimeoutError:
        if not limit.expired():
            raise
        log.error("drain_cut_short", drain_ms=drain_ms)


def run(
    name: str,
    config_type: type[C],
    bind: Bind[C],
    *,
    services: Sequence[str] = (),
    section: str | None = None,
) -> None:
    """The whole of a service's `main`: serves until SIGTERM or SIGINT, drains, returns.

    `section` is the service's part of the settings' names; its name in capitals unless given. Ends
    the process with 2 for a setting it cannot use and with 1 for a failure.
    """
    try:
        config = from_env(config_type, section or name.upper())
    except BadConfig as error:
        print(f"parlor {name}: {error}", file=sys.stderr)
        sys.exit(2)
    logs.configure(name, level=config.log_level, form=config.log_format)
    try:
        with _traced(name, config):
            uvloop.run(_until_stopped(name, config, bind, services))
    except BadConfig as error:
        print(f"parlor {name}: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        log.error("failed", error=str(error))
        sys.exit(1)
    except Exception:
        log.exception("failed")
        sys.exit(1)
    finally:
        logging.shutdown()


async def _until_stopped(name: str, config: C, bind: Bind[C], services: Sequence[str]) -> None:
    told, started = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    # A second signal changes nothing: Ctrl-C reaches a service from the terminal and from the
    # process above it.
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    service = asyncio.create_task(_served(name, config, bind, services, told, started))
    telling = asyncio.create_task(told.wait())
    await asyncio.wait((service, telling), return_when=asyncio.FIRST_COMPLETED)
    telling.cancel()
    if told.is_set():
        # The signal's default action ends the process, even one whose event loop is stuck.
        signal.setitimer(signal.ITIMER_REAL, 2 * config.drain_ms / 1000 + _LAST_RESORT_S)
        if not started.is_set():
            # Nobody has been told of it, and it may wait for a Redis that never comes.
            for error in await stop(service):
                raise error
            log.info("stopped")
            return
        log.info("draining")
    await service


async def _served(
    name: str,
    config: C,
    bind: Bind[C],
    services: Sequence[str],
    told: asyncio.Event,
    started: asyncio.Event,
) -> None:
    async with serving(name, config, bind, services=services):
        started.set()
        # What the start has made stays for good: the garbage collector need not walk through it
        # again and again, with the event loop waiting.
        gc.collect()
        gc.freeze()
        await told.wait()


@contextmanager
def _traced(name: str, config: Common) -> Iterator[None]:
    """Traces the process where its settings say so; left, what was traced is sent."""
    if not config.tracing_endpoint:
        yield
        return
    if config.tracing_ratio > 1:
        raise BadConfig("PARLOR_TRACING_RATIO: expected a share from 0 to 1")
    if not config.tracing_endpoint.startswith(("http://", "https://")):
        raise BadConfig("PARLOR_TRACING_ENDPOINT: expected http://host:port or https://host:port")
    try:
        from parlor.serving.otlp import OpenTelemetry
    except ImportError:
        raise BadConfig("PARLOR_TRACING_ENDPOINT: needs the extra parlor[tracing]") from None
    tracer = OpenTelemetry(name, endpoint=config.tracing_endpoint, ratio=config.tracing_ratio)
    tracing.use(tracer)
    try:
        yield
    finally:
        tracing.use(None)
        tracer.close()


async def _answers(redis: Redis | Cluster) -> bool:
    try:
        return bool(await redis.ping())
    except RedisError:
        return False
