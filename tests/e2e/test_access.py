"""For everybody: axe finds nothing anywhere, and a keyboard is enough for a whole game."""

import asyncio
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.async_api import Locator, expect

from tests.e2e.conftest import DESKTOP, PHONE, People
from tests.e2e.person import PATIENCE_MS, Person
from tests.e2e.playing import ADVISED, HINT, first_asked, is_midway, play
from tests.e2e.test_games import KINDS, SEATS, sit_down

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
_FAULTS = """async () => {
  // axe judges no text on a gradient. Letters on the felt are light: hardest to read where the felt is lightest.
  document.body.style.background = "var(--felt-light)";
  const { violations, incomplete } = await axe.run(document, {
    resultTypes: ["violations", "incomplete"],
    // A number, a mark or a Chinese word of one letter is to be read as well.
    checks: { "color-contrast": { options: { ignoreLength: true } } },
  });
  document.body.style.background = "";
  // What lies under something else has no contrast that axe could measure; other doubts are faults.
  const doubts = incomplete.filter(({ id }) => id !== "color-contrast");
  const html = ({ html }) => html.slice(0, 160);
  return [...violations, ...doubts].map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map(html).join(" | ")}`);
}"""
FELT = {"light": "rgb(33, 86, 70)", "dark": "rgb(21, 53, 43)"}
"""What lies under everything, by day and by night."""


async def faults(person: Person) -> list[str]:
    """What axe finds wrong with what is on the screen, however slight, and what it is in doubt about."""
    # What is fading in has no contrast yet.
    await person.page.emulate_media(reduced_motion="reduce")
    # Pages forbid strings as scripts to themselves; a debugger may.
    await person.page.evaluate(AXE)
    found: list[str] = await person.page.evaluate(_FAULTS)
    return found


async def nothing_is_wrong(person: Person, shown: Locator) -> None:
    """axe finds nothing while this is on the screen, and it was there all the while."""
    await expect(shown).to_be_visible()
    assert await faults(person) == []
    assert await shown.is_visible()


@pytest.mark.parametrize("scheme", FELT)
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_nothing_stands_in_the_way_before_a_game(
    people: People, viewport: dict[str, int], scheme: str
) -> None:
    ada = await people(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    await ada.open()
    await expect(ada.page.locator("body")).to_have_css("background-color", FELT[scheme])
    await nothing_is_wrong(ada, ada.get("signin-name"))
    await ada.sign_in("Ada")
    await nothing_is_wrong(ada, ada.get("lobby"))
    await ada.get("kind-jinxian").click()
    await ada.get("quick-match").click()
    await nothing_is_wrong(ada, ada.get("waiting"))
    await ada.get("quick-cancel").click()
    await ada.get("options-toggle").click()
    await ada.get("advanced-toggle").click()
    await nothing_is_wrong(ada, ada.get("option-totalRounds"))
    await ada.get("open-room").click()
    await nothing_is_wrong(ada, ada.get("room"))


@pytest.mark.parametrize("scheme", FELT)
@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_stands_in_the_way_from_the_first_move_to_the_replay(
    people: People, kind: str, scheme: str
) -> None:
    ada = await people("Ada", color_scheme=scheme, bypass_csp=True)
    bob = await people("Bob", color_scheme=scheme, bypass_csp=True, viewport=PHONE)
    await sit_down(ada, bob, kind)
    for person in (ada, bob):
        await expect(person.page.locator("body")).to_have_css("background-color", FELT[scheme])
        await nothing_is_wrong(person, person.get("table"))
    await first_asked((ada, bob), kind, is_midway)
    for person in (ada, bob):
        await nothing_is_wrong(person, person.page.locator("[data-status=playing] .stage"))
    await asyncio.gather(play(ada, kind), play(bob, kind))
    for person in (ada, bob):
        await nothing_is_wrong(person, person.get("result"))
        await person.get("open-replay").click()
        replay = person.page.locator("[data-testid=replay][data-steps]")
        await replay.wait_for()
        for step in ("9", await replay.get_attribute("data-steps") or ""):
            await person.get("replay-slider").fill(step)
            await nothing_is_wrong(person, person.page.locator(f"[data-step='{step}']"))


class Keyboard:
    """Somebody without a mouse."""

    def __init__(self, person: Person) -> None:
        self.person = person

    async def reach(self, selector: str) -> None:
        """Goes on by Tab until the focus is there, and is seen there."""
        focused = f"document.activeElement?.matches({selector!r}) ?? false"
        for _ in range(200):
            if await self.person.page.evaluate(focused):
                return
            await self.person.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    async def press(self, selector: str) -> None:
        """Reaches it and presses it."""
        await self.reach(selector)
        await self.person.page.keyboard.press("Enter")

    async def take_hint(self) -> None:
        """Asks what to do until there is advice: a busy server may refuse it."""
        async with asyncio.timeout(PATIENCE_MS / 1000):
            while not await self.person.page.locator(ADVISED).count():
                if await self.person.page.locator(f"{HINT}:enabled").count():
                    await self.press(HINT)
                await asyncio.sleep(0.05)


async def test_a_game_is_played_with_the_keyboard_alone(people: People) -> None:
    ada = await people()
    keys = Keyboard(ada)
    await ada.open()
    await keys.reach("[data-testid=signin-name]")
    await ada.page.keyboard.type("Ada")
    await ada.page.keyboard.press("Enter")
    await ada.get("lobby").wait_for()
    await keys.press("[data-testid=kind-planes]")
    await keys.press("[data-testid=open-room]")
    await ada.get("room").wait_for()
    await keys.press("[data-testid=add-bots]")
    await expect(ada.get("seat-1")).to_have_attribute("data-ready", "true")
    await keys.press("[data-testid=ready]")
    await ada.until("playing")
    await keys.press("[data-testid=place-auto]")
    await expect(ada.page.locator("[data-act=place]")).to_be_enabled()
    await keys.press("[data-act=place]")
    shot = ada.page.locator("[data-testid=attack-go]")
    ended = ada.page.locator("[data-testid=result]")
    async with asyncio.timeout(300):
        while not await ended.count():
            # In one question: it may be gone by the next one.
            if await ada.page.locator(f"{HINT}:enabled").count():
                await keys.press(HINT)
                await expect(shot.or_(ended).first).to_be_enabled()
                if not await ended.count():
                    await keys.press("[data-testid=attack-go]")
            await asyncio.sleep(0.05)


SLOW = {
    "doudizhu": {"playLimit": 120, "bidLimit": 120},
    "jinxian": {"turnLimit": 120, "claimLimit": 60},
}
"""Who reaches everything by Tab needs time."""


@pytest.mark.parametrize("kind", SLOW)
async def test_cards_and_tiles_are_played_with_the_keyboard_alone(
    people: People, kind: str
) -> None:
    ada = await people("Ada")
    await ada.open_room(kind, SLOW[kind])
    keys = Keyboard(ada)
    await keys.press("[data-testid=add-bots]")
    await expect(ada.page.locator("[data-testid^=seat-][data-ready=true]")).to_have_count(
        SEATS[kind] - 1
    )
    await keys.press("[data-testid=ready]")
    await ada.until("playing")
    table = ada.get("table")
    due_or_over = ada.page.locator(f"{HINT}:enabled, [data-testid=result]")
    for number in range(3):
        await expect(due_or_over.first).to_be_visible(timeout=3 * PATIENCE_MS)
        if await ada.page.locator("[data-testid=result]").count():
            # A landlord with a hand to lay down at once leaves others their bid and nothing else.
            assert number > 0
            break
        decision = await table.get_attribute("data-decision") or ""
        await keys.take_hint()
        await keys.press(ADVISED)
        await expect(table).not_to_have_attribute("data-decision", decision)
