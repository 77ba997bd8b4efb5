"""Players behind a proxy that ends TLS: `wss://` outside, `ws://` inside."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import jwt
import pytest
import trustme

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Client, JsonLine, gateway

SECRET = "0123456789abcdef0123456789abcdef"
HEAD_END = b"\r\n\r\n"


@asynccontextmanager
async def proxy(door: App[GatewayConfig], ca: trustme.CA) -> AsyncIterator[str]:
    """A proxy that says for whom it calls, as all do; its `wss://` URL.

    So that one machine can be many clients, the user agent says which of them calls.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ca.issue_cert("localhost").configure_cert(context)
    host, port = door.http_address.split(":")

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(HEAD_END)
        lines = head.removesuffix(HEAD_END).split(b"\r\n")
        agent = next(line for line in lines if line.lower().startswith(b"user-agent:"))
        lines.append(b"X-Forwarded-For:" + agent.partition(b":")[2])
        inward, outward = await asyncio.open_connection(host, int(port))
        outward.write(b"\r\n".join(lines) + HEAD_END)
        await asyncio.gather(_pipe(reader, outward), _pipe(inward, writer))

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"wss://localhost:{server.sockets[0].getsockname()[1]}/ws"


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        # Either side may have gone.
        pass
    finally:
        writer.close()


@asynccontextmanager
async def connected(url: str, ca: trustme.CA, address: str) -> AsyncIterator[Client]:
    """A player's page at this address, which says that it comes from elsewhere too."""
    trusting = ssl.create_default_context()
    ca.configure_trust(trusting)
    claims = {"sub": "ann", "exp": time.time() + 600, "scope": "play match"}
    token = jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "k"})
    headers = {
        "User-Agent": address,
        "X-Forwarded-For": "127.0.0.1",
        "Origin": url.replace("wss:", "https:").removesuffix("/ws"),
    }
    async with (
        aiohttp.ClientSession() as http,
        http.ws_connect(
            url, ssl=trusting, headers=headers, protocols=(JsonLine.protocol,)
        ) as socket,
    ):
        client = Client(JsonLine(socket), token=token)
        await client.hello()
        yield client


async def test_players_come_by_wss_and_each_address_has_its_own_limit(redis_url: str) -> None:
    ca = trustme.CA()
    async with (
        gateway(
            redis_url,
            token_keys=(f"k=HS256:value:{SECRET}",),
            trusted_proxies=("127.0.0.1",),
            address_arrivals_per_s=0,
            address_arrivals_burst=1,
        ) as door,
        proxy(door, ca) as url,
    ):
        async with connected(url, ca, "203.0.113.9") as client:
            await client.synced()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with connected(url, ca, "203.0.113.9"):
                pass
        assert refused.value.status == 429
        async with connected(url, ca, "203.0.113.10") as client:
            await client.synced()
