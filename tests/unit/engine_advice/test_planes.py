"""The questions about Plane Battle, against the worked examples of the rule book."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from parlor.rules.planes import PLANES
from parlor.rules.planes.board import Direction, Plane
from parlor.rules.planes.config import DestroyRule
from parlor.rules.planes.fleets import FLEETS, fleets
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.policy import decide
from parlor.v1 import planes_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.planes_rules_service_pb2 import PlanesPart
from parlor.wire.planes import PLANES as WIRE
from tests.unit.engine_advice.questions import ask, refused, views

EXAMPLES = json.loads(Path("tests/conformance/planes-examples.json").read_text())


def proposal(plane: Any) -> pb.PlanesProposal:
    """The plane of an example, as far as a message can say it."""
    if not isinstance(plane, dict):
        return pb.PlanesProposal()
    numbers = {name: plane[name] for name in "xy" if isinstance(plane.get(name), int)}
    name = f"PLANES_DIRECTION_{str(plane.get('direction')).upper()}"
    known = pb.PlanesDirection.keys()
    unknown = pb.PLANES_DIRECTION_UNSPECIFIED
    direction = pb.PlanesDirection.Value(name) if name in known else unknown
    return pb.PlanesProposal(**numbers, direction=direction)


def planes(example: dict[str, Any]) -> list[pb.PlanesProposal]:
    given = example["planes"]
    return [proposal(plane) for plane in given] if isinstance(given, list) else []


@pytest.mark.parametrize("example", EXAMPLES["placements"], ids=lambda example: example["id"])
def test_fleets_are_judged_as_in_the_rule_book(example: dict[str, Any]) -> None:
    error, blamed = example.get("error"), example.get("index", [])
    if error in ("BAD_COUNT", "BAD_PLANE"):
        field = "".join(("planes", *(f"[{place}]" for place in blamed)))
        assert refused("planes", "Validate", planes=planes(example)) == (error, field)
        return
    answer = ask("planes", "Validate", planes=planes(example))
    name = ErrorReason.Name(answer.reason)
    assert name == f"ERROR_REASON_{error or 'UNSPECIFIED'}"
    assert (list(answer.blamed), len(answer.placements)) == (blamed, 0 if error else 3)


@pytest.mark.parametrize("example", EXAMPLES["geometry"], ids=lambda example: example["id"])
def test_the_cells_of_a_plane(example: dict[str, Any]) -> None:
    plane = Plane(
        x=example["plane"]["x"],
        y=example["plane"]["y"],
        direction=Direction(example["plane"]["direction"].upper()),
    )
    fleet = next(fleet for fleet in fleets() if plane in fleet)
    proposals = WIRE.action_to(placing_of(fleet, 1)).place.planes
    answer = ask("planes", "Validate", planes=proposals)
    placement = answer.placements[fleet.index(plane)]
    cells: dict[int, list[list[int]]] = {}
    for cell in placement.cells:
        cells.setdefault(cell.part, []).append([cell.x, cell.y])
    assert cells == {
        PlanesPart.PLANES_PART_HEAD: [example["head"]],
        PlanesPart.PLANES_PART_WING: example["wings"],
        PlanesPart.PLANES_PART_BODY: example["body"],
        PlanesPart.PLANES_PART_TAIL: example["tail"],
    }


def game(**options: Any) -> list[Any]:
    return list(views(PLANES, decide, seed=6, **options))


@pytest.mark.parametrize("rule", list(DestroyRule), ids=lambda rule: rule.name)
def test_every_view_of_a_game_is_understood(rule: DestroyRule) -> None:
    for number, view in enumerate(game(destroy_rule=rule)):
        message = WIRE.view_to(view)
        answer = ask("planes", "Advise", view=message, seed=number)
        assert answer == ask("planes", "Advise", view=message, seed=number)
        assert answer.decision == view.prompt.decision
        if answer.action.HasField("place"):
            placed = ask("planes", "Validate", planes=answer.action.place.planes)
            assert len(placed.placements) == 3
        else:
            listed = ask("planes", "ListActions", view=message)
            assert answer.action in listed.actions
            assert listed.actions[-1].HasField("surrender")


def test_layouts_go_down_to_the_fleet_that_stands_there() -> None:
    seen = [WIRE.view_to(view) for view in game() if view.seat == 0]
    counts = [ask("planes", "CountLayouts", view=view) for view in seen]
    assert counts[0].layouts == FLEETS
    assert (len(counts[0].covered), len(counts[0].heads)) == (100, 100)
    for before, after in itertools.pairwise(counts):
        assert before.layouts >= after.layouts >= 1
    for found in counts:
        assert sum(found.covered) == pytest.approx(33)
        assert sum(found.heads) == pytest.approx(3)
        assert all(0 <= share <= 1 for share in found.covered)


def test_a_spectator_names_the_board() -> None:
    view = WIRE.view_to(game()[-1])
    for field in ("seat", "prompt"):
        view.ClearField(field)
    assert refused("planes", "CountLayouts", view=view) == ("MALFORMED", "owner")
    assert ask("planes", "CountLayouts", view=view, owner=1).layouts >= 1
    assert refused("planes", "CountLayouts", view=view, owner=2) == ("MALFORMED", "owner")


def test_fleets_to_place_come_page_by_page_and_each_once() -> None:
    view = WIRE.view_to(game()[0])
    token, seen, pages = "", set(), 0
    while True:
        page = ask("planes", "ListActions", view=view, page_size=999, page_token=token)
        seen |= {action.SerializeToString() for action in page.actions}
        pages, token = pages + 1, page.next_page_token
        if not token:
            break
    assert (len(seen), pages) == (FLEETS + 1, 12)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"page_size": 1001}, "page_size"),
        ({"page_size": -1}, "page_size"),
        ({"page_token": "x"}, "page_token"),
        ({"page_token": "²"}, "page_token"),
        ({"page_token": "20000"}, "page_token"),
    ],
)
def test_a_page_that_there_is_not_is_refused(fields: dict[str, Any], field: str) -> None:
    view = WIRE.view_to(game()[0])
    assert refused("planes", "ListActions", view=view, **fields) == ("MALFORMED", field)


def _board(view: pb.PlanesView) -> Any:
    return view.table.boards[1 - view.seat]


def _everywhere(view: pb.PlanesView) -> None:
    """All cells shot at without a hit."""
    del _board(view).shots[:]
    for cell in range(100):
        _board(view).shots.add(x=cell // 10, y=cell % 10, result=pb.PLANES_SHOT_RESULT_MISS)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda v: v.ClearField("seat"), "view.prompt"),
        (lambda v: setattr(_board(v).shots[0], "x", 10), "view.table.boards[1].shots[0]"),
        (lambda v: _board(v).shots.append(_board(v).shots[0]), "view.table.boards[1].shots[5]"),
        (lambda v: setattr(_board(v).shots[0], "result", 0), "view.table.boards.shots.result"),
        (lambda v: _board(v).revealed.add(x=0, y=0), "view.table.boards[1].revealed"),
        (lambda v: v.table.boards.pop(), "view.table.boards"),
        (lambda v: setattr(v.fleets[0].planes[0], "x", 12), "view.fleets[0].planes[0]"),
        (_everywhere, "view.table.boards[1].shots"),
        (lambda v: v.ClearField("table"), "view.table.boards"),
        (lambda v: setattr(v.prompt, "question", 0), "view.prompt.question"),
    ],
)
def test_a_view_that_nobody_received_is_refused(change: Any, field: str) -> None:
    shown = [view for view in game() if view.seat == 0][6]
    view = WIRE.view_to(shown)
    change(view)
    assert refused("planes", "Advise", view=view) == ("MALFORMED", field)


def test_answers_that_no_fleet_gives_are_refused() -> None:
    view = WIRE.view_to([view for view in game() if view.seat == 0][1])
    del _board(view).shots[:]
    for x, y in ((0, 0), (0, 9), (9, 0), (9, 9)):
        _board(view).shots.add(x=x, y=y, result=pb.PLANES_SHOT_RESULT_HIT)
    for method in ("Advise", "CountLayouts"):
        assert refused("planes", method, view=view) == ("MALFORMED", "view.table.boards[1]")
