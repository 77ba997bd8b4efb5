"""How a bot plays Plane Battle: by counting the fleets that could still stand on the other board.

There are 11,968 fleets. Those that would have answered every shot so far as the board did are equally
likely, and how many of them have a plane on a cell is the chance of a hit there. Where every cell of
a plane must be hit, the likeliest hit is shot at. Where its head is enough, what a shot tells counts
as well. The count is exact: most placements of a plane are ruled out by a few shots, and what is left
is gone through in milliseconds.
"""

import math
import random
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from parlor.rules.game import Seat
from parlor.rules.planes.actions import Action, Attack
from parlor.rules.planes.board import CELLS, SIZE, Plane, cell, cell_set, cells, head
from parlor.rules.planes.config import DestroyRule
from parlor.rules.planes.fleets import FLEETS, Fleet, nth_fleet, placements, triples
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.table import Board, ShotResult, opponent
from parlor.rules.planes.view import Question, View

_DRAWN: Final = 4
"""Of so many random fleets the one that lies where fewest do is placed."""

_HEAD_WORTH: Final = 2.0
"""What bringing a plane down is worth beside what a shot tells, in bits."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a board has answered, as sets of cells."""

    missed: int
    hit: int
    """Hits that brought nothing down."""
    destroyed: int
    """Shots that brought a plane down."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many of the fleets that fit have a plane, and a head, on each cell."""

    fleets: int
    covered: tuple[int, ...]
    heads: tuple[int, ...]


def decide(seen: View, chance: random.Random) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    `chance` places the fleet and chooses among equals: the same view and seed give the same answer.
    """
    if seen.prompt is None or seen.seat is None:
        return None
    decision = seen.prompt.decision
    match seen.prompt.question:
        case Question.PLACE:
            return placing_of(_hidden_fleet(chance), decision)
        case Question.ATTACK:
            x, y = divmod(_target(seen, Seat(seen.seat), chance), SIZE)
            return Attack(decision=decision, x=x, y=y)


def _hidden_fleet(chance: random.Random) -> Fleet:
    """A random fleet that is no formation and lies where few fleets do.

    Three planes in one direction are what people try first and see through soonest. Of the others a
    few are drawn, so that nobody can rely on which cells are favoured.
    """
    drawn: list[Fleet] = []
    while len(drawn) < _DRAWN:
        fleet = nth_fleet(chance.randrange(FLEETS))
        if len({plane.direction for plane in fleet}) > 1:
            drawn.append(fleet)
    best = min(drawn, key=_exposure)
    return tuple(chance.sample(best, len(best)))


def _exposure(fleet: Fleet) -> int:
    """How often other fleets have a plane on this fleet's cells."""
    usual = _count(_any_placement(), 0).covered
    return sum(usual[place] for plane in fleet for place in _members(cells(plane)))


def _target(seen: View, seat: Seat, chance: random.Random) -> int:
    """The cell to shoot at."""
    board = seen.table.boards[opponent(seat)]
    rule = seen.config.destroy_rule
    known = _known(board)
    counts = _count(_possible(known, board, rule), known.hit | known.destroyed)
    worth = _worth_by_head if rule is DestroyRule.HEAD_KILL else _worth_by_cells
    values = {cell(x, y): worth(counts, cell(x, y)) for x, y in open_cells(board)}
    best = max(values.values())
    return chance.choice([place for place, value in values.items() if value == best])


def _worth_by_cells(counts: _Counts, place: int) -> float:
    """The chance of a hit."""
    return counts.covered[place] / counts.fleets


def _worth_by_head(counts: _Counts, place: int) -> float:
    """The chance of a head, and the bits that the answer is expected to give."""
    heads = counts.heads[place] / counts.fleets
    covered = counts.covered[place] / counts.fleets
    told = sum(p * math.log2(1 / p) for p in (1 - covered, covered - heads, heads) if p > 0)
    return _HEAD_WORTH * heads + told


def _known(board: Board) -> _Known:
    by_result = {
        result: cell_set(cell(s.x, s.y) for s in board.shots if s.result is result)
        for result in ShotResult
    }
    return _Known(
        by_result[ShotResult.MISS], by_result[ShotResult.HIT], by_result[ShotResult.DESTROY]
    )


def _possible(known: _Known, board: Board, rule: DestroyRule) -> int:
    """The placements that no answer rules out, as bits."""
    fits = _fits_by_head if rule is DestroyRule.HEAD_KILL else _fits_by_cells
    named = _named(board)
    return sum(
        1 << number
        for number, plane in enumerate(placements())
        if not cells(plane) & known.missed
        and fits(plane, known, named)
        and all(plane == other or not cells(plane) & cells(other) for other in named)
    )


def _named(board: Board) -> list[Plane]:
    """The fallen planes whose place is known."""
    return [
        Plane(x=x, y=y, direction=direction)
        for x, y, direction in board.revealed
        if direction is not None
    ]


def _fits_by_cells(plane: Plane, known: _Known, named: list[Plane]) -> bool:
    """A plane with nothing left to hit has fallen, and then it was named."""
    return plane in named or bool(cells(plane) & ~(known.hit | known.destroyed))


def _fits_by_head(plane: Plane, known: _Known, named: list[Plane]) -> bool:
    """A hit that brought nothing down was no head, and one that did was nothing else."""
    nose = 1 << head(plane)
    return not nose & known.hit and not cells(plane) & known.destroyed & ~nose


def _any_placement() -> int:
    return (1 << len(placements())) - 1


@cache
def _covers() -> tuple[int, ...]:
    """By placement, its cells."""
    return tuple(cells(plane) for plane in placements())


@lru_cache(maxsize=16)
def _count(possible: int, met: int) -> _Counts:
    """The fleets of possible placements that cover all of `met`, the cells where shots met a plane.

    Kept for a moment, because every first shot asks the same.
    """
    covers = _covers()
    having = [0] * len(covers)
    fleets = 0
    for one, other, third in triples(possible):
        if not met & ~(covers[one] | covers[other] | covers[third]):
            having[one] += 1
            having[other] += 1
            having[third] += 1
            fleets += 1
    covered, heads = [0] * CELLS, [0] * CELLS
    for plane, cover, number in zip(placements(), covers, having, strict=True):
        if number:
            heads[head(plane)] += number
            for place in _members(cover):
                covered[place] += number
    return _Counts(fleets, tuple(covered), tuple(heads))


def _members(found: int) -> list[int]:
    """The cells of a set."""
    return [place for place in range(CELLS) if found >> place & 1]
