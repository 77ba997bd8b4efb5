"""What a page offers beside playing a game through: each pressed once, and what comes of it."""

import asyncio
from typing import Final

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.conftest import People
from tests.e2e.person import Person
from tests.e2e.playing import play_some
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


async def test_the_server_plays_a_seat_and_gives_it_back(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "doudizhu")
    autoplay = ada.get("autoplay")
    await autoplay.click()
    await expect(autoplay).to_have_attribute("aria-pressed", "true")
    await ada.page.locator(".ddz-veil button").click()
    await expect(autoplay).to_have_attribute("aria-pressed", "false")


async def test_cards_are_chosen_by_dragging_over_them(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "doudizhu")
    cards = ada.get("card")
    await expect(cards).to_have_count(17)
    await press_on(ada, cards.nth(2), first=True)
    await press_on(ada, cards.nth(5), first=False)
    await ada.page.mouse.up()
    await expect(ada.page.locator("[data-testid=card][aria-pressed=true]")).to_have_count(4)


async def press_on(person: Person, card: Locator, *, first: bool) -> None:
    """Goes to where a card is seen beside the one that lies over it; presses there where it is the first."""
    box = await card.bounding_box()
    assert box is not None
    await person.page.mouse.move(box["x"] + 6, box["y"] + box["height"] / 2, steps=4)
    if first:
        await person.page.mouse.down()


async def test_a_plane_is_dragged_over_another_and_turned(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    planes = ada.page.locator("[data-plane]")
    await expect(planes).to_have_count(3)
    await expect(ada.page.locator(".planes-verdict.fits")).to_be_visible()
    moved, under = await planes.nth(0).bounding_box(), await planes.nth(1).bounding_box()
    assert moved is not None
    assert under is not None
    mouse = ada.page.mouse
    # The middle of its box belongs to a plane, whichever way it points.
    await mouse.move(moved["x"] + moved["width"] / 2, moved["y"] + moved["height"] / 2)
    await mouse.down()
    await mouse.move(under["x"] + under["width"] / 2, under["y"] + under["height"] / 2, steps=8)
    await mouse.up()
    await expect(ada.page.locator(".planes-verdict.refused")).to_be_visible()
    await expect(ada.page.locator("[data-act=place]")).to_be_disabled()
    label = await planes.nth(0).get_attribute("aria-label")
    await planes.nth(0).press("r")
    await expect(planes.nth(0)).not_to_have_attribute("aria-label", label or "")


async def test_a_replay_plays_by_itself_and_stops_when_told(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await asyncio.gather(play_some(ada, "planes", 3), play_some(bob, "planes", 3))
    await ada.get("surrender").click()
    await ada.page.locator(SURE).click()
    await ada.until("finished")
    await ada.get("open-replay").click()
    replay = ada.page.locator("[data-testid=replay][data-steps]")
    await replay.wait_for()
    await ada.get("replay-slider").fill("1")
    await ada.get("replay-play").click()
    await expect(replay).not_to_have_attribute("data-step", "1")
    await ada.get("replay-play").click()
    await expect(ada.get("replay-play")).to_have_attribute("aria-label", "Play")


async def test_a_game_of_tiles_is_dissolved_by_those_at_it(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "jinxian")
    await ada.get("dissolve").click()
    await ada.get("confirm-yes").click()
    await expect(bob.get("vote")).to_contain_text("Ada")
    await bob.get("dissolve-yes").click()
    for person in (ada, bob):
        await person.until("finished")
