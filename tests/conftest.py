"""Fixtures that all tests share: a real Redis per worker, and waiting without sleeping.

Tests start their own server even where PARLOR_REDIS_URL is set: they flush it.
"""

import asyncio
import inspect
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import hypothesis
import pytest
import structlog
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from parlor.serving import redis_server as servers
from parlor.serving.logs import blank_messages, blank_secrets
from parlor.serving.redis import Batch, connect, open_batch
from parlor.serving.redis_server import RedisServer
from tests.stalls import Stalls

# What a developer has set for a running Parlor must not reach the tests.
for _name in [name for name in os.environ if name.startswith("PARLOR_")]:
    del os.environ[_name]

# As a service logs: structlog's own default draws exceptions with all their locals, for half a second each.
structlog.configure(
    processors=[
        structlog.stdlib.add_log_level,
        blank_secrets,
        blank_messages,
        structlog.processors.KeyValueRenderer(),
    ]
)

# Workers share few cores: how long one example takes says nothing. The same examples every time, so that a failure
# is the change's and not the day's.
hypothesis.settings.register_profile(
    "parlor",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("parlor")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What a machine that nobody watches asks for."""
    parser.addoption(
        "--try-again", action="store_true", help="try a test that failed once more, and say so"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tests are judged while the machine keeps going."""
    config.pluginmanager.register(Stalls(lenient=config.getoption("--try-again")), "stalls")


Condition = Callable[[], object]
Eventually = Callable[..., Awaitable[None]]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """The worker's server. A test that kills or stops one starts its own instead."""
    server = servers.start(tmp_path_factory.mktemp("redis"), append_only=False)
    yield server
    server.stop()


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """Where the worker's server is; it is empty."""
    with BlockingRedis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """A client of the empty server."""
    client = connect(redis_url)
    yield client
    await client.aclose()


@pytest.fixture
async def batch(redis: Redis) -> AsyncIterator[Batch]:
    """Commands to the empty server."""
    commands = open_batch(redis)
    yield commands
    await commands.aclose()


async def _eventually(condition: Condition, *, timeout: float = 60.0) -> None:
    until = time.monotonic() + timeout
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        if holds:
            return
        if time.monotonic() > until:
            pytest.fail(f"not within {timeout} s: {_source(condition)}")
        await asyncio.sleep(0.01)


def _source(condition: Condition) -> str:
    try:
        return inspect.getsource(condition).strip()
    except (OSError, TypeError):
        return repr(condition)


@pytest.fixture
def eventually() -> Eventually:
    """`await eventually(lambda: seen == 3)`: returns once it holds, or fails."""
    return _eventually
