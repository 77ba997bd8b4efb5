"""What is the same wherever one is: places and their titles, settings, shortcuts, handed-over tokens, sharing."""

from typing import Final

from playwright.async_api import expect

from tests.e2e.conftest import PHONE, People
from tests.e2e.person import Person
from tests.e2e.test_games import sit_down

_FOCUSED: Final = "document.activeElement?.id || document.activeElement?.dataset.testid || ''"
_PLACED: Final = """async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  await drawn();
  await drawn();
  return document.querySelector("[data-act=place]:enabled") === null;
}"""
"""Whether the fleet is placed, or on its way, once what was pressed is drawn."""
_PLACE: Final = "[data-act=place]:enabled"
_ANIMATION: Final = "(card) => getComputedStyle(card).animationName"


async def test_who_chooses_as_little_motion_as_possible_sees_none(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await ada.get("settings").click()
    await ada.page.locator("input[name=motion]").last.check()
    await ada.page.keyboard.press("Escape")
    await sit_down(ada, bob, "doudizhu")
    for person, animation in ((ada, "none"), (bob, "ddz-deal")):
        card = person.page.locator(".ddz-hand .ddz-card").first
        await card.wait_for()
        assert await card.evaluate(_ANIMATION) == animation


async def test_a_new_place_has_the_focus_and_the_title(people: People) -> None:
    ada = await people()
    await ada.open()
    await expect(ada.page).to_have_title("Take a seat · Parlor")
    await ada.sign_in("Ada")
    await expect(ada.page).to_have_title("Lobby · Parlor")
    await _has_focus(ada, "main")
    await ada.open_room("planes")
    await expect(ada.page).to_have_title("The table · Plane Battle · Parlor")
    await _has_focus(ada, "main")
    await ada.page.go_back()
    await expect(ada.page).to_have_title("Lobby · Parlor")
    await _has_focus(ada, "main")


async def test_a_token_that_is_handed_to_an_open_page_takes_the_seat_and_leaves_no_trace(
    people: People,
) -> None:
    ada, bob, eve = await people("Ada"), await people("Bob"), await people("Eve")
    code = await ada.open_room("planes")
    token = await bob.page.evaluate("localStorage.getItem('parlor.token')")
    # Pasted into the address line of a page that is open: nothing is loaded anew.
    await eve.page.evaluate("window.isSamePage = true")
    await eve.page.evaluate("(hash) => { location.hash = hash; }", f"token={token}&room={code}")
    await expect(ada.get("seat-1")).to_contain_text("Bob")
    await expect(eve.get("room")).to_have_attribute("data-seat", "1")
    await expect(eve.get("me-name")).to_have_text("Bob")
    assert await eve.page.evaluate("[location.hash, window.isSamePage]") == ["#/table", True]
    await eve.page.go_back()
    await eve.get("lobby").wait_for()
    assert token not in eve.page.url
    # Eve's own seat-keeping token is still there for the next tab.
    assert await eve.page.evaluate("localStorage.getItem('parlor.token')") not in (None, token)


async def test_who_finds_no_seat_may_watch_by_a_link_that_players_share_in_the_game(
    people: People,
) -> None:
    ada, bob, eve = await people("Ada"), await people("Bob"), await people("Eve")
    code = await ada.open_room("planes")
    await bob.join(code)
    await eve.get("join-code").fill(f"{code[:3]} {code[3:]}".translate(_FULL_WIDTH))
    await expect(eve.get("join-code")).to_have_value(code)
    await eve.get("join-go").click()
    await eve.get("join-watch").click()
    await expect(eve.get("watching")).to_be_visible()
    for person in (ada, bob):
        await person.get("ready").click()
    await ada.until("playing")
    await ada.get("invite").click()
    await expect(ada.get("copy-watch")).to_be_visible()
    await expect(ada.get("copy-invite")).to_have_count(0)
    await expect(ada.page.locator(".qr")).to_have_count(0)


async def test_what_the_browser_does_not_copy_stands_there_chosen(people: People) -> None:
    ada = await people("Ada")
    code = await ada.open_room("planes")
    await ada.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await ada.get("copy-code").click()
    await expect(ada.get("to-copy")).to_have_value(code)
    assert await ada.page.evaluate("getSelection().toString()") == code


async def test_shortcuts_act_at_the_table_only_and_can_be_switched_off(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await ada.page.locator(_PLACE).wait_for()
    await ada.page.locator(".phrase").first.focus()
    await ada.page.keyboard.press("p")
    assert not await ada.page.evaluate(_PLACED)
    await ada.get("keys").click()
    dialog = ada.get("keys-dialog")
    await expect(dialog).to_contain_text("These keys work now")
    await ada.page.keyboard.press("Escape")
    await ada.get("settings").click()
    await ada.page.locator("input[name=shortcuts]").last.check()
    await ada.page.keyboard.press("Escape")
    await ada.get("keys").click()
    await expect(dialog).to_contain_text("switched off")
    await ada.page.reload()
    await ada.until_usable()
    await ada.page.locator(_PLACE).wait_for()
    await ada.page.keyboard.press("p")
    assert not await ada.page.evaluate(_PLACED)
    await bob.page.locator(_PLACE).wait_for()
    await bob.page.keyboard.press("p")
    assert await bob.page.evaluate(_PLACED)


async def test_an_open_drawer_keeps_the_focus_from_what_it_covers(people: People) -> None:
    ada = await people("Ada", viewport=PHONE)
    await ada.open_room("planes")
    await ada.get("side-toggle").click()
    await _has_focus(ada, "side-close")
    for _ in range(30):
        await ada.page.keyboard.press("Tab")
        assert await ada.page.evaluate(
            "document.activeElement === document.body || document.activeElement.closest('.side') !== null"
        )
    await ada.get("side-close").click()
    await _has_focus(ada, "side-toggle")
    await ada.get("ready").click()
    await expect(ada.get("ready")).to_have_attribute("aria-pressed", "true")


async def test_a_language_is_kept_only_once_it_is_chosen(people: People) -> None:
    ada = await people("Ada", locale="zh-CN")
    kept = "localStorage.getItem('parlor.lang')"
    await expect(ada.page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert await ada.page.evaluate(kept) is None
    await ada.get("lang-toggle").click()
    await expect(ada.page.locator("html")).to_have_attribute("lang", "en")
    assert await ada.page.evaluate(kept) == "en"


_FULL_WIDTH: Final = {ord("0") + digit: ord("０") + digit for digit in range(10)}


async def _has_focus(person: Person, name: str) -> None:
    """Waits until the focus is on the element with this id or test id."""
    await person.page.wait_for_function(f"() => ({_FOCUSED}) === {name!r}")
