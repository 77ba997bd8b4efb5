"""Boards as people read them: ten lines of ten characters, and the state of each own plane."""

from dataclasses import dataclass

from parlor.rules.planes.board import SIZE, Plane, cell, cells
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.table import Board, ShotResult

_MARKS = {ShotResult.MISS: "o", ShotResult.HIT: "x", ShotResult.DESTROY: "#"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What one plane has suffered; only who knows the fleet can tell."""

    hits: int
    destroyed: bool


def grid(board: Board, fleet: Fleet = ()) -> tuple[str, ...]:
    """The board, row by row.

    `.` nothing known or empty, `o` a miss, `x` a hit, `#` the hit that brought a plane down; where
    the fleet is known, a plane's number on each of its cells that were not hit.
    """
    rows = [["."] * SIZE for _ in range(SIZE)]
    for number, plane in enumerate(fleet):
        covered = cells(plane)
        for x in range(SIZE):
            for y in range(SIZE):
                if covered >> cell(x, y) & 1:
                    rows[x][y] = str(number)
    for shot in board.shots:
        rows[shot.x][shot.y] = _MARKS[shot.result]
    return tuple("".join(row) for row in rows)


def damage(board: Board, plane: Plane) -> Damage:
    """What the board's shots have done to a plane that stands on it."""
    met = [shot for shot in board.shots if cells(plane) >> cell(shot.x, shot.y) & 1]
    return Damage(hits=len(met), destroyed=any(shot.result is ShotResult.DESTROY for shot in met))
