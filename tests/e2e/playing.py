"""How games are played here: by pressing what the page offers, the way a person does who trusts its hints."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from playwright.async_api import Error

from tests.e2e.person import PATIENCE_MS, Person

Ripe = Callable[[set[str], int], bool]
"""Whether a decision is what one waits for, by what may be done and how many were answered before."""

_LOOK: Final = """() => {
  const visible = (element) => element && !element.disabled && element.getClientRects().length > 0;
  const room = document.querySelector("[data-testid=room]");
  const table = document.querySelector("[data-testid=table]");
  const open = (selector) => [...(table?.querySelectorAll(selector) ?? [])].filter(visible);
  return {
    status: room?.dataset.status ?? "",
    decision: table?.dataset.decision ?? "",
    pending: table?.hasAttribute("data-pending") ?? false,
    acts: open("[data-act]").map((each) => [each.dataset.act, each.dataset.value ?? ""]),
    focused: document.activeElement?.dataset.act ?? "",
    tools: open("[data-testid]").map((each) => each.dataset.testid),
  };
}"""
ADVISED: Final = (
    ":is([data-act=play], [data-act=discard], [data-act=attack]):enabled, [data-act]:focus"
)
"""What may be pressed once a hint was given: what plays the chosen cards, or what has the focus."""
_PAUSE_S: Final = 0.03
_SHORT_MS: Final = 2_000


async def play(person: Person, kind: str, *, longest_s: float = 400) -> None:
    """Plays until the game that runs has ended."""
    hand = _HANDS[kind]()
    async with asyncio.timeout(longest_s):
        while (seen := await person.page.evaluate(_LOOK))["status"] != "finished":
            if seen["decision"] and not seen["pending"]:
                await _press(person, hand.choice(seen))
            await asyncio.sleep(_PAUSE_S)


async def play_some(person: Person, kind: str, decisions: int) -> None:
    """Answers so many decisions, or plays to the end where there are fewer."""
    await play_until(person, kind, lambda _, answered: answered >= decisions)


async def play_until(person: Person, kind: str, ripe: Ripe) -> None:
    """Plays until a decision is `ripe` by what may be done and how many were answered before, or to the end."""
    hand = _HANDS[kind]()
    answered: set[str] = set()
    async with asyncio.timeout(300):
        while (seen := await person.page.evaluate(_LOOK))["status"] == "playing":
            if seen["decision"] and not seen["pending"]:
                acts = {name for name, _ in seen["acts"]}
                if ripe(acts, len(answered - {seen["decision"]})):
                    return
                answered.add(seen["decision"])
                await _press(person, hand.choice(seen))
            await asyncio.sleep(_PAUSE_S)


def is_midway(acts: set[str], answered: int) -> bool:
    """Whether something can be laid or shot after some moves; bids and the like change hands by themselves."""
    return answered >= 2 and not acts & {"bid", "call", "rob", "double", "consent"}


async def first_asked(people: Sequence[Person], kind: str, ripe: Ripe) -> Person:
    """The first of them whose decision is `ripe` while all play on until then; it is still to be answered."""
    players = {asyncio.create_task(play_until(person, kind, ripe)): person for person in people}
    done, others = await asyncio.wait(players, return_when=asyncio.FIRST_COMPLETED)
    for other in others:
        other.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    asked = next(iter(done))
    await asked
    return players[asked]


async def take_hint(person: Person) -> None:
    """Asks what to do, unless that was asked or cannot be, until there is advice: a busy server may refuse it."""
    hint = person.page.locator(f"{HINT}:enabled")
    if not await person.get("hint").count():
        return
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while not await person.page.locator(ADVISED).count():
            if await hint.count():
                await hint.click()
            await asyncio.sleep(_PAUSE_S)


async def _press(person: Person, selector: str) -> None:
    """Presses it; what is gone by then, the clock or another seat was faster for."""
    if not selector:
        return
    try:
        await person.page.locator(f"[data-testid=table] {selector}").first.click(timeout=_SHORT_MS)
    except Error:
        return


def act(name: str, value: str = "") -> str:
    """The selector of a control that sends this action."""
    return f'[data-act="{name}"][data-value="{value}"]' if value else f'[data-act="{name}"]'


HINT: Final = "[data-testid=hint]"


class _Hand:
    """Decides what to press next; asks for a hint once per decision."""

    def __init__(self) -> None:
        self._hinted = ""
        self._waited = 0

    def choice(self, seen: dict[str, Any]) -> str:
        """A selector; empty to wait."""
        raise NotImplementedError

    def _hint(self, seen: dict[str, Any]) -> str:
        """The hint, where it was not asked for yet; empty once it was, to wait for it."""
        if self._hinted != seen["decision"] and "hint" in seen["tools"]:
            self._hinted, self._waited = seen["decision"], 0
            return HINT
        self._waited += 1
        return ""

    @property
    def _is_patient(self) -> bool:
        return self._waited < 100


class _DouDizhu(_Hand):
    def choice(self, seen: dict[str, Any]) -> str:
        acts = dict(seen["acts"])
        if "play" in acts:
            return act("play")
        for question in ("bid", "call", "rob", "double", "consent"):
            values = [value for name, value in seen["acts"] if name == question]
            if values:
                # Somebody has to be the landlord; nobody gives up.
                return act(question, "false" if question == "consent" else values[-1])
        if (hint := self._hint(seen)) or (self._is_patient and seen["focused"] != "pass"):
            return hint
        return act("pass") if "pass" in acts else "[data-testid=card]"


class _Jinxian(_Hand):
    def choice(self, seen: dict[str, Any]) -> str:
        acts = dict(seen["acts"])
        if "stopAutoplay" in acts:
            return act("stopAutoplay")
        for name in ("win", "discard"):
            if name in acts:
                return act(name)
        if (hint := self._hint(seen)) or (self._is_patient and not seen["focused"]):
            return hint
        if seen["focused"]:
            return act(seen["focused"])
        return act("pass") if "pass" in acts else "[data-testid=tile]:last-of-type"


class _Planes(_Hand):
    def choice(self, seen: dict[str, Any]) -> str:
        acts = dict(seen["acts"])
        for name in ("place", "attack"):
            if name in acts:
                return act(name)
        if "place-auto" in seen["tools"]:
            return "[data-testid=place-auto]"
        return self._hint(seen) or ("" if self._is_patient else "[data-testid^=cell-]")


_HANDS: Final = {"doudizhu": _DouDizhu, "jinxian": _Jinxian, "planes": _Planes}

FAST: Final[dict[str, dict[str, Any]]] = {
    "doudizhu": {},
    "jinxian": {"totalRounds": 4, "showPause": 0, "settleLimit": 1, "autoplayDelay": 0.2},
    "planes": {},
}
"""Options that make a game of each kind short."""
