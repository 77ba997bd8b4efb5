"""The board, the plane and all fleets (RULES.md 1, 2.1 and 10)."""

from collections import Counter
from itertools import combinations

import pytest

from parlor.rules.planes.board import (
    CELLS,
    PLANE_CELLS,
    SIZE,
    Direction,
    Part,
    Plane,
    cells,
    fits,
    parts,
)
from parlor.rules.planes.fleets import FLEETS, fleets, nth_fleet, pairs, placements
from tests.unit.rules_planes.table import planes


@pytest.mark.parametrize(
    ("plane", "head", "wings", "body", "tail"),
    [
        pytest.param("U02", "02", "10 11 12 13 14", "22 32", "41 42 43", id="1.2 nose up"),
        pytest.param("D92", "92", "80 81 82 83 84", "72 62", "51 52 53", id="1.2 nose down"),
        pytest.param("L20", "20", "01 11 21 31 41", "22 23", "14 24 34", id="1.2 nose left"),
        pytest.param("R29", "29", "08 18 28 38 48", "27 26", "15 25 35", id="1.2 nose right"),
    ],
)
def test_the_parts_of_a_plane_follow_from_head_and_direction(
    plane: str, head: str, wings: str, body: str, tail: str
) -> None:
    wanted = {Part.HEAD: head, Part.WING: wings, Part.BODY: body, Part.TAIL: tail}
    found: dict[Part, set[str]] = {part: set() for part in Part}
    for part, x, y in parts(planes(plane)[0]):
        found[part].add(f"{x}{y}")
    assert found == {part: set(text.split()) for part, text in wanted.items()}


@pytest.mark.parametrize(
    ("direction", "rows", "columns"),
    [
        pytest.param(Direction.UP, range(6), range(2, 8), id="1.3 up"),
        pytest.param(Direction.DOWN, range(4, 10), range(2, 8), id="1.3 down"),
        pytest.param(Direction.LEFT, range(2, 8), range(6), id="1.3 left"),
        pytest.param(Direction.RIGHT, range(2, 8), range(4, 10), id="1.3 right"),
    ],
)
def test_a_head_has_36_places_per_direction(
    direction: Direction, rows: range, columns: range
) -> None:
    found = {
        (x, y)
        for x in range(-1, SIZE + 1)
        for y in range(-1, SIZE + 1)
        if fits(Plane(x=x, y=y, direction=direction))
    }
    assert found == {(x, y) for x in rows for y in columns}


def test_144_placements_have_different_cells() -> None:
    found = [cells(plane) for plane in placements()]
    assert len(found) == len(set(found)) == 144
    assert all(covered.bit_count() == PLANE_CELLS for covered in found)


def test_3172_pairs_share_no_cell() -> None:
    found = [cells(plane) for plane in placements()]
    wanted = [
        (one, other) for one, other in combinations(range(144), 2) if not found[one] & found[other]
    ]
    assert list(pairs()) == wanted
    assert len(wanted) == 3_172


def test_11968_fleets_by_trying_every_three_placements() -> None:
    found = [cells(plane) for plane in placements()]
    partners = [{o for o in range(144) if not found[one] & found[o]} for one in range(144)]
    wanted = [
        (one, two, three)
        for one, two in combinations(range(144), 2)
        if two in partners[one]
        for three in range(two + 1, 144)
        if three in partners[one] and three in partners[two]
    ]
    numbers = {plane: number for number, plane in enumerate(placements())}
    assert [tuple(numbers[plane] for plane in fleet) for fleet in fleets()] == wanted
    assert len(wanted) == FLEETS == 11_968
    fours = sum(
        len([four for four in partners[one] & partners[two] & partners[three] if four > three])
        for one, two, three in wanted
    )
    assert fours == 6_012


def test_every_fleet_covers_33_cells_that_no_other_covers() -> None:
    covered = [cells(one) | cells(two) | cells(three) for one, two, three in fleets()]
    assert len(set(covered)) == FLEETS
    assert {cover.bit_count() for cover in covered} == {33}
    never = [place for place in range(CELLS) if not any(cover >> place & 1 for cover in covered)]
    assert never == [0, 9, 90, 99], "the corners"


def test_fleets_by_directions_and_by_placement() -> None:
    by_directions = Counter(
        "".join(sorted(plane.direction.value[0] for plane in fleet)) for fleet in fleets()
    )
    sizes = {"DDD": 152, "DDU": 792, "DDL": 457, "DLU": 1_134, "DLR": 1_134, "LRR": 792}
    assert {name: by_directions[name] for name in sizes} == sizes
    assert sorted(by_directions.values()) == [152] * 4 + [457] * 8 + [792] * 4 + [1_134] * 4
    having = Counter(plane for fleet in fleets() for plane in fleet)
    assert (len(having), min(having.values()), max(having.values())) == (144, 16, 729)


def test_a_fleet_is_found_by_its_number() -> None:
    every = list(fleets())
    assert [nth_fleet(number) for number in range(0, FLEETS, 101)] == every[::101]
    assert nth_fleet(FLEETS - 1) == every[-1]
    with pytest.raises(ValueError, match="11968"):
        nth_fleet(FLEETS)
