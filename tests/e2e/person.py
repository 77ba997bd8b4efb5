"""Somebody at a browser: a page, what it complained about, and what a person does with any page of Parlor."""

from typing import Any, Final

from playwright.async_api import BrowserContext, Locator, Page, expect

PATIENCE_MS: Final = 60_000
"""Machines that run everything else besides are slow; a test that fails waits for it, and none that passes."""
expect.set_options(timeout=PATIENCE_MS)

_LOADS: Final = 4
_NETWORK_CHANGED: Final = "ERR_NETWORK_CHANGED"
"""Chromium gives up what is under way when any network interface of the machine comes or goes, as containers do."""

_REFUSED: Final = "the server responded with a status of"

_BROKEN_NUMBERS: Final = r"""() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!/^[−+]?\d+$/.test(text.data.trim())) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.getClientRects().length > 1) broken.push(`${text.parentElement.className}: ${text.data}`);
  }
  return broken;
}"""
_WATCH: Final = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""


class Person:
    """One player or onlooker."""

    def __init__(self, context: BrowserContext, page: Page, url: str) -> None:
        self.context = context
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        """What the page's console said that is no mere note, and what it threw."""
        self.addresses: list[str] = []
        """Everything that the page asked any server for."""
        self.breaks_expected = False
        """Whether connections may break: a browser notes that in its console by itself."""
        self._network_changed = False
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("websocket", lambda socket: self.addresses.append(socket.url))

    @classmethod
    async def come(cls, context: BrowserContext, url: str) -> "Person":
        """Somebody with a new tab."""
        await context.add_init_script(_WATCH)
        return cls(context, await context.new_page(), url)

    def get(self, testid: str) -> Locator:
        """An element by its `data-testid`."""
        return self.page.get_by_test_id(testid)

    async def open(self, fragment: str = "") -> None:
        """Opens the page, and waits until it can be used."""
        for _ in range(_LOADS):
            self._network_changed = False
            await self.page.goto(f"{self.url}/{fragment}")
            await self.page.wait_for_load_state("load")
            if not self._network_changed:
                break
        await self.until_usable()

    async def until_usable(self) -> None:
        """Waits until the page can be used."""
        await expect(self.get("app")).to_have_attribute("data-ready", "true")

    async def sign_in(self, name: str) -> None:
        """Becomes a guest."""
        await self.open()
        await self.get("signin-name").fill(name)
        await self.get("signin-go").click()
        await self.get("lobby").wait_for()

    async def open_room(self, kind: str, options: dict[str, Any] | None = None) -> str:
        """Opens a room, and gives its code."""
        await self.get(f"kind-{kind}").click()
        if options:
            await self.get("options-toggle").click()
            await self.get("advanced-toggle").click()
        for field, value in (options or {}).items():
            await self._choose(self.get(f"option-{field}"), value)
        await self.get("open-room").click()
        await self.get("room").wait_for()
        return (await self.get("room-code").inner_text()).replace(" ", "")

    async def join(self, code: str) -> None:
        """Takes a seat in a room by its code."""
        await self.get("join-code").fill(code)
        await self.get("join-go").click()
        await self.get("room").wait_for()

    async def room_id(self) -> str:
        """The room that is on the screen."""
        return await self.get("room").get_attribute("data-room") or ""

    async def until(self, status: str, game_no: int = 1) -> None:
        """Waits until the room stands there."""
        room = f'[data-testid=room][data-status={status}][data-game-no="{game_no}"]'
        await self.page.locator(room).wait_for(timeout=4 * PATIENCE_MS)

    async def violations(self) -> list[str]:
        """What the content security policy has forbidden since the page was loaded."""
        found: list[str] = await self.page.evaluate("window.violations ?? []")
        return found

    async def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        width: int = await self.page.evaluate(script)
        return width

    async def broken_numbers(self) -> list[str]:
        """Numbers that are shown over more than one line, for want of room."""
        found: list[str] = await self.page.evaluate(_BROKEN_NUMBERS)
        return found

    async def _choose(self, control: Locator, value: Any) -> None:
        if isinstance(value, bool):
            await control.set_checked(value)
        elif await control.evaluate("control => control.tagName") == "SELECT":
            await control.select_option(str(value))
        else:
            await control.fill(str(value))
            await control.dispatch_event("change")

    def _hear(self, message: Any) -> None:
        if message.type not in ("error", "warning"):
            return
        if _NETWORK_CHANGED in message.text:
            self._network_changed = True
            return
        if _REFUSED in message.text and "404" not in message.text:
            # What a server refuses is no fault of the page, which shows its reason.
            return
        if self.breaks_expected and ("WebSocket" in message.text or "net::ERR" in message.text):
            return
        self.complaints.append(f"{message.type}: {message.text}")
