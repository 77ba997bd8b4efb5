"""The first load: one round trip after the page, small, quick, and never followed by another."""

import time
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.e2e.conftest import PHONE, People
from tests.e2e.stack import Stack
from tests.e2e.test_games import sit_down

Record = Callable[[str, Any], None]

FIRST_LOAD_BYTES = 150_000
HEADER_BYTES = 400
"""At most, of one answer."""
INTERACTIVE_S = 10.0
"""Generous, for machines that do everything else besides; what it was is reported."""


async def test_the_page_is_usable_at_once(people: People, record_property: Record) -> None:
    ada = await people()
    wire = await ada.context.new_cdp_session(ada.page)
    await wire.send("Network.enable")
    sizes: list[int] = []
    wire.on("Network.loadingFinished", lambda done: sizes.append(int(done["encodedDataLength"])))
    took = []
    for _ in range(3):
        await wire.send("Network.clearBrowserCache")
        sizes.clear()
        began = time.perf_counter()
        await ada.open()
        took.append(time.perf_counter() - began)
    record_property("interactive_s", round(min(took), 3))
    record_property("first_load_bytes", sum(sizes))
    assert min(took) < INTERACTIVE_S
    # Headers are in this figure too.
    assert sum(sizes) < FIRST_LOAD_BYTES + HEADER_BYTES * len(sizes)


async def test_nothing_is_loaded_once_the_page_is_there(people: People) -> None:
    """The files of a release are gone when the next one is rolled out."""
    ada, bob = await people("Ada"), await people("Bob")
    ada.addresses.clear()
    await sit_down(ada, bob, "planes")
    code = [address for address in ada.addresses if address.endswith((".js", ".css"))]
    assert code == []


async def test_no_address_has_a_token_in_it(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    kept: list[str] = await ada.page.evaluate("Object.values({...localStorage, ...sessionStorage})")
    tokens = {part for text in kept for part in text.split('"') if part.count(".") == 2}
    assert tokens
    addresses = [*ada.addresses, ada.page.url]
    assert any(address.startswith("ws") for address in addresses)
    assert not any(token in address for token in tokens for address in addresses)


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
async def test_pages_of_other_sites_get_no_connection(parlor: Stack, origin: str) -> None:
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            await http.ws_connect(f"{parlor.url}/ws", headers={"Origin": origin})
    assert error.value.status == 403


async def test_a_page_of_another_site_is_refused_by_a_real_browser(people: People) -> None:
    ada = await people()
    await ada.page.goto("about:blank")
    ada.breaks_expected = True
    outcome = await ada.page.evaluate(
        """(url) => new Promise((done) => {
          const socket = new WebSocket(url);
          socket.onopen = () => done("open");
          socket.onerror = () => done("refused");
        })""",
        ada.url.replace("http", "ws") + "/ws",
    )
    assert outcome == "refused"


async def test_a_phone_has_nothing_beyond_its_edge(people: People) -> None:
    ada = await people(viewport=PHONE)
    await ada.open()
    assert await ada.overflow() == 0
