"""The board and the shape of a plane (RULES.md 1).

A cell is `x * 10 + y`: row `x` from the top, column `y` from the left. A set of cells is an int
whose bit `cell` says whether the cell belongs to it.
"""

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

SIZE = 10
CELLS = SIZE * SIZE
PLANE_CELLS = 11


class Direction(enum.Enum):
    """Where a plane's nose points."""

    UP = "UP"
    """To row 0."""
    DOWN = "DOWN"
    LEFT = "LEFT"
    """To column 0."""
    RIGHT = "RIGHT"


class Part(enum.Enum):
    """What a cell of a plane is."""

    HEAD = "HEAD"
    WING = "WING"
    BODY = "BODY"
    TAIL = "TAIL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """One plane, named by its head and its direction; its other cells follow."""

    x: int
    y: int
    direction: Direction


_NOSE_UP: tuple[tuple[Part, tuple[tuple[int, int], ...]], ...] = (
    (Part.HEAD, ((0, 0),)),
    (Part.WING, ((1, -2), (1, -1), (1, 0), (1, 1), (1, 2))),
    (Part.BODY, ((2, 0), (3, 0))),
    (Part.TAIL, ((4, -1), (4, 0), (4, 1))),
)
"""Offsets of rows and columns from the head, by part."""


def parts(plane: Plane) -> Iterator[tuple[Part, int, int]]:
    """Each cell of the plane as part, row and column, the head first; some may be off the board."""
    for part, offsets in _NOSE_UP:
        for back, across in offsets:
            dx, dy = _turned(plane.direction, back, across)
            yield part, plane.x + dx, plane.y + dy


def is_on_board(x: int, y: int) -> bool:
    """Whether the board has this row and column."""
    return 0 <= x < SIZE and 0 <= y < SIZE


def fits(plane: Plane) -> bool:
    """Whether every cell of the plane is on the board."""
    return all(is_on_board(x, y) for _, x, y in parts(plane))


def cell(x: int, y: int) -> int:
    """The cell in row `x` and column `y`."""
    return x * SIZE + y


@cache
def cells(plane: Plane) -> int:
    """The eleven cells of a plane that fits, as a set."""
    return cell_set(cell(x, y) for _, x, y in parts(plane))


def cell_set(members: Iterable[int]) -> int:
    """The cells as a set."""
    found = 0
    for member in members:
        found |= 1 << member
    return found


def head(plane: Plane) -> int:
    """The cell of the plane's head."""
    return cell(plane.x, plane.y)


def _turned(direction: Direction, back: int, across: int) -> tuple[int, int]:
    """The offset of a plane with its nose up, as it is in another direction.

    >>> _turned(Direction.RIGHT, 4, -1)
    (-1, -4)
    """
    match direction:
        case Direction.UP:
            return back, across
        case Direction.DOWN:
            return -back, across
        case Direction.LEFT:
            return across, back
        case Direction.RIGHT:
            return across, -back
