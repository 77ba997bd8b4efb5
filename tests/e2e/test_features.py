"""What a page offers beside playing a game through: each pressed once, and what comes of it."""

from typing import Final

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import People
from tests.e2e.test_games import KINDS, sit_down

SURE: Final = "[data-act=surrender]"
"""The second press of who gives up."""


@pytest.mark.parametrize("kind", KINDS)
async def test_bots_are_played_at_once(people: People, kind: str) -> None:
    ada = await people("Ada")
    await ada.get(f"kind-{kind}").click()
    await ada.get("play-bots").click()
    await ada.until("playing")
    await expect(ada.get("table")).to_be_visible()


async def test_a_wait_for_others_is_shown_and_given_up(people: People) -> None:
    ada = await people("Ada")
    await ada.get("kind-jinxian").click()
    await ada.get("quick-match").click()
    await expect(ada.get("waiting")).to_contain_text("You are next")
    await ada.get("quick-cancel").click()
    await expect(ada.get("waiting")).to_have_count(0)
    await expect(ada.get("quick-match")).to_be_enabled()


async def test_the_lobby_leads_back_to_the_seat(people: People) -> None:
    ada = await people("Ada")
    await ada.open_room("planes")
    room = await ada.room_id()
    await ada.page.locator(".brand").click()
    await ada.get("continue").click()
    await ada.get("room").wait_for()
    assert await ada.room_id() == room


async def test_the_language_is_switched_and_kept(people: People) -> None:
    ada = await people("Ada")
    await ada.get("lang-toggle").click()
    await expect(ada.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await expect(ada.get("quick-match")).to_have_text("快速匹配")
    await ada.page.reload()
    await ada.until_usable()
    await expect(ada.get("quick-match")).to_have_text("快速匹配")


async def test_who_gives_up_is_asked_once_more_and_loses(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await ada.get("surrender").click()
    await ada.page.locator(SURE).click()
    for person in (ada, bob):
        await person.until("finished")
    await expect(bob.get("result")).to_contain_text("You won!")
