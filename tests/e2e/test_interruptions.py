"""What goes wrong around a page, and changes nothing for its player."""

import asyncio

from playwright.async_api import expect

from tests.e2e.conftest import People
from tests.e2e.playing import play, play_some
from tests.e2e.stack import Stack
from tests.e2e.test_games import scores, sit_down


async def test_a_reload_in_the_middle_of_a_game_leads_back_to_the_seat(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await asyncio.gather(play_some(ada, "planes", 3), play_some(bob, "planes", 3))
    before = await ada.page.evaluate(_MARKS)
    await ada.page.reload()
    await ada.until_usable()
    await ada.until("playing")
    assert await ada.page.evaluate(_MARKS) == before
    await asyncio.gather(play(ada, "planes"), play(bob, "planes"))
    assert await scores(ada) == await scores(bob)


async def test_a_second_tab_takes_over_and_the_first_does_not_fight_for_it(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    other = await ada.context.new_page()
    await other.goto(ada.url)
    await expect(other.get_by_test_id("table")).to_be_visible()
    await expect(ada.get("app")).to_have_attribute("data-connection", "away")
    await expect(other.get_by_test_id("app")).to_have_attribute("data-connection", "open")


async def test_a_game_goes_on_when_the_gateway_is_killed(people: People, parlor: Stack) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "doudizhu")
    for person in (ada, bob):
        person.breaks_expected = True
        await expect(person.get("app")).to_have_attribute("data-connection", "open")
    parlor.kill("gateway")
    for person in (ada, bob):
        await expect(person.get("app")).to_have_attribute("data-connection", "away")
    for person in (ada, bob):
        await expect(person.get("app")).to_have_attribute("data-connection", "open")
    await asyncio.gather(play(ada, "doudizhu"), play(bob, "doudizhu"))
    assert await scores(ada) == await scores(bob)


async def test_a_game_goes_on_when_its_engine_is_killed(people: People, parlor: Stack) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await asyncio.gather(play_some(ada, "planes", 1), play_some(bob, "planes", 1))
    parlor.kill("engine")
    await asyncio.gather(play(ada, "planes"), play(bob, "planes"))
    assert await scores(ada) == await scores(bob)


async def test_a_slow_network_only_slows_the_game_down(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    wire = await ada.context.new_cdp_session(ada.page)
    await wire.send("Network.enable")
    await wire.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 400,
            "downloadThroughput": 30_000,
            "uploadThroughput": 10_000,
            "connectionType": "cellular3g",
        },
    )
    await sit_down(ada, bob, "planes")
    await asyncio.gather(play(ada, "planes"), play(bob, "planes"))
    assert await scores(ada) == await scores(bob)


_MARKS = """() => [...document.querySelectorAll("[data-testid=own-board] [data-testid^=cell-]")]
  .map((cell) => cell.getAttribute("aria-label"))"""
