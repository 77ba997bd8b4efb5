"""Names and chat are text, whatever they say; nothing that players write runs or breaks the page."""

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import PHONE, People

MARKUP = "<img src=x onerror=a()>"
LINES = [
    pytest.param("<script>hacked = 1</script>", id="a script"),
    pytest.param('<img src=x onerror="hacked = 1">', id="an image"),
    pytest.param("javascript:hacked=1 &lt;b&gt; ${hacked}", id="other notations"),
    pytest.param("שלום עולם مرحبا", id="from right to left"),
    pytest.param("W" * 120, id="no place to break"),
    pytest.param("👨‍👩‍👧‍👦" * 10, id="joined emoji"),
]


@pytest.mark.parametrize("line", LINES)
async def test_what_is_said_is_shown_as_it_was_said(people: People, line: str) -> None:
    ada, bob = await people(MARKUP), await people("Bob", viewport=PHONE)
    code = await ada.open_room("doudizhu")
    await bob.join(code)
    await expect(bob.get("seat-0")).to_contain_text(MARKUP)
    for person in (ada, bob):
        if await person.get("side-toggle").is_visible():
            await person.get("side-toggle").click()
    await ada.get("chat-input").fill(line)
    await ada.get("chat-send").click()
    if "\u200d" in line:
        # Characters that cannot be seen are no text: refused, and the page says so.
        await expect(ada.get("toast")).not_to_be_empty()
    else:
        for person in (ada, bob):
            await expect(person.get("chat-log")).to_contain_text(line)
    for person in (ada, bob):
        assert await person.page.evaluate("typeof hacked") == "undefined"
        assert await person.page.locator("#app img[src=x], #app script").count() == 0
        assert await person.overflow() == 0


async def test_ten_kilobytes_are_not_said(people: People) -> None:
    ada = await people("Ada")
    await ada.open_room("doudizhu")
    if await ada.get("side-toggle").is_visible():
        await ada.get("side-toggle").click()
    await ada.get("chat-input").evaluate("(input) => input.removeAttribute('maxlength')")
    await ada.get("chat-input").fill("x" * 10_000)
    await ada.get("chat-send").click()
    await expect(ada.get("toast")).not_to_be_empty()
    await expect(ada.get("app")).to_have_attribute("data-connection", "open")
    assert "x" * 200 not in await ada.get("chat-log").inner_text()


@pytest.mark.parametrize("name", ["\u202egnp.exe", "a\u0007b"])
async def test_a_name_that_misleads_is_refused_with_a_reason(people: People, name: str) -> None:
    ada = await people()
    await ada.open()
    await ada.get("signin-name").fill(name)
    await ada.get("signin-go").click()
    await expect(ada.get("signin-error")).to_be_visible()
