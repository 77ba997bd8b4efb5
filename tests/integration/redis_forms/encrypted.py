"""What ends TLS in front of a server, with a certificate made for it."""

import asyncio
import contextlib
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Encrypted:
    """An encrypted port in front of a server: not every build of Redis has its own."""

    port: int
    certificate: Path

    @property
    def url(self) -> str:
        """As a setting names it."""
        return f"rediss://127.0.0.1:{self.port}/0?ssl_ca_certs={self.certificate}"


@asynccontextmanager
async def encrypting(port: int, directory: Path) -> AsyncIterator[Encrypted]:
    """While it runs, the server at `port` is reached encrypted too; the certificate is in `directory`."""
    certificate, key = _self_made(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
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
