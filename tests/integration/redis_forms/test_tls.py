"""Redis over TLS, with a certificate of one's own."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from parlor.serving.redis import Cluster, connect, open_batch, open_subscriber, reach
from parlor.serving.slots import COUNT
from tests.conftest import Eventually
from tests.integration.redis_forms.cluster import ask, node, until
from tests.integration.redis_forms.encrypted import Encrypted, encrypting


@pytest.fixture
async def encrypted(tmp_path: Path, redis_url: str) -> AsyncIterator[Encrypted]:
    port = urlsplit(redis_url).port
    assert port is not None
    async with encrypting(port, tmp_path) as encrypted:
        yield encrypted


async def test_commands_and_messages_travel_encrypted(
    encrypted: Encrypted, eventually: Eventually
) -> None:
    client = connect(encrypted.url)
    batch, heard = open_batch(client), []
    async with open_subscriber(client) as subscriber:
        await subscriber.subscribe("news", lambda _, data: heard.append(data))
        assert await batch.call("SPUBLISH", "news", "hello") == 1
        await eventually(lambda: heard == [b"hello"])
    assert await client.ping()
    await batch.aclose()
    await client.aclose()


async def test_a_clusters_servers_are_reached_encrypted(
    tmp_path: Path, eventually: Eventually
) -> None:
    """One server with all slots, which names the encrypted port as its own."""
    with node(tmp_path / "node") as server:
        ask(server.port, "CLUSTER", "ADDSLOTSRANGE", 0, COUNT - 1)
        until(lambda: b"cluster_state:ok" in ask(server.port, "CLUSTER", "INFO"))
        async with encrypting(server.port, tmp_path) as encrypted:
            ask(server.port, "CONFIG", "SET", "cluster-announce-port", encrypted.port)
            url = encrypted.url.replace("rediss://", "rediss+cluster://")
            async with reach(url) as cluster:
                assert isinstance(cluster, Cluster)
                assert {port for _, port in cluster.primaries} == {encrypted.port}
                batch, heard = open_batch(cluster), []
                async with open_subscriber(cluster) as subscriber:
                    await subscriber.subscribe("news", lambda _, data: heard.append(data))
                    assert await batch.call("SPUBLISH", "news", "hello") == 1
                    await eventually(lambda: heard == [b"hello"])
                await batch.aclose()


async def test_a_certificate_that_nobody_vouches_for_is_refused(encrypted: Encrypted) -> None:
    client = connect(encrypted.url.partition("?")[0])
    with pytest.raises(RedisConnectionError, match="certificate"):
        await client.ping()
    batch = open_batch(client)
    with pytest.raises(RedisConnectionError, match="certificate"):
        await batch.call("PING")
    await batch.aclose()
    await client.aclose()
