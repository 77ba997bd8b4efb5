"""How a seat of Plane Battle is best played, from its own view alone: a bot's policy and an engine's
advice, by counting the fleets that could still stand on the other board.

Those that would have answered every shot so far as the board did are equally likely, and how many of
them have a plane on a cell is the chance of a hit there. Where every cell of a plane must be hit, the
likeliest hit is shot at. Where its head is enough, what a shot tells counts as well.
"""

import math
from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from parlor.rules.game import Seat
from parlor.rules.planes.actions import Action, Attack
from parlor.rules.planes.board import SIZE, cell, parts
from parlor.rules.planes.config import DestroyRule
from parlor.rules.planes.fleet_counts import Counts, count_all, count_fitting
from parlor.rules.planes.fleets import FLEETS, Fleet, nth_fleet
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.table import opponent
from parlor.rules.planes.view import Question, View

_DRAWN: Final = 4
"""Of so many random fleets the one that lies where fewest do is placed."""

_HEAD_WORTH: Final = 2.0
"""What bringing a plane down is worth beside what a shot tells, in bits."""


Item = TypeVar("Item")


class Taste(Protocol):
    """What varies a decision that is a matter of taste; a `random.Random` is one."""

    def choice(self, seq: Sequence[Item]) -> Item:
        """One of the items."""

    def randrange(self, start: int) -> int:
        """A number from 0 up to below `start`."""

    def sample(self, population: Sequence[Item], k: int) -> list[Item]:
        """`k` of the items, in any order."""


def decide(seen: View, taste: Taste) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    `taste` places the fleet and chooses among equals: the same view and taste give the same answer.
    """
    if seen.prompt is None or seen.seat is None:
        return None
    decision = seen.prompt.decision
    match seen.prompt.question:
        case Question.PLACE:
            return placing_of(_hidden_fleet(taste), decision)
        case Question.ATTACK:
            x, y = divmod(_target(seen, Seat(seen.seat), taste), SIZE)
            return Attack(decision=decision, x=x, y=y)


def _hidden_fleet(taste: Taste) -> Fleet:
    """A random fleet that is no formation and lies where few fleets do.

    Three planes in one direction are what people try first and see through soonest. Of the others a
    few are drawn, so that nobody can rely on which cells are favoured.
    """
    drawn: list[Fleet] = []
    while len(drawn) < _DRAWN:
        fleet = nth_fleet(taste.randrange(FLEETS))
        if len({plane.direction for plane in fleet}) > 1:
            drawn.append(fleet)
    best = min(drawn, key=_exposure)
    return tuple(taste.sample(best, len(best)))


def _exposure(fleet: Fleet) -> int:
    """How many fleets have a plane on this fleet's cells, all cells taken together."""
    usual = count_all().covered
    return sum(usual[cell(x, y)] for plane in fleet for _, x, y in parts(plane))


def _target(seen: View, seat: Seat, taste: Taste) -> int:
    """The cell to shoot at."""
    board = seen.table.boards[opponent(seat)]
    rule = seen.config.destroy_rule
    counts = count_fitting(board, rule)
    worth = _worth_by_head if rule is DestroyRule.HEAD_KILL else _worth_by_cells
    values = {cell(x, y): worth(counts, cell(x, y)) for x, y in open_cells(board)}
    best = max(values.values())
    return taste.choice([place for place, value in values.items() if value == best])


def _worth_by_cells(counts: Counts, place: int) -> float:
    """The chance of a hit."""
    return counts.covered[place] / counts.fleets


def _worth_by_head(counts: Counts, place: int) -> float:
    """The chance of a head, and the bits that the answer is expected to give."""
    heads = counts.heads[place] / counts.fleets
    covered = counts.covered[place] / counts.fleets
    told = sum(p * math.log2(1 / p) for p in (1 - covered, covered - heads, heads) if p > 0)
    return _HEAD_WORTH * heads + told
