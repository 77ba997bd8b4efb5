"""The wall (牌墙): from a shuffle and dice to the order in which tiles are drawn (RULES.md 2).

The shuffle's number `2p` lies on top of the physical stack (墩) `p`, `2p + 1` below it. The draw
order is one byte per tile, its kind: the deal and draws go up from its head, replacement tiles and
the jing count back from its tail. Both ends share one count.
"""

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.jinxian.tiles import SEATS, TILES, kind_of

Dice = tuple[int, int]

STACKS = TILES // 2
SIDE = STACKS // SEATS
"""Stacks of one side."""
NEVER_DRAWN = 34
"""Tiles of the 17 stacks that stay."""
DEALT = 53
"""Tiles of the deal, the dealer's fourteenth included."""

_BLOCK = 4
_BLOCKS = 3


def shuffled(chance: Chance, round_number: int, start: int) -> bytes:
    """The round's draw order: kinds, beginning at the physical stack `start`."""
    tiles = chance.permutation("wall", round_number, n=TILES)
    first = 2 * start
    return bytes(kind_of(tile) for tile in tiles[first:] + tiles[:first])


def roll(chance: Chance, *name: str | int) -> Dice:
    """Two dice."""
    return chance.die(*name, 0), chance.die(*name, 1)


def dealing_start(dealer: Seat, dice: Dice) -> int:
    """The physical stack that is dealt first (RULES.md 2.4).

    >>> dealing_start(Seat(1), (3, 4))
    24
    """
    total = sum(dice)
    side = (dealer + total - 1) % SEATS
    return (SIDE * ((SEATS - side) % SEATS) + total) % STACKS


def dealt_places(dealer: Seat) -> tuple[tuple[int, ...], ...]:
    """By seat, the places in the draw order that the deal gives: 13 each and 14 to the dealer."""
    places: list[tuple[int, ...]] = []
    ones = SEATS * _BLOCK * _BLOCKS
    for seat in range(SEATS):
        turn = (seat - dealer) % SEATS
        blocks = (
            range(_BLOCK * (SEATS * r + turn), _BLOCK * (SEATS * r + turn + 1))
            for r in range(_BLOCKS)
        )
        own = [place for block in blocks for place in block]
        own.append(ones + turn)
        if turn == 0:
            own.append(DEALT - 1)
        places.append(tuple(own))
    return tuple(places)


def replacement_place(drawn: int) -> int:
    """Where the replacement tile lies after `drawn` others were taken in the round."""
    return 2 * (STACKS - 1 - drawn // 2) + drawn % 2


def turned_place(dice: Dice) -> int:
    """Where the tile lies that is turned for the jing: the upper one of its stack (RULES.md 3.1).

    >>> turned_place((2, 3))
    126
    """
    return 2 * (STACKS - sum(dice))


def next_place(remaining: int, replaced: int) -> int:
    """Where the next normal draw comes from."""
    return TILES - remaining - replaced


def drawable(remaining: int) -> int:
    """How many tiles may still be drawn, from either end."""
    return remaining - NEVER_DRAWN


def undrawn(wall: bytes, remaining: int, replaced: int) -> bytes:
    """The kinds that lie in the wall, in draw order."""
    head = next_place(remaining, replaced)
    taken = {replacement_place(drawn) for drawn in range(replaced)}
    return bytes(kind for place, kind in enumerate(wall) if place >= head and place not in taken)
