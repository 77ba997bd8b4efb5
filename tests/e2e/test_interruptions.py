"""What goes wrong around a page, and changes nothing for its player."""

import asyncio
from typing import Any, Final

from playwright.async_api import WebSocketRoute, expect

from tests.e2e.conftest import People
from tests.e2e.person import PATIENCE_MS, Person
from tests.e2e.playing import (
    ADVISED,
    first_asked,
    is_midway,
    play,
    play_some,
    play_until,
    take_hint,
)
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
    await expect(ada.get("banner")).to_be_visible()
    await expect(other.get_by_test_id("app")).to_have_attribute("data-connection", "open")
    await ada.get("take-over").click()
    await expect(ada.get("app")).to_have_attribute("data-connection", "open")
    await expect(ada.get("banner")).to_have_count(0)
    await expect(other.get_by_test_id("app")).to_have_attribute("data-connection", "away")
    await expect(other.get_by_test_id("take-over")).to_be_visible()


async def test_games_go_on_when_the_gateway_is_killed_and_a_move_made_meanwhile_counts_once(
    people: People, parlor: Stack
) -> None:
    tables = {kind: [await people(f"{name} {kind}") for name in ("Ada", "Bob")] for kind in PATIENT}
    for kind, (host, guest) in tables.items():
        await sit_down(host, guest, kind, PATIENT[kind])
    movers = await asyncio.gather(
        *(first_asked(pair, kind, is_midway) for kind, pair in tables.items())
    )
    for mover in movers:
        await take_hint(mover)
    expected = [await mover.page.evaluate(_AFTER_THE_MOVE) for mover in movers]
    everybody = [person for pair in tables.values() for person in pair]
    for person in everybody:
        person.breaks_expected = True
        await expect(person.get("app")).to_have_attribute("data-connection", "open")
    outages = [
        asyncio.create_task(person.page.evaluate(_OUTAGE, ADVISED if person in movers else ""))
        for person in everybody
    ]
    # What is sent over the wire of a page is done in order: now each of them looks.
    for person in everybody:
        await person.page.evaluate("0")
    parlor.kill("gateway")
    async with asyncio.timeout(PATIENCE_MS / 1000):
        seen = await asyncio.gather(*outages)
    assert all(each["banner"] for each in seen)
    assert [each["pending"] for each in seen] == [person in movers for person in everybody]
    for mover, after in zip(movers, expected, strict=True):
        await expect(mover.page.locator(PENDING)).to_have_count(0)
        assert await mover.page.evaluate(_LAID) == after
    await asyncio.gather(*(play(person, kind) for kind, pair in tables.items() for person in pair))
    for host, guest in tables.values():
        assert await scores(host) == await scores(guest)


async def test_a_game_goes_on_when_its_engine_is_killed(people: People, parlor: Stack) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    await sit_down(ada, bob, "planes")
    await asyncio.gather(play_some(ada, "planes", 1), play_some(bob, "planes", 1))
    parlor.kill("engine")
    await asyncio.gather(play(ada, "planes"), play(bob, "planes"))
    assert await scores(ada) == await scores(bob)


async def test_a_slow_network_only_slows_the_game_down(people: People) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    # What a browser's own brakes do to sockets differs from release to release.
    await ada.context.route_web_socket("**", _slowly)
    # What is late may come to a socket that was closed meanwhile.
    ada.breaks_expected = True
    await ada.page.reload()
    await ada.until_usable()
    await sit_down(ada, bob, "planes")
    await ada.page.evaluate(_WATCH_PENDING)
    await asyncio.gather(play(ada, "planes"), play(bob, "planes"))
    assert await scores(ada) == await scores(bob)
    pending = await ada.page.evaluate("window.pendingMs")
    assert pending
    assert min(pending) >= 2 * LATENCY_S * 1000


async def test_a_move_forestalled_from_another_page_is_taken_back_with_the_reason(
    people: People,
) -> None:
    ada, bob = await people("Ada"), await people("Bob")
    lost = asyncio.Event()
    await ada.page.route_web_socket("**", lambda page: _without_moves(page, lost))
    ada.breaks_expected = True
    await ada.page.reload()
    await ada.until_usable()
    await sit_down(ada, bob, "planes", PATIENT["planes"])
    others = asyncio.create_task(play(bob, "planes"))
    await play_until(ada, "planes", is_midway)
    others.cancel()
    await asyncio.wait([others])
    await take_hint(ada)
    shots = await ada.page.evaluate(_LAID)
    lost.set()
    await ada.page.locator(ADVISED).click()
    await expect(ada.page.locator(PENDING)).to_be_visible()
    # The same player has opened the game elsewhere, and is faster there.
    elsewhere = await Person.come(ada.context, ada.url)
    await elsewhere.open()
    await elsewhere.until("playing")
    await take_hint(elsewhere)
    await elsewhere.page.locator(ADVISED).click()
    await elsewhere.page.wait_for_function(f"(shots) => ({_LAID})() === shots + 1", arg=shots)
    await expect(ada.page.locator(PENDING)).to_be_visible()
    lost.clear()
    await ada.get("take-over").click()
    await expect(ada.get("toast")).to_have_text("It is not your turn.")
    await expect(ada.page.locator(PENDING)).to_have_count(0)
    assert await ada.page.evaluate(_LAID) == shots + 1


def _without_moves(page: WebSocketRoute, lost: asyncio.Event) -> None:
    """Brings everything but a page's moves while these are to be lost."""
    server = page.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        if not lost.is_set() or '"act"' not in str(message):
            server.send(message)

    page.on_message(pass_on)


def _slowly(page: WebSocketRoute) -> None:
    """Brings everything late, in both directions."""
    server = page.connect_to_server()
    later = asyncio.get_running_loop().call_later
    page.on_message(lambda message: later(LATENCY_S, server.send, message))
    server.on_message(lambda message: later(LATENCY_S, page.send, message))


PATIENT: Final[dict[str, dict[str, Any]]] = {
    "doudizhu": {"playLimit": 120},
    "planes": {"turnLimit": 120},
}
"""Options that leave time to stop in the middle of a game."""

PENDING: Final = "[data-testid=table][data-pending]"
"""A table with a move on its way."""

LATENCY_S: Final = 0.2
"""In one direction."""

_AFTER_THE_MOVE = """() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const { kind } = document.querySelector("[data-testid=table]").dataset;
  if (kind === "planes") return count("[data-testid=target-board] [aria-disabled=true]") + 1;
  return count("[data-testid=card]") - count("[data-testid=card][aria-pressed=true]");
}"""
_LAID = """() => {
  const { kind } = document.querySelector("[data-testid=table]").dataset;
  const cells = "[data-testid=target-board] [aria-disabled=true]";
  return document.querySelectorAll(kind === "planes" ? cells : "[data-testid=card]").length;
}"""
"""How many shots have been made at the other's board, or how many cards are in the own hand."""

_OUTAGE = """(selector) => new Promise((resolve) => {
  const find = (testid) => document.querySelector(`[data-testid=${testid}]`);
  const seen = { banner: false, pending: false };
  let wasAway = false;
  const observer = new MutationObserver(() => {
    if (find("app").dataset.connection === "away") {
      if (!wasAway && selector) document.querySelector(selector).click();
      wasAway = true;
      seen.banner ||= find("banner") !== null;
      seen.pending ||= find("table").dataset.pending !== undefined;
    } else if (wasAway) {
      observer.disconnect();
      resolve(seen);
    }
  });
  observer.observe(document, { attributes: true, childList: true, subtree: true });
})"""
"""Presses something as soon as the connection is away, and tells at its return what was to be seen meanwhile."""

_WATCH_PENDING = """() => {
  window.pendingMs = [];
  let since = null;
  new MutationObserver(() => {
    const isPending = document.querySelector("[data-testid=table][data-pending]") !== null;
    if (isPending) since ??= performance.now();
    else if (since !== null) {
      window.pendingMs.push(performance.now() - since);
      since = null;
    }
  }).observe(document, { attributes: true, childList: true, subtree: true });
}"""
"""Keeps for how long each move was on its way."""

_MARKS = """() => [...document.querySelectorAll("[data-testid=own-board] [data-testid^=cell-]")]
  .map((cell) => cell.getAttribute("aria-label"))"""
