"""How it looks: every table on a phone and on a desk, in both languages, for people to look at."""

import asyncio
import os
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import DESKTOP, PHONE, People
from tests.e2e.playing import play_some
from tests.e2e.test_games import KINDS, sit_down

FOLDER = Path(__file__).parent / "screenshots"
PICTURES = Path(__file__).parents[2] / "docs/pictures"
"""What the README shows; written anew where E2E_PICTURES is set."""
SIZES = {"phone": PHONE, "desktop": DESKTOP}


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
    FOLDER.mkdir(exist_ok=True)
    # Together, or one would wait for the other's clock.
    await asyncio.gather(play_some(ada, kind, 1), play_some(ming, kind, 1))
    for person, language in ((ada, "en"), (ming, "zh")):
        await expect(person.get("table")).to_be_visible()
        await person.page.screenshot(path=FOLDER / f"{kind}-{size}-{language}.png")
        assert await person.overflow() == 0
    if size == "desktop" and os.environ.get("E2E_PICTURES"):
        PICTURES.mkdir(parents=True, exist_ok=True)
        await ada.page.screenshot(path=PICTURES / f"{kind}.jpg", type="jpeg", quality=70)
