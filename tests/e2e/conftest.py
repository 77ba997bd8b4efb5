"""Fixtures of the end-to-end tests: one Parlor for all of them, a browser, and people at it."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright

from tests.e2e.person import Person
from tests.e2e.stack import Stack, running

People = Callable[..., Awaitable[Person]]
"""`await people("Ada", locale="zh-CN", viewport=PHONE)`: somebody who has signed in, unless without a name."""

DESKTOP: Any = {"width": 1280, "height": 800}
PHONE: Any = {"width": 360, "height": 740}


_LONGEST_S = 900
"""Of one test with its servers, browser and game, where the machine does everything else besides."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives every test of this folder the time that a real browser may need."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(_LONGEST_S))


def chromium() -> str:
    """The system's Chromium; skips the test where there is none."""
    for name in (
        os.environ.get("PARLOR_CHROMIUM", ""),
        "chromium",
        "chromium-browser",
        "google-chrome",
    ):
        if name and (path := shutil.which(name)):
            return path
    pytest.skip("no Chromium: install Debian's package chromium, or name one by PARLOR_CHROMIUM")


@pytest.fixture(scope="session")
def parlor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One for all tests of this worker."""
    chromium()
    with running(tmp_path_factory.mktemp("parlor")) as stack:
        yield stack


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A browser without anybody at it."""
    path = chromium()
    async with async_playwright() as playwright:
        # The sandbox needs rights that containers do not give; the pages are our own.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture
async def people(parlor: Stack, browser: Browser) -> AsyncIterator[People]:
    """Who comes in by this has a page that may complain about nothing."""
    came: list[Person] = []

    async def come(name: str = "", **options: Any) -> Person:
        settings = {"locale": "en-GB", "viewport": DESKTOP} | options
        person = await Person.come(await browser.new_context(**settings), parlor.url)
        came.append(person)
        if name:
            await person.sign_in(name)
        return person

    yield come
    for person in came:
        assert person.complaints == []
        assert await person.violations() == []
