"""Nothing of a table lies over anything else, whatever there is to be done: views of recorded games in every size."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import People
from tests.unit.web import doudizhu_frames, jinxian_frames, planes_frames

Json = dict[str, Any]

SIZES: Final = [
    (360, 640, "en"),
    (390, 844, "zh"),
    (740, 360, "en"),
    (844, 390, "zh"),
    (1280, 800, "en"),
    (1920, 1080, "zh"),
]
PARTS: Final = {
    "jinxian": [
        ".jx-plate",
        ".jx-note",
        ".jx-question",
        ".jx-act",
        ".jx-actions > .btn",
        ".jx-centre",
        ".jx-lying > .jx-tile",
        ".jx-meld",
        ".jx-backs",
        ".jx-hand > .jx-tile",
    ],
    "doudizhu": [
        ".ddz-plate",
        ".ddz-stakes",
        ".ddz-played",
        ".ddz-word",
        ".ddz-waiting",
        ".ddz-judged",
        ".ddz-answers > .btn",
        ".ddz-answers > .ddz-clock",
        ".ddz-tool",
        ".ddz-hand",
    ],
    "planes": [
        ".planes-asked",
        ".planes-clock",
        ".planes-sheet",
        ".planes-actions > *",
        ".planes-head-line > *",
        ".planes-paper",
        ".planes-counts",
        ".planes-shots",
    ],
}
"""What may not be covered; two of which one contains the other are one."""
SLACK: Final = 4
"""By so many pixels a table may be higher than its window."""
DESK: Final = 600
"""As high as no window of a phone on its side."""
MOST: Final = 8
FOLDER: Final = Path(__file__).parent / "screenshots"
DRAW: Final = (Path(__file__).parent / "drawn.js").read_text()


@pytest.mark.parametrize(("width", "height", "lang"), SIZES)
@pytest.mark.parametrize("kind", PARTS)
async def test_nothing_of_a_table_lies_over_anything_else(
    people: People, kind: str, width: int, height: int, lang: str
) -> None:
    ada = await people(viewport={"width": width, "height": height})
    await ada.open()
    parts = [".top", ".bar", *PARTS[kind]]
    given = {"kind": kind, "moments": moments(kind), "parts": parts, "lang": lang}
    drawn = await ada.page.evaluate(DRAW, given)
    FOLDER.mkdir(exist_ok=True)
    await ada.page.screenshot(path=FOLDER / f"fullest-{kind}-{width}x{height}-{lang}.png")
    assert drawn["faults"] == []
    if kind != "planes" or (width > height and height >= DESK):
        # All of it is on the screen at once; of Plane Battle on a phone, what there is to read is below.
        assert max(drawn["beyond"]) <= SLACK


@cache
def games(kind: str) -> tuple[Json, ...]:
    """Games with options that add to the table, by the engines that play them."""
    match kind:
        case "jinxian":
            # The last one has a round that ends with whole hands.
            return named(jinxian_frames.frames(), "extras", "standard", "jinxian-fast")
        case "doudizhu":
            return named(doudizhu_frames.frames(), "call 1")
        case _:
            return named(planes_frames.document()["games"], "all cells 2")


def named(recorded: list[Json], *names: str) -> tuple[Json, ...]:
    """Those of these names."""
    return tuple(each for each in recorded if each["name"] in names)


def moments(kind: str) -> list[Json]:
    """What is looked at: `config`, `seat` and `view`, with `others` (every seat's view) where it is a replay."""
    audiences = [audience for each in games(kind) for audience in live(each)]
    seen = [step for audience in audiences for step in audience]
    asked = [each for each in seen if each["view"].get("prompt")]
    return [
        *(next(filter(is_over, audience)) for audience in audiences),
        *most(seen, lambda each: len(str(each["view"]["table"]))),
        *(step for each in games(kind) for step in replayed(each)),
        # The last one is what the picture shows.
        *reversed(most(asked, lambda each: len(str(each["view"]["prompt"])))),
    ]


def live(recorded: Json) -> Iterator[list[Json]]:
    """What each audience sees after every step."""
    for audience in recorded["audiences"]:
        yield [moment(recorded, audience["seat"], step["view"]) for step in audience["steps"]]


def replayed(recorded: Json) -> Iterator[Json]:
    """The game with all hands open, seen from the first seat, at steps from its beginning to its end."""
    players = [each["steps"] for each in recorded["audiences"] if each["seat"] is not None]
    last = len(players[0]) - 1
    for at in sorted({round(last * part / (MOST - 1)) for part in range(MOST)}):
        views = [steps[at]["view"] for steps in players]
        yield moment(recorded, 0, views[0]) | {"others": views}


def moment(recorded: Json, seat: int | None, view: Json) -> Json:
    """A view with what else a page knows; what a round came to is put aside, to see the table."""
    aside = {"settlementHidden": view["table"].get("round")}
    return {"config": recorded["config"], "seat": seat, "view": view, "local": aside}


def most(some: list[Json], much: Callable[[Json], int]) -> list[Json]:
    """Those with the most of something, in descending order."""
    return sorted(some, key=much, reverse=True)[:MOST]


def is_over(seen: Json) -> bool:
    """Whether a round or the game has ended."""
    return str(seen["view"]["table"]["phase"]).endswith(("_END", "_OVER"))
