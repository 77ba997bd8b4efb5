"""The browser client's files over HTTP."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import aiohttp
import pytest

from parlor.gateway.assets import Assets, client
from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from tests.conftest import Eventually
from tests.integration.gateway.support import gateway


@pytest.fixture
async def door(redis_url: str) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway before no engine: pages need none."""
    async with gateway(redis_url) as app:
        yield app


@pytest.fixture
async def browser(door: App[GatewayConfig]) -> AsyncIterator[aiohttp.ClientSession]:
    """A client that decompresses nothing by itself, and sends paths as they are."""
    async with aiohttp.ClientSession(
        f"http://{door.http_address}", auto_decompress=False
    ) as session:
        yield session


async def test_the_page_and_every_file_that_it_names_are_served(
    browser: aiohttp.ClientSession,
) -> None:
    assets = client()
    headers = {"Accept-Encoding": "gzip"}
    async with browser.get("/", headers=headers) as response:
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-cache"
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert gzip.decompress(await response.read()) == assets.page.body
    for path, asset in assets.files.items():
        async with browser.get(f"/assets/{assets.tree}/{path}", headers=headers) as response:
            assert response.status == 200, path
            assert response.headers["Content-Type"] == asset.content_type
            assert "immutable" in response.headers["Cache-Control"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Vary"] == "Accept-Encoding"
            coding = response.headers.get("Content-Encoding", "")
            assert (coding, await response.read()) == asset.compressed("gzip".__eq__)


async def test_who_takes_no_coding_gets_the_file_as_it_is(
    browser: aiohttp.ClientSession,
) -> None:
    assets = client()
    path = max(assets.files, key=lambda path: len(assets.files[path].body))
    for offer in ("", "identity", "gzip;q=0, br;q=0"):
        headers = {"Accept-Encoding": offer}
        async with browser.get(f"/assets/{assets.tree}/{path}", headers=headers) as response:
            assert "Content-Encoding" not in response.headers
            assert await response.read() == assets.files[path].body


async def test_what_a_browser_has_already_is_not_sent_again(
    browser: aiohttp.ClientSession,
) -> None:
    async with browser.get("/") as response:
        tag = response.headers["ETag"]
    async with browser.get("/", headers={"If-None-Match": f'"other", {tag}'}) as response:
        assert response.status == 304
        assert await response.read() == b""
        assert response.headers["ETag"] == tag


async def test_the_head_of_a_file_has_no_body(browser: aiohttp.ClientSession) -> None:
    async with browser.head("/", headers={"Accept-Encoding": "identity"}) as response:
        assert response.status == 200
        assert int(response.headers["Content-Length"]) > 0
        assert await response.read() == b""


@pytest.mark.parametrize(
    "path",
    [
        "/assets/{tree}/../web.py",
        "/assets/{tree}/%2e%2e/web.py",
        "/assets/{tree}/..%2fweb.py",
        "/assets/{tree}//etc/passwd",
        "/assets/{tree}/",
        "/assets/{tree}/index.html",
        "/assets/0123456789abcdef/{file}",
        "/assets/{file}",
        "/index.html",
        "/elsewhere",
    ],
)
async def test_nothing_else_is_there(door: App[GatewayConfig], path: str) -> None:
    assets = client()
    path = path.format(tree=assets.tree, file=next(iter(assets.files)))
    host, port = door.http_address.split(":")
    # By hand: clients tidy such paths before they send them.
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    status = await reader.readline()
    writer.close()
    assert b" 404 " in status


async def test_a_gateway_has_the_files_of_every_release_that_is_up(
    browser: aiohttp.ClientSession, batch: Batch, eventually: Eventually
) -> None:
    """A page came from one release, and a module of it was asked of a gateway of another."""
    ours = client()

    async def shared() -> bool:
        return bool(await batch.call("EXISTS", Keys().assets(ours.tree)))

    await eventually(shared)
    theirs = Assets({"index.html": b"<head></head>", "main.js": b"export const release = 2;\n"})
    for path, asset in theirs.files.items():
        await batch.call("HSET", Keys().assets(theirs.tree), path, asset.body)
    async with browser.get(f"/assets/{theirs.tree}/main.js") as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert b"release = 2" in await response.read()
    for address in (f"/assets/{theirs.tree}/other.js", "/assets/0123456789abcdef/main.js"):
        async with browser.get(address) as response:
            assert response.status == 404
    assert await batch.call("TTL", Keys().assets(ours.tree)) > 0
