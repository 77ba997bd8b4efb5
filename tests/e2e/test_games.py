"""Every game is played to its end by people at real pages, with bots in the seats that are left."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import People
from tests.e2e.person import Person
from tests.e2e.playing import FAST, play

KINDS = ("doudizhu", "jinxian", "planes")
SEATS = {"doudizhu": 3, "jinxian": 4, "planes": 2}


@pytest.mark.parametrize("kind", KINDS)
async def test_two_people_play_to_the_end_and_look_at_it_again(people: People, kind: str) -> None:
    ada, bob = await people("Ada"), await people("Bob", locale="zh-CN")
    await sit_down(ada, bob, kind)
    await asyncio.gather(play(ada, kind), play(bob, kind))
    for person in (ada, bob):
        await expect(person.get("result")).to_be_visible()
        await expect(person.get("result-verify")).to_have_attribute("data-ok", "true")
        await expect(person.get("result-scores").locator("tbody tr")).to_have_count(SEATS[kind])
    assert await scores(ada) == await scores(bob)
    await ada.get("open-replay").click()
    replay = ada.page.locator("[data-testid=replay][data-steps]")
    await replay.wait_for()
    steps = int(await replay.get_attribute("data-steps") or 0)
    assert steps > 5
    await ada.get("replay-slider").fill("3")
    await ada.get("replay-next").click()
    await expect(replay).to_have_attribute("data-step", "4")
    await ada.get("replay-slider").fill(str(steps))
    await expect(ada.get("result-verify")).to_have_attribute("data-ok", "true")
    assert await scores(ada) == await scores(bob)


async def test_one_player_is_matched_with_bots(people: People) -> None:
    ada = await people("Ada")
    await ada.get("kind-planes").click()
    await ada.get("quick-match").click()
    await ada.until("playing")
    await play(ada, "planes")
    await expect(ada.get("result")).to_be_visible()


async def test_an_onlooker_sees_the_game_and_nobodys_hand(people: People) -> None:
    ada, bob, eve = await people("Ada"), await people("Bob"), await people("Eve")
    await sit_down(ada, bob, "doudizhu")
    await eve.open(f"#/watch/{await ada.room_id()}")
    await expect(eve.get("watching")).to_be_visible()
    await expect(eve.get("table")).to_be_visible()
    assert await eve.get("card").count() == 0
    assert await eve.page.locator("[data-act]").count() == 0
    await asyncio.gather(play(ada, "doudizhu"), play(bob, "doudizhu"))
    await expect(eve.get("result")).to_be_visible()
    assert await scores(eve) == await scores(ada)


async def sit_down(
    host: Person, guest: Person, kind: str, options: dict[str, Any] | None = None
) -> None:
    """Both at one table with bots, whose game has begun."""
    code = await host.open_room(kind, FAST[kind] | (options or {}))
    await guest.join(code)
    if SEATS[kind] > 2:
        await host.get("add-bots").click()
        await expect(host.get(f"seat-{SEATS[kind] - 1}")).to_have_attribute("data-ready", "true")
    for person in (host, guest):
        await person.get("ready").click()
    for person in (host, guest):
        await person.until("playing")


async def scores(person: Person) -> list[str]:
    """The scores as they stand there, best first."""
    return await person.get("result-scores").locator("tbody td").all_inner_texts()
