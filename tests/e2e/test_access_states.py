"""axe finds nothing either in what opens over a page, comes up in passing or stands at the end, by day and by night."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import DESKTOP, PHONE, People
from tests.e2e.playing import play
from tests.e2e.test_access import faults
from tests.e2e.test_games import KINDS, sit_down

SCHEMES = ["light", "dark"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_nothing_stands_in_the_way_in_dialogs_drawers_and_banners(
    people: People, scheme: str
) -> None:
    ada = await people("Ada", viewport=PHONE, color_scheme=scheme, bypass_csp=True)
    bob = await people("Bob", color_scheme=scheme, bypass_csp=True)
    eve = await people("Eve", color_scheme=scheme, bypass_csp=True)
    await sit_down(ada, bob, "planes")
    for opener, opened in (
        ("settings", "settings-dialog"),
        ("keys", "keys-dialog"),
        ("leave", "confirm-no"),
    ):
        await bob.get(opener).click()
        await expect(bob.get(opened)).to_be_visible()
        assert await faults(bob) == [], opened
        await bob.page.keyboard.press("Escape")
        await expect(bob.get(opened)).to_have_count(0)
    await ada.get("side-toggle").click()
    await expect(ada.get("side-close")).to_be_visible()
    assert await faults(ada) == []
    await eve.open(f"#/watch/{await bob.room_id()}")
    await expect(eve.get("watching")).to_be_visible()
    await expect(eve.get("table")).to_be_visible()
    assert await faults(eve) == []
    bob.breaks_expected = True
    other = await bob.context.new_page()
    await other.goto(bob.url)
    await expect(bob.get("take-over")).to_be_visible()
    assert await faults(bob) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_stands_in_the_way_at_a_table_by_night(people: People, kind: str) -> None:
    ada = await people("Ada", color_scheme="dark", viewport=DESKTOP, bypass_csp=True)
    bob = await people("Bob", color_scheme="dark", viewport=PHONE, bypass_csp=True)
    await sit_down(ada, bob, kind)
    for person in (ada, bob):
        await expect(person.get("table")).to_be_visible()
        assert await faults(person) == []
    await asyncio.gather(play(ada, kind), play(bob, kind))
    for person in (ada, bob):
        await expect(person.get("result")).to_be_visible()
        assert await faults(person) == []
    await ada.get("open-replay").click()
    await ada.page.locator("[data-testid=replay][data-steps]").wait_for()
    assert await faults(ada) == []
