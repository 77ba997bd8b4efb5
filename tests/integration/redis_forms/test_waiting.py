"""A process whose Redis is not there yet, in each of the forms in which Redis may come."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from redis import Redis as BlockingRedis
from structlog.testing import capture_logs

from parlor.serving import App, BadConfig, Common, serving
from parlor.serving.ports import free_port
from parlor.serving.redis import Cluster, primaries
from parlor.serving.redis_server import RedisServer
from parlor.serving.slots import COUNT
from tests.conftest import Eventually
from tests.integration.redis_forms.cluster import RunningCluster, ask, node, until
from tests.integration.redis_forms.encrypted import encrypting
from tests.integration.redis_forms.support import SERVICE, server, watched

Comes = Callable[[], Awaitable[object]]

LOADED: Final = 30_000
SLOWLY_US: Final = 500
"""So long for each key that a server loads: a quarter of a minute for all, if nobody hurries it."""


@asynccontextmanager
async def nothing(_app: App[Common]) -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def writing(app: App[Common]) -> AsyncIterator[None]:
    """A service that needs a primary to start."""
    for redis in primaries(app.redis):
        assert isinstance(app.redis, Cluster) or await redis.set("key", "value")
    yield


async def waits(
    url: str, comes: Comes, eventually: Eventually, bind: Any = writing, **settings: Any
) -> list[str]:
    """Starts a process, lets Redis come once it waits, and sees it start; what it waited for."""
    started = asyncio.Event()

    async def serve() -> None:
        async with serving("waiting", Common(redis_url=url, **settings), bind) as app:
            assert await app.ready_checks["redis"]()
            started.set()

    with capture_logs() as logs:

        def errors() -> list[str]:
            return [line["error"] for line in logs if line["event"] == "redis_awaited"]

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(serve())
            await eventually(errors, timeout=60)
            assert not started.is_set()
            await comes()
            await eventually(started.is_set, timeout=60)
        assert [line["event"] for line in logs if line["event"] == "redis_came"]
        return errors()


def back(redis: RedisServer) -> Comes:
    """The server comes back."""
    return lambda: asyncio.to_thread(redis.restart)


async def test_one_server(tmp_path: Path, eventually: Eventually) -> None:
    with server(tmp_path) as redis:
        redis.kill()
        assert await waits(redis.url, back(redis), eventually) == ["ConnectionError"]


async def test_one_server_behind_tls(tmp_path: Path, eventually: Eventually) -> None:
    """What ends TLS for it is there, and closes every connection."""
    with server(tmp_path / "redis") as redis:
        redis.kill()
        async with encrypting(redis.port, tmp_path) as encrypted:
            assert await waits(encrypted.url, back(redis), eventually)


async def test_a_server_that_still_loads_its_file(tmp_path: Path, eventually: Eventually) -> None:
    with server(tmp_path, f"key-load-delay {SLOWLY_US}") as redis:
        with BlockingRedis(port=redis.port) as client:
            pipeline: Any = client.pipeline(transaction=False)
            for number in range(LOADED):
                pipeline.set(str(number), "")
            pipeline.execute()
        await asyncio.to_thread(redis.restart)

        async def hurries() -> None:
            await asyncio.to_thread(ask, redis.port, "CONFIG", "SET", "key-load-delay", 0)

        assert await waits(redis.url, hurries, eventually) == ["BusyLoadingError"]


async def test_a_server_that_follows_another_takes_no_writes(
    tmp_path: Path, eventually: Eventually
) -> None:
    """It answers and cannot serve: the service is begun again and again, on its ports."""
    with server(tmp_path) as redis:
        ask(redis.port, "REPLICAOF", "127.0.0.1", free_port())

        async def is_promoted() -> None:
            await asyncio.to_thread(ask, redis.port, "REPLICAOF", "NO", "ONE")

        waited = await waits(redis.url, is_promoted, eventually, grpc_port=free_port())
        assert waited == ["ReadOnlyError"]


async def test_a_server_that_goes_while_a_service_starts_on_it(
    tmp_path: Path, eventually: Eventually
) -> None:
    starts = []
    with server(tmp_path) as redis:

        @asynccontextmanager
        async def bind(app: App[Common]) -> AsyncIterator[None]:
            starts.append(app.grpc_address)
            if len(starts) == 1:
                await asyncio.to_thread(redis.kill)
            # As services start their parts.
            async with asyncio.TaskGroup():
                for client in primaries(app.redis):
                    await client.ping()
                yield

        port = free_port()
        await waits(redis.url, back(redis), eventually, bind, grpc_port=port)
    assert starts == [f"127.0.0.1:{port}"] * 2


async def test_a_primary_that_sentinels_do_not_know_yet(
    tmp_path: Path, eventually: Eventually
) -> None:
    with watched(tmp_path, replicas=1) as deployment:
        url = deployment.url.replace(SERVICE, "later")

        async def is_made_known() -> None:
            for port in deployment.sentinels:
                command = ("SENTINEL", "MONITOR", "later", "127.0.0.1", deployment.primary.port, 2)
                await asyncio.to_thread(ask, port, *command)

        assert await waits(url, is_made_known, eventually) == ["ConnectionError"]


async def test_a_primary_that_is_dead_and_a_sentinel_that_nobody_can_ask(
    tmp_path: Path, eventually: Eventually
) -> None:
    with watched(tmp_path, replicas=1) as deployment:
        for each in deployment.servers:
            each.kill()
        url = deployment.url.replace("://", f"://127.0.0.1:{free_port()},")

        async def come_back() -> None:
            for each in deployment.servers:
                await asyncio.to_thread(each.restart)

        assert await waits(url, come_back, eventually, nothing) == ["ConnectionError"]


async def test_a_cluster(tmp_path: Path, eventually: Eventually) -> None:
    with node(tmp_path) as redis:
        ask(redis.port, "CLUSTER", "ADDSLOTSRANGE", 0, COUNT - 1)
        redis.kill()
        url = f"redis+cluster://127.0.0.1:{redis.port}"
        assert await waits(url, back(redis), eventually) == ["ConnectionError"]


async def test_a_cluster_with_slots_that_nobody_serves(
    tmp_path: Path, eventually: Eventually
) -> None:
    with node(tmp_path) as redis:
        ask(redis.port, "CLUSTER", "ADDSLOTSRANGE", 0, COUNT - 2)
        until(lambda: b"cluster_state:ok" in ask(redis.port, "CLUSTER", "INFO"))

        async def are_served() -> None:
            await asyncio.to_thread(ask, redis.port, "CLUSTER", "ADDSLOTS", COUNT - 1)

        url = f"redis+cluster://127.0.0.1:{redis.port}"
        assert await waits(url, are_served, eventually) == ["ClusterDownError"]


async def refused(url: str, bind: Any = nothing) -> str:
    """Why a process does not start with this Redis; it ends at once."""
    with capture_logs() as logs, pytest.raises(BadConfig, match="PARLOR_REDIS_URL") as error:
        async with serving("waiting", Common(redis_url=url), bind):
            pytest.fail("it started")
    assert not [line for line in logs if line["event"] == "redis_awaited"]
    return str(error.value)


@contextlib.contextmanager
def locked(port: int) -> Any:
    """Asks for a password from now on."""
    with BlockingRedis(port=port) as client:
        client.config_set("requirepass", "right")
        yield
        client.config_set("requirepass", "")


async def test_a_wrong_password_is_not_waited_for(tmp_path: Path) -> None:
    with watched(tmp_path / "watched", replicas=1) as deployment, node(tmp_path / "node") as redis:
        for port, url in (
            (deployment.primary.port, deployment.primary.url),
            (deployment.primary.port, deployment.url),
            (redis.port, f"redis+cluster://127.0.0.1:{redis.port},127.0.0.1:{free_port()}"),
        ):
            with locked(port):
                assert "invalid" in await refused(url.replace("://", "://:wrong@"))
                # Nobody may read it.
                assert ":wrong" not in await refused(url.replace("://", "://:wrong@"))
                assert "required" in await refused(url)


async def test_sentinels_that_ask_for_a_password_are_not_waited_for(tmp_path: Path) -> None:
    with watched(tmp_path, replicas=1) as deployment:
        for port in deployment.sentinels:
            ask(port, "ACL", "SETUSER", "default", "resetpass", ">right")
        assert "required" in await refused(deployment.url)


async def test_a_certificate_that_nobody_vouches_for_is_not_waited_for(tmp_path: Path) -> None:
    with server(tmp_path / "redis") as redis:
        async with encrypting(redis.port, tmp_path) as encrypted:
            assert "certificate" in await refused(encrypted.url.partition("?")[0])
            url = encrypted.url.replace(str(encrypted.certificate), str(tmp_path / "none.pem"))
            assert "ssl_ca_certs names no file" in await refused(url)


async def test_a_form_that_the_server_has_not_is_not_waited_for(tmp_path: Path) -> None:
    with server(tmp_path) as redis:
        cluster = f"redis+cluster://127.0.0.1:{redis.port}"
        assert "cluster support disabled" in await refused(cluster)
        sentinel = f"redis+sentinel://127.0.0.1:{redis.port}/{SERVICE}"
        assert "unknown command" in await refused(sentinel)


async def test_a_cluster_that_is_taken_for_one_server_is_not_waited_for(
    servers: RunningCluster,
) -> None:
    other = next(each for each in servers.primaries() if each is not servers.primary_of("key"))
    assert "redis+cluster://" in await refused(other.url, writing)
