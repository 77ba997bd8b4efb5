"""Fleets: three planes that share no cell, all 11,968 of them, and what is no fleet (RULES.md 2)."""

from collections.abc import Iterator, Sequence
from functools import cache

from parlor.rules.game import IllegalAction
from parlor.rules.planes.actions import Proposal
from parlor.rules.planes.board import CELLS, SIZE, Direction, Plane, cells, fits
from parlor.rules.reasons import Reason

FLEET_PLANES = 3
FLEETS = 11_968
"""How many different fleets there are, the order of the planes apart."""

Fleet = tuple[Plane, ...]
"""A seat's planes in the order in which it placed them; empty before it has, or where hidden."""


class IllegalFleet(IllegalAction):
    """Planes that form no fleet; `planes` are the indexes of those to blame, ascending."""

    def __init__(self, reason: Reason, message: str, *planes: int) -> None:
        super().__init__(reason, message)
        self.planes = planes


def fleet_of(proposals: tuple[Proposal, ...]) -> Fleet:
    """The proposals as a fleet; raises `IllegalFleet` with the first check that fails."""
    if len(proposals) != FLEET_PLANES:
        raise IllegalFleet(Reason.BAD_COUNT, f"a fleet has {FLEET_PLANES} planes")
    planes = tuple(_plane(proposal, index) for index, proposal in enumerate(proposals))
    for index, plane in enumerate(planes):
        if not fits(plane):
            raise IllegalFleet(Reason.OUT_OF_BOARD, f"plane {index} leaves the board", index)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        if cells(planes[one]) & cells(planes[other]):
            raise IllegalFleet(Reason.OVERLAP, f"planes {one} and {other} overlap", one, other)
    return planes


@cache
def placements() -> tuple[Plane, ...]:
    """Every way to place one plane, by direction, row and column of the head."""
    return tuple(
        plane
        for direction in Direction
        for x in range(SIZE)
        for y in range(SIZE)
        if fits(plane := Plane(x=x, y=y, direction=direction))
    )


def pairs() -> Iterator[tuple[int, int]]:
    """Lazily, the indexes of every two placements that share no cell, in ascending order."""
    for one, partners in enumerate(_partners()):
        for other in _indexes(partners):
            yield one, other


def triples() -> Iterator[tuple[int, int, int]]:
    """Lazily, every fleet once as the indexes of its placements, in ascending order."""
    partners = _partners()
    for one, other in pairs():
        for third in _indexes(partners[one] & partners[other]):
            yield one, other, third


def fleets() -> Iterator[Fleet]:
    """Lazily, every fleet once, in the order of `triples`."""
    planes = placements()
    for one, other, third in triples():
        yield planes[one], planes[other], planes[third]


def nth_fleet(number: int) -> Fleet:
    """The fleet that `fleets` gives at `number`, 0..11,967, found without making those before it.

    >>> nth_fleet(5_000) == list(fleets())[5_000]
    True
    """
    planes, partners = placements(), _partners()
    one, number = _within(_fleets_from(), number)
    others = tuple(_indexes(partners[one]))
    thirds = [partners[one] & partners[other] for other in others]
    place, number = _within([third.bit_count() for third in thirds], number)
    third = tuple(_indexes(thirds[place]))[number]
    return planes[one], planes[others[place]], planes[third]


@cache
def _partners() -> tuple[int, ...]:
    """By placement, the set of later placements that share no cell with it, as bits."""
    planes = placements()
    covering = [
        sum(1 << number for number, plane in enumerate(planes) if cells(plane) >> place & 1)
        for place in range(CELLS)
    ]
    found = []
    for number, plane in enumerate(planes):
        touched = 0
        for place in _indexes(cells(plane)):
            touched |= covering[place]
        later = (1 << len(planes)) - (2 << number)
        found.append(later & ~touched)
    return tuple(found)


@cache
def _fleets_from() -> tuple[int, ...]:
    """By placement, how many fleets have it as their first plane in the order of `fleets`."""
    partners = _partners()
    return tuple(
        sum((later & partners[other]).bit_count() for other in _indexes(later))
        for later in partners
    )


def _within(counts: Sequence[int], number: int) -> tuple[int, int]:
    """Which of groups of these sizes holds the element of that number, and its number there."""
    for group, count in enumerate(counts):
        if number < count:
            return group, number
        number -= count
    raise ValueError(f"there are {FLEETS} fleets")


def _plane(proposal: Proposal, index: int) -> Plane:
    x, y, direction = proposal.x, proposal.y, proposal.direction
    if x is None or y is None or direction is None:
        raise IllegalFleet(Reason.BAD_PLANE, f"plane {index} needs x, y and a direction", index)
    return Plane(x=x, y=y, direction=direction)


def _indexes(bits: int) -> Iterator[int]:
    """The indexes of the bits that are set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


# At import: the first game of an engine must not wait for it on the event loop.
_fleets_from()
