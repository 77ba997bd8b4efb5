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
from parlor.serving.accepting import BACKLOG, Gate, OpenGate, accept
from parlor.serving.channels import MESSAGE_BYTES, Channels
from parlor.serving.config import BadConfig, Common, from_env
from parlor.serving.endpoints import ReadyCheck, add_endpoints
from parlor.serving.interceptor import Typed
from parlor.serving.redis import Cluster, reach
from parlor.serving.tls import Tls, tls_of
from parlor.serving.traced_calls import Callers, traced

log = structlog.get_logger(__name__)

C = TypeVar("C", bound=Common)

_STREAM_GRACE_S: Final = 1.0
_HTTP_GRACE_S: Final = 1.0
_LAST_RESORT_S: Final = 5.0

SERVER_OPTIONS: Final = (
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    # Two processes on one port would each get half of the calls meant for one of them.
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    # A server that counts pings as abuse closes a channel whose client looks for dead peers, as
    # ours do.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.max_pings_without_data", 0),
)


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

    `services` are full names such as `parlor.v1.EngineService`, for health and reflection. Raises
    what the service raises; a drain that takes longer than `drain_ms` is cancelled and logged.
    """
    async with AsyncExitStack() as stack:
        tls = tls_of(config)
        redis = await stack.enter_async_context(
            reach(config.redis_url, timeout_ms=config.redis_timeout_ms, name=name)
        )
        http_socket = _listening(config.http_host, config.http_port)
        stack.callback(http_socket.close)
        callers = Callers()
        server = grpc.aio.server(interceptors=(*traced(callers), Typed()), options=SERVER_OPTIONS)
        grpc_port = _grpc_port(server, config, tls)
        app = App(
            name=name,
            config=config,
            redis=redis,
            server=server,
            http=web.Application(),
            grpc_address=config.advertise or f"{_reachable(config.grpc_host)}:{grpc_port}",
            http_address=f"{_reachable(config.http_host)}:{http_socket.getsockname()[1]}",
            channels=Channels(tls),
            callers=callers,
        )
        app.add_ready_check("redis", lambda: _answers(redis))
        status = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(status, server)
        reflection.enable_server_reflection(
            (*services, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )

        stack.push_async_callback(server.stop, _STREAM_GRACE_S)
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
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # A second signal changes nothing: Ctrl-C reaches a service from the terminal and from the
    # process above it.
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with serving(name, config, bind, services=services):
        # What the start has made stays for good: the garbage collector need not walk through it
        # again and again, with the event loop waiting.
        gc.collect()
        gc.freeze()
        await stop.wait()
        log.info("draining")
        # The signal's default action ends the process, even one whose event loop is stuck.
        signal.setitimer(signal.ITIMER_REAL, 2 * config.drain_ms / 1000 + _LAST_RESORT_S)


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


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from None
    listening.setblocking(False)
    return listening


def _grpc_port(server: grpc.aio.Server, config: Common, tls: Tls | None) -> int:
    address = f"{config.grpc_host}:{config.grpc_port}"
    try:
        if tls is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, tls.server_credentials())
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}: {error}") from None


def _reachable(host: str) -> str:
    """A name for a host that listens on all its addresses."""
    return socket.gethostname() if host in ("0.0.0.0", "::", "[::]") else host  # noqa: S104


async def _answers(redis: Redis | Cluster) -> bool:
    try:
        return bool(await redis.ping())
    except RedisError:
        return False
