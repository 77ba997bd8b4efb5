"""How many fleets of Plane Battle would have answered every shot so far as a board did.

Exact, and quick enough that nothing has to be sampled: answers rule out most of the 144 placements of
a plane, the rest are sets of bits, and the last plane of a fleet is counted and not tried. A set of
placements is an int whose bit `n` stands for the n-th of `placements()`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from parlor.rules.planes.board import CELLS, Plane, cell, cell_set, cells, head
from parlor.rules.planes.config import DestroyRule
from parlor.rules.planes.fleets import FLEET_PLANES, placements
from parlor.rules.planes.table import Board, ShotResult


@dataclass(frozen=True, slots=True)
class Counts:
    """How many fleets there are, and how many have a plane, or a head, on each cell."""

    fleets: int
    covered: tuple[int, ...]
    heads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What a board has answered, as sets of cells."""

    missed: int
    hit: int
    """Hits that brought nothing down."""
    destroyed: int
    """Shots that brought a plane down."""
    named: tuple[Plane, ...]
    """The fallen planes whose place is known."""


def count_fitting(board: Board, rule: DestroyRule) -> Counts:
    """The fleets that would have given every answer that `board` has given."""
    known = _known(board)
    fits = _fits_by_head if rule is DestroyRule.HEAD_KILL else _fits_by_cells
    possible = sum(
        1 << number
        for number, plane in enumerate(placements())
        if not cells(plane) & known.missed and _is_apart(plane, known) and fits(plane, known)
    )
    return _counts(possible, known.hit | known.destroyed)


@cache
def count_all() -> Counts:
    """All fleets."""
    return _counts((1 << len(placements())) - 1, 0)


def _known(board: Board) -> _Known:
    missed, hit, destroyed = (
        cell_set(cell(shot.x, shot.y) for shot in board.shots if shot.result is result)
        for result in (ShotResult.MISS, ShotResult.HIT, ShotResult.DESTROY)
    )
    named = tuple(
        Plane(x=seen.x, y=seen.y, direction=seen.direction)
        for seen in board.revealed
        if seen.direction is not None
    )
    return _Known(missed, hit, destroyed, named)


def _is_apart(plane: Plane, known: _Known) -> bool:
    """Whether no known plane is in its way, itself apart."""
    return all(plane == other or not cells(plane) & cells(other) for other in known.named)


def _fits_by_cells(plane: Plane, known: _Known) -> bool:
    """A plane with nothing left to hit has fallen, and then its place is known."""
    return plane in known.named or bool(cells(plane) & ~(known.hit | known.destroyed))


def _fits_by_head(plane: Plane, known: _Known) -> bool:
    """A hit that brought nothing down was no head, and one that did was nothing else."""
    nose = 1 << head(plane)
    return not nose & known.hit and not cells(plane) & known.destroyed & ~nose


def _counts(possible: int, met: int) -> Counts:
    """The fleets of possible placements that cover all of `met`."""
    having = [0] * len(placements())
    fleets = _count(FLEET_PLANES, possible, met, having)
    covered, heads = [0] * CELLS, [0] * CELLS
    for plane, number in zip(placements(), having, strict=True):
        if number:
            heads[head(plane)] += number
            for place in _members(cells(plane)):
                covered[place] += number
    return Counts(fleets, tuple(covered), tuple(heads))


def _count(planes: int, possible: int, met: int, having: list[int]) -> int:
    """How many sets of `planes` placements that are possible, share no cell and cover `met` there are.

    Adds to `having` in how many of them each placement is.
    """
    if planes == 1:
        return _count_last(possible, met, having)
    if met:
        return _count_covering(planes, possible, met, having)
    partners, total = _partners(), 0
    if planes == 2:
        for number in _members(possible):
            ways = (possible & partners[number]).bit_count()
            having[number] += ways
            total += ways
        return total // 2
    for number in _members(possible):
        # Only later placements, so that each set is counted once.
        possible ^= 1 << number
        ways = _count(planes - 1, possible & partners[number], 0, having)
        having[number] += ways
        total += ways
    return total


def _count_covering(planes: int, possible: int, met: int, having: list[int]) -> int:
    """As `_count` where a shot met a plane: exactly one placement covers the first such cell."""
    place = (met & -met).bit_length() - 1
    total = 0
    for number in _members(possible & _covering()[place]):
        rest = met & ~cells(placements()[number])
        ways = _count(planes - 1, possible & _partners()[number], rest, having)
        having[number] += ways
        total += ways
    return total


def _count_last(possible: int, met: int, having: list[int]) -> int:
    for place in _members(met):
        possible &= _covering()[place]
    for number in _members(possible):
        having[number] += 1
    return possible.bit_count()


@cache
def _covering() -> tuple[int, ...]:
    """By cell, the placements that cover it."""
    return tuple(
        sum(1 << number for number, plane in enumerate(placements()) if cells(plane) >> place & 1)
        for place in range(CELLS)
    )


@cache
def _partners() -> tuple[int, ...]:
    """By placement, those that share no cell with it."""
    everything, found = (1 << len(placements())) - 1, []
    for plane in placements():
        touched = 0
        for place in _members(cells(plane)):
            touched |= _covering()[place]
        found.append(everything & ~touched)
    return tuple(found)


def _members(bits: int) -> Iterator[int]:
    """The members of a set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
