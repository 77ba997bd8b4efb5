"""Nothing of a table lies over anything else, whatever there is to be done: views of recorded games in every size."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import People
from tests.unit.web import jinxian_frames

SIZES: Final = [
    (360, 640, "en"),
    (390, 844, "zh"),
    (740, 360, "en"),
    (844, 390, "zh"),
    (1280, 800, "en"),
    (1920, 1080, "zh"),
]
PARTS: Final = [
    ".top",
    ".bar",
    ".jx-plate",
    ".jx-note",
    ".jx-question",
    ".jx-act",
    ".jx-centre",
    ".jx-lying > .jx-tile",
    ".jx-meld",
    ".jx-backs",
    ".jx-hand > .jx-tile",
]
"""What may not be covered; two of which one contains the other are one."""
ON_ITS_SIDE_SLACK: Final = 4
MOST: Final = 8
FOLDER: Final = Path(__file__).parent / "screenshots"
DRAW: Final = (Path(__file__).parent / "drawn.js").read_text()


@cache
def game() -> dict[str, Any]:
    """A game with every option that adds something to the table, by the engine that plays it."""
    return jinxian_frames.walked("extras")


@pytest.mark.parametrize(("width", "height", "lang"), SIZES)
async def test_no_claim_lies_over_a_discard(
    people: People, width: int, height: int, lang: str
) -> None:
    ada = await people(viewport={"width": width, "height": height})
    await ada.open()
    given = {
        "kind": "jinxian",
        "config": game()["config"],
        "views": fullest(),
        "parts": PARTS,
        "lang": lang,
    }
    drawn = await ada.page.evaluate(DRAW, given)
    FOLDER.mkdir(exist_ok=True)
    await ada.page.screenshot(path=FOLDER / f"claims-{width}x{height}-{lang}.png")
    assert drawn["faults"] == []
    if width > height:
        # All of it is on the screen at once, too.
        assert drawn["tallest"] <= ON_ITS_SIDE_SLACK


def fullest() -> list[dict[str, Any]]:
    """What the seats see where they have the most to choose from, and where the most lies on the table."""
    seen = [
        {"seat": audience["seat"], "view": step["view"]}
        for audience in game()["audiences"]
        for step in audience["steps"]
        if step["view"].get("prompt") and not step["view"]["table"]["phase"].endswith("_END")
    ]
    assert len(seen) > MOST

    def choice(each: dict[str, Any]) -> int:
        return len(json.dumps(each["view"]["prompt"]))

    def lying(each: dict[str, Any]) -> int:
        return len(each["view"]["table"]["river"])

    by_choice, by_table = (sorted(seen, key=key, reverse=True)[:MOST] for key in (choice, lying))
    # The last one is what the picture shows.
    return [*by_table, *reversed(by_choice)]
