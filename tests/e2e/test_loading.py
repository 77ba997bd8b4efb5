"""The first load: one round trip after the page, small, quick; and a game's own, once it is wanted."""

import re
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from playwright.async_api import expect

from tests.e2e.conftest import PHONE, People
from tests.e2e.person import Person
from tests.e2e.playing import play
from tests.e2e.stack import Stack
from tests.e2e.test_games import sit_down

Record = Callable[[str, Any], None]

FIRST_LOAD_BYTES = 150_000
"""At most, as the browser counts what came: bodies and headers of every answer."""
INTERACTIVE_MS = 1_000
"""From the navigation until the page can be used, by the page's own clock; the best of some loads counts."""
_WATCH_READY = """new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-testid=app][data-ready=true]")) return;
  window.readyMs = performance.now();
  observer.disconnect();
}).observe(document, { attributes: true, childList: true, subtree: true });"""


async def test_the_page_is_usable_at_once(people: People, record_property: Record) -> None:
    ada = await people()
    wire = await ada.context.new_cdp_session(ada.page)
    await wire.send("Network.enable")
    sizes: list[int] = []
    wire.on("Network.loadingFinished", lambda done: sizes.append(int(done["encodedDataLength"])))
    await ada.page.add_init_script(_WATCH_READY)
    took: list[float] = []
    for _ in range(3):
        await wire.send("Network.clearBrowserCache")
        sizes.clear()
        await ada.open()
        took.append(await ada.page.evaluate("window.readyMs"))
    record_property("interactive_ms", round(min(took)))
    record_property("first_load_bytes", sum(sizes))
    assert min(took) < INTERACTIVE_MS
    assert sum(sizes) <= FIRST_LOAD_BYTES


async def test_a_table_brings_what_its_game_is_drawn_by_and_nothing_else(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    for person in (ada, bob):
        assert scenes(person) == set()
        person.addresses.clear()
    await sit_down(ada, bob, "planes")
    for person in (ada, bob):
        assert scenes(person) == {"planes"}
        code = [address for address in person.addresses if address.endswith((".js", ".css"))]
        assert len(code) == len(set(code))
        assert all("/games/planes/" in address for address in code)
        person.addresses.clear()
    await play(ada, "planes")
    await ada.get("open-replay").click()
    await ada.get("table").wait_for()
    assert scenes(ada) == set()


async def test_who_chooses_a_game_has_its_table_before_there_is_one(people: People) -> None:
    ada = await people("Ada")
    async with ada.page.expect_response("**/games/jinxian/scene.js"):
        await ada.get("kind-jinxian").click()


async def test_a_table_that_does_not_load_says_so_and_comes_with_a_new_page(people: People) -> None:
    ada = await people("Ada")
    ada.breaks_expected = True
    broken = "**/games/planes/board.js"
    await ada.page.route(broken, lambda route: route.abort())
    await ada.open_room("planes")
    await ada.get("add-bots").click()
    await expect(ada.get("seat-1")).to_have_attribute("data-ready", "true")
    await ada.get("ready").click()
    await ada.until("playing")
    await expect(ada.get("scene-missing")).to_be_visible()
    await ada.page.unroute(broken)
    await ada.get("scene-missing").get_by_role("button").click()
    await expect(ada.get("place-auto")).to_be_visible()
    ada.complaints = [each for each in ada.complaints if "dynamically imported" not in each]


def scenes(person: Person) -> set[str]:
    """The games whose scenes the page has asked for."""
    found = (re.search(r"/games/(\w+)/scene\.js$", address) for address in person.addresses)
    return {match[1] for match in found if match}


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
