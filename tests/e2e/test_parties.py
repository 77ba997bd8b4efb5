"""Who comes with whom: parties, links to a private table, and a host who changes its options."""

from playwright.async_api import expect

from tests.e2e.conftest import PHONE, People
from tests.e2e.test_access import faults

_FOLLOW_BOTH = """([first, second]) => {
  addEventListener("popstate", () => { location.hash = second; }, { once: true });
  location.hash = first;
}"""
"""The second address as soon as the page has begun to follow the first."""


async def test_a_party_is_led_to_one_table_and_needs_no_mouse(people: People) -> None:
    ada = await people("Ada", bypass_csp=True)
    bob = await people("Bob", bypass_csp=True, locale="zh-CN", viewport=PHONE)
    await ada.get("party-start").press("Enter")
    code = await ada.get("party-shown").inner_text()
    await bob.get("party-code").fill(code.lower())
    await bob.get("party-code").press("Enter")
    for person in (ada, bob):
        await expect(person.get("party-member")).to_have_count(2)
        assert await faults(person) == []
        assert await person.overflow() == 0
    await expect(bob.get("quick-match")).to_be_disabled()
    await ada.get("kind-planes").press("Enter")
    await ada.get("quick-match").press("Enter")
    for person in (ada, bob):
        await person.until("playing")
    assert await ada.room_id() == await bob.room_id()


async def test_who_leaves_a_party_or_is_taken_out_is_in_none(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    for leaves in (bob.get("party-leave"), ada.page.get_by_label("Take Bob out of the party")):
        if not await ada.get("party-shown").count():
            await ada.get("party-start").click()
        await bob.get("party-code").fill(await ada.get("party-shown").inner_text())
        await bob.get("party-join").click()
        await expect(ada.get("party-member")).to_have_count(2)
        await leaves.click()
        await expect(bob.get("party-start")).to_be_visible()
        await expect(ada.get("party-member")).to_have_count(1)
    await bob.get("party-code").fill("222222")
    await bob.get("party-join").click()
    await expect(bob.get("party-error")).to_have_text("There is no party with this code.")


async def test_a_link_opens_a_private_table_whose_host_changes_the_options(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = await ada.open_room("planes")
    await ada.get("copy-invite").click()
    link = await ada.page.evaluate("navigator.clipboard.readText()")
    assert await ada.room_id() in link
    assert code not in link
    await bob.open(f"#{link.partition('#')[2]}")
    await expect(bob.get("seat-1")).to_have_class("seat seat-mine")
    await bob.get("ready").click()
    await expect(ada.get("seat-1")).to_have_attribute("data-ready", "true")
    await ada.get("table-options").click()
    await ada.get("option-destroyRule").select_option("PLANES_DESTROY_RULE_HEAD_KILL")
    await ada.get("options-apply").click()
    await expect(ada.get("options-apply")).to_be_disabled()
    # Whoever had agreed to other options is asked again.
    await expect(bob.get("seat-1")).to_have_attribute("data-ready", "false")
    await expect(bob.page.locator(".gather")).to_contain_text("Options: ")


async def test_who_watches_a_private_table_sits_down_at_it_by_its_code(people: People) -> None:
    """Also who follows the code before the table to watch has come."""
    ada = await people("Ada")
    code = await ada.open_room("doudizhu")
    watch, join = f"#/watch/{await ada.room_id()}", f"#/join/{code}"
    bob, cyd = await people("Bob"), await people("Cyd")
    await bob.open(watch)
    await expect(bob.get("watching")).to_be_visible()
    await bob.page.evaluate("hash => { location.hash = hash; }", join)
    await cyd.page.evaluate(_FOLLOW_BOTH, [watch, join])
    for guest in (bob, cyd):
        await expect(guest.page.locator(".seat-mine")).to_have_count(1)
        await expect(guest.get("watching")).to_have_count(0)
