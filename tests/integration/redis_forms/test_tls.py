"""Redis over TLS, with a certificate of one's own."""

import asyncio
import contextlib
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis.exceptions import ConnectionError as RedisConnectionError

from parlor.serving.redis import Cluster, connect, open_batch, open_subscriber, reach
from parlor.serving.slots import COUNT
from tests.conftest import Eventually
from tests.integration.redis_forms.cluster import ask, node, until


@dataclass(frozen=True)
class Encrypted:
    """An encrypted port in front of a server: not every build of Redis has its own."""

    port: int
    certificate: Path

    @property
    def url(self) -> str:
        """As a setting names it."""
        return f"rediss://127.0.0.1:{self.port}/0?ssl_ca_certs={self.certificate}"


@pytest.fixture
async def encrypted(tmp_path: Path, redis_url: str) -> AsyncIterator[Encrypted]:
    port = urlsplit(redis_url).port
    assert port is not None
    async with _encrypting(port, tmp_path) as encrypted:
        yield encrypted


@asynccontextmanager
async def _encrypting(port: int, directory: Path) -> AsyncIterator[Encrypted]:
    certificate, key = _self_made(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pump(reader, up_writer), _pump(up_reader, writer))

    listening = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    async with listening:
        yield Encrypted(listening.sockets[0].getsockname()[1], certificate)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


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
        async with _encrypting(server.port, tmp_path) as encrypted:
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


def _self_made(directory: Path) -> tuple[Path, Path]:
    """The files of a certificate for the loopback and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "redis")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, keys = directory / "redis.crt", directory / "redis.key"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    keys.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem, keys
