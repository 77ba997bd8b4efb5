"""Thirteen scattered tiles (十三烂) and its seven-star form (七星十三烂), with wilds (WINNING.md 7).

Fourteen different kinds, any two ranks of a suit three or more apart; the seven-star form has all
seven honours. A suit holds three such ranks at most, so both have seven suit tiles or more.
"""

from collections.abc import Sequence
from itertools import combinations

from parlor.rules.jinxian.tiles import HONOURS, RANKS, SUITS

HONOUR_KINDS = len(HONOURS)
SUIT_TILES = 7
"""Suit tiles of the seven-star form, and the fewest of the other."""
GAP = 3

_BITS = tuple(1 << rank for rank in range(RANKS))

NEVER = -9
"""Stands for a suit with tiles too close to each other."""


def is_scattered(plain: Sequence[int]) -> bool:
    """Whether the tiles, filled up with wilds to 14, are shisanlan.

    All plain tiles must be different and apart, and the wilds must find room: the missing honours,
    and as many ranks as still fit into the suits.
    """
    return max(plain) == 1 and _room(plain) >= SUIT_TILES


def is_seven_stars(plain: Sequence[int]) -> bool:
    """Whether the tiles, filled up with wilds of any kind to 14, are qixing shisanlan."""
    return is_scattered(plain) and sum(plain[: HONOURS.start]) <= SUIT_TILES


def is_real_seven_stars(plain: Sequence[int], wilds: Sequence[int]) -> bool:
    """Whether they are qixing shisanlan with seven real honours, wilds standing for suit tiles.

    A jing that is an honour may be one of the seven at its own face.
    """
    faces = list(plain)
    for kind in wilds:
        if kind in HONOURS and not faces[kind]:
            faces[kind] = 1
    return sum(faces[HONOURS.start :]) == HONOUR_KINDS and is_scattered(faces)


def most_scattered(plain: Sequence[int]) -> int:
    """The most tiles of a hand that can stay on the way to shisanlan.

    Suits without room for a third rank leave too few for fourteen kinds if all three are so.
    """
    honours = sum(count > 0 for count in plain[HONOURS.start :])
    masks = [mask(plain, suit) for suit in SUITS]
    loss = min(_KEPT[ranks] - _KEPT_WITH_ROOM[ranks] for ranks in masks)
    return honours + sum(_KEPT[ranks] for ranks in masks) - loss


def _room(plain: Sequence[int]) -> int:
    """How many suit tiles there can be once the wilds have joined."""
    return sum(ROOM[mask(plain, suit)] for suit in SUITS)


def mask(plain: Sequence[int], suit: range) -> int:
    """The ranks of a suit that are there, one bit each."""
    ranks = 0
    for bit, count in zip(_BITS, plain[suit.start : suit.stop], strict=True):
        if count:
            ranks |= bit
    return ranks


def _apart(ranks: Sequence[int]) -> bool:
    return all(high - low >= GAP for low, high in combinations(sorted(ranks), 2))


APART = tuple(
    sum(1 << rank for rank in ranks)
    for size in range(4)
    for ranks in combinations(range(RANKS), size)
    if _apart(ranks)
)
"""Every set of ranks of one suit that may stand in such a hand, one bit a rank."""


def _most(ranks: int) -> int:
    """Most ranks that a suit with these can have."""
    return max((more.bit_count() for more in APART if more & ranks == ranks), default=NEVER)


ROOM = tuple(_most(ranks) for ranks in range(1 << RANKS))
"""Most ranks that a suit can have, by the ranks it has."""

MOST_ROOM = 3


def _kept(ranks: int, room: int) -> int:
    """Most of the ranks that can stay in a suit that has `room` in the end."""
    return max(some.bit_count() for some in APART if some & ranks == some and ROOM[some] >= room)


_KEPT = tuple(_kept(ranks, MOST_ROOM - 1) for ranks in range(1 << RANKS))
_KEPT_WITH_ROOM = tuple(_kept(ranks, MOST_ROOM) for ranks in range(1 << RANKS))
