"""What a seat may do, from its view alone: the same list for the engine, a bot and a browser."""

from collections.abc import Iterator
from functools import cache

from parlor.rules.game import Seat
from parlor.rules.planes.actions import Action, Attack, Place, Proposal, Surrender
from parlor.rules.planes.board import CELLS, SIZE, Plane
from parlor.rules.planes.fleets import Fleet, placements, triples
from parlor.rules.planes.table import Board, Phase, opponent
from parlor.rules.planes.view import Question, View


def legal_actions(seen: View) -> Iterator[Action]:
    """Lazily, every action that the view's seat may take, answers to the table first.

    The order of the planes gives them their numbers and changes nothing else, so each fleet is
    listed once: 11,968 of them.
    """
    seat = seen.seat
    if seat is None or seen.table.phase is Phase.OVER:
        return
    if seen.prompt is not None:
        yield from _answers(seen, seen.prompt.question, seen.prompt.decision, seat)
    if seen.may_surrender:
        yield Surrender()


def placing_of(fleet: Fleet, decision: int) -> Place:
    """The action that places the fleet."""
    return Place(decision=decision, planes=tuple(_proposal(plane) for plane in fleet))


def open_cells(board: Board) -> Iterator[tuple[int, int]]:
    """Row and column of every cell that has not been shot at."""
    attacked = board.attacked()
    return (divmod(cell, SIZE) for cell in range(CELLS) if not attacked >> cell & 1)


@cache
def _proposals() -> tuple[Proposal, ...]:
    """The placements as a seat asks for them."""
    return tuple(_proposal(plane) for plane in placements())


def _proposal(plane: Plane) -> Proposal:
    return Proposal(x=plane.x, y=plane.y, direction=plane.direction)


def _fleets(decision: int) -> Iterator[Place]:
    proposals = _proposals()
    for one, other, third in triples():
        planes = (proposals[one], proposals[other], proposals[third])
        yield Place(decision=decision, planes=planes)


def _answers(seen: View, question: Question, decision: int, seat: Seat) -> Iterator[Action]:
    match question:
        case Question.PLACE:
            yield from _fleets(decision)
        case Question.ATTACK:
            for x, y in open_cells(seen.table.boards[opponent(seat)]):
                yield Attack(decision=decision, x=x, y=y)
