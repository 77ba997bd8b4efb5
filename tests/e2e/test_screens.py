"""How it looks: every screen on a phone and on a desk, in both languages, for people to look at."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import DESKTOP, PHONE, People
from tests.e2e.person import PATIENCE_MS, Person
from tests.e2e.playing import play, play_until, take_hint
from tests.e2e.test_access import faults
from tests.e2e.test_games import KINDS, sit_down

FOLDER = Path(__file__).parent / "screenshots"
PICTURES = Path(__file__).parents[2] / "docs/pictures"
"""What the README shows; written anew where E2E_PICTURES is set."""
PICTURE_BYTES = 100_000
ACROSS: Any = {"width": 740, "height": 360}
"""A phone on its side."""
SIZES = {"phone": PHONE, "across": ACROSS, "desktop": DESKTOP}

RIPE: Final[dict[str, Callable[[set[str], int], bool]]] = {
    # There is something on the table, and cards are chosen that beat it.
    "doudizhu": lambda acts, answered: answered >= 2 and {"pass", "play"} <= acts,
    # Something may be claimed.
    "jinxian": lambda acts, answered: answered >= 3 and bool({"chow", "pong", "kong"} & acts),
    "planes": lambda _, answered: answered >= 9,
}
"""When a table is worth a picture."""
GAMES: Final = 3
"""So many may end before one is."""


async def picture(person: Person, name: str) -> None:
    """A screenshot of what fits its window, once nothing passing lies over it or moves."""
    await expect(person.get("toast")).to_have_count(0)
    FOLDER.mkdir(exist_ok=True)
    await person.page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
    assert await person.overflow() == 0
    assert await person.broken_numbers() == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_table_fits_its_window_in_both_languages(
    people: People, kind: str, size: str
) -> None:
    ada = await people("Ada", locale="en-GB", viewport=SIZES[size])
    ming = await people("小明", locale="zh-CN", viewport=SIZES[size])
    await expect(ada.page.locator("html")).to_have_attribute("lang", "en")
    await expect(ming.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await sit_down(ada, ming, kind)
    if size == "desktop":
        for person in (ming, ada):
            await person.page.locator(".phrase").first.click()
    await until_ripe(ada, ming, kind)
    await take_hint(ada)
    for person, language in ((ada, "en"), (ming, "zh")):
        await picture(person, f"{kind}-{size}-{language}")
    if size == "desktop" and os.environ.get("E2E_PICTURES"):
        PICTURES.mkdir(parents=True, exist_ok=True)
        shown = await ada.page.screenshot(type="jpeg", quality=70)
        assert len(shown) < PICTURE_BYTES
        (PICTURES / f"{kind}.jpg").write_bytes(shown)


async def until_ripe(ada: Person, ming: Person, kind: str) -> None:
    """Plays until the table is worth a picture; a game that ended before it was is followed by another."""
    for game_no in range(1, GAMES + 1):
        # The other goes on meanwhile, or one would wait for the other's clock.
        others = asyncio.create_task(play(ming, kind))
        try:
            await play_until(ada, kind, RIPE[kind])
        finally:
            others.cancel()
            await asyncio.wait([others])
        if await ada.get("room").get_attribute("data-status") == "playing":
            return
        for person in (ada, ming):
            await person.until("finished", game_no)
            await person.get("ready").click()
        for person in (ada, ming):
            await person.until("playing", game_no + 1)
    raise AssertionError(f"{GAMES} games ended before there was a table to look at")


@pytest.mark.parametrize("size", SIZES)
async def test_a_settlement_fits_its_window(people: People, size: str) -> None:
    ada = await people("Ada", viewport=SIZES[size], bypass_csp=True)
    # Nobody plays the seat, so that the server does; the settlement stands for as long as may be.
    hurried = {"turnLimit": 3, "claimLimit": 1, "autoplayDelay": 0.2, "settleLimit": 60}
    await ada.open_room("jinxian", hurried)
    await ada.get("add-bots").click()
    await expect(ada.get("seat-3")).to_have_attribute("data-ready", "true")
    await ada.get("ready").click()
    await ada.page.locator(".jx-settlement").wait_for(timeout=5 * PATIENCE_MS)
    await picture(ada, f"settlement-{size}-en")
    assert await faults(ada) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
async def test_all_that_is_no_table_fits_its_window(people: People, size: str, locale: str) -> None:
    ada = await people(locale=locale, viewport=SIZES[size], bypass_csp=True)

    async def shown(screen: str) -> None:
        await picture(ada, f"{screen}-{size}-{locale[:2]}")
        assert await faults(ada) == []

    await ada.open()
    await shown("signin")
    await ada.sign_in("Ada")
    await shown("lobby")
    await ada.get("options-toggle").click()
    await ada.get("advanced-toggle").click()
    await shown("options")
    await ada.get("party-start").click()
    await ada.get("party-shown").scroll_into_view_if_needed()
    await shown("party")
    await ada.get("party-leave").click()
    await ada.get("kind-planes").click()
    await ada.get("quick-match").click()
    await ada.get("waiting").wait_for()
    await shown("waiting")
    await ada.until("playing")
    await play(ada, "planes")
    await ada.get("result").scroll_into_view_if_needed()
    await shown("result")
    await ada.get("open-replay").click()
    await ada.page.locator("[data-testid=replay][data-steps]").wait_for()
    await ada.get("replay-slider").fill("9")
    await shown("replay")
    await ada.get("replay-close").click()
    await ada.get("leave").click()
    await ada.get("confirm-yes").click()
    await ada.get("lobby").wait_for()
    await ada.get("open-room").click()
    await ada.get("room").wait_for()
    await shown("gather")
    await ada.get("invite").click()
    await ada.get("invite-dialog").wait_for()
    await shown("invite")
