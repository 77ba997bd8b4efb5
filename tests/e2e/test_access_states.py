"""axe finds nothing either in what opens over a page or comes up in passing, by day and by night."""

import pytest
from playwright.async_api import WebSocketRoute

from tests.e2e.conftest import PHONE, People
from tests.e2e.test_access import FELT, nothing_is_wrong
from tests.e2e.test_games import sit_down


@pytest.mark.parametrize("scheme", FELT)
async def test_nothing_stands_in_the_way_in_dialogs(people: People, scheme: str) -> None:
    ada = await people("Ada", color_scheme=scheme, bypass_csp=True)
    await ada.open_room("planes", {"turnLimit": 120})
    await ada.get("invite").click()
    await nothing_is_wrong(ada, ada.page.locator("dialog:modal .qr"))
    await ada.page.keyboard.press("Escape")
    await ada.get("add-bots").click()
    await ada.get("ready").click()
    await ada.until("playing")
    for opener, opened in (
        ("settings", "settings-dialog"),
        ("keys", "keys-dialog"),
        ("leave", "confirm"),
    ):
        await ada.get(opener).click()
        await nothing_is_wrong(ada, ada.page.locator(f"dialog:modal[data-testid={opened}]"))
        await ada.page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", FELT)
async def test_nothing_stands_in_the_way_in_a_drawer_nor_for_an_onlooker(
    people: People, scheme: str
) -> None:
    ada = await people("Ada", color_scheme=scheme, bypass_csp=True, viewport=PHONE)
    bob = await people("Bob", color_scheme=scheme, bypass_csp=True)
    eve = await people("Eve", color_scheme=scheme, bypass_csp=True)
    await sit_down(ada, bob, "planes")
    await ada.get("side-toggle").click()
    await ada.page.locator(".phrase").first.click()
    await ada.page.locator(".chat-line").wait_for()
    await nothing_is_wrong(ada, ada.get("side-close"))
    await eve.open(f"#/watch/{await bob.room_id()}")
    await nothing_is_wrong(eve, eve.get("watching"))


@pytest.mark.parametrize("scheme", FELT)
async def test_nothing_stands_in_the_way_of_who_has_lost_the_connection(
    people: People, scheme: str
) -> None:
    ada = await people(color_scheme=scheme, bypass_csp=True)
    ada.breaks_expected = True
    wire = Wire()
    await ada.page.route_web_socket("**", wire.bring)
    await ada.sign_in("Ada")
    await ada.open_room("planes")
    other = await ada.context.new_page()
    await other.goto(ada.url)
    await nothing_is_wrong(ada, ada.get("take-over"))
    await ada.get("take-over").click()
    await ada.until_usable()
    await wire.cut()
    await nothing_is_wrong(ada, ada.get("banner-go"))
    await ada.page.reload()
    await nothing_is_wrong(ada, ada.get("banner-go"))


class Wire:
    """A page's way to the server, which can be cut for good."""

    def __init__(self) -> None:
        self._sockets: list[WebSocketRoute] = []
        self._is_cut = False

    async def bring(self, socket: WebSocketRoute) -> None:
        """Connects a socket of the page, unless that is no longer possible."""
        self._sockets.append(socket)
        if self._is_cut:
            await socket.close()
        else:
            socket.connect_to_server()

    async def cut(self) -> None:
        """Breaks every connection, and those that are tried from now on."""
        self._is_cut = True
        for socket in self._sockets:
            await socket.close()
