"""The tiles: 136 of 34 kinds, four copies each (WINNING.md 2).

A kind is `suit * 9 + rank - 1` with the suits characters (万, m), dots (筒, p) and bamboo (条, s);
27..30 are the winds East 东, South 南, West 西, North 北, and 31..33 the dragons red 中, green 发,
white 白. A tile of the wall is 0..135 and its kind a quarter of that. Copies of a kind differ in
nothing, so hands and melds hold kinds, ascending.
"""

import re
from collections.abc import Iterable, Sequence

from parlor.rules.game import Seat

KINDS = 34
COPIES = 4
TILES = KINDS * COPIES
SEATS = 4

RANKS = 9
SUITS = (range(9), range(9, 18), range(18, 27))
WINDS = range(27, 31)
DRAGONS = range(31, 34)
HONOURS = range(27, 34)

_CYCLES = (*SUITS, WINDS, DRAGONS)
_LETTERS = "mpsz"
_GROUP = re.compile(r"([1-9]+)([mpsz])")


def kind_of(tile: int) -> int:
    """The kind of a tile of the wall."""
    return tile // COPIES


def name(kind: int) -> str:
    """The code of a kind.

    >>> name(0), name(26), name(33)
    ('1m', '9s', '7z')
    """
    return f"{kind % RANKS + 1}{_LETTERS[kind // RANKS]}"


def kind(code: str) -> int:
    """The kind of a code such as `5m`; raises ValueError for anything else."""
    found = kinds(code)
    if len(found) != 1:
        raise ValueError(f"not one tile: {code!r}")
    return found[0]


def kinds(text: str) -> tuple[int, ...]:
    """The kinds of a text in notation, in the order written; raises ValueError.

    >>> kinds("123m 55z")
    (0, 1, 2, 31, 31)
    """
    found: list[int] = []
    packed = "".join(text.split())
    if _GROUP.sub("", packed):
        raise ValueError(f"not tiles: {text!r}")
    for ranks, letter in _GROUP.findall(packed):
        first = _LETTERS.index(letter) * RANKS
        found.extend(first + int(rank) - 1 for rank in ranks)
    if any(kind >= KINDS for kind in found):
        raise ValueError(f"honours are 1z..7z: {text!r}")
    return tuple(found)


def text(kinds: Iterable[int]) -> str:
    """The kinds in notation, ascending.

    >>> text([31, 2, 0, 31, 1])
    '123m55z'
    """
    ranks = [""] * len(_LETTERS)
    for kind in sorted(kinds):
        ranks[kind // RANKS] += str(kind % RANKS + 1)
    return "".join(
        digits + letter for digits, letter in zip(ranks, _LETTERS, strict=True) if digits
    )


def in_order(kinds: Iterable[int]) -> tuple[int, ...]:
    """The kinds as a hand is held, ascending."""
    return tuple(sorted(kinds))


def counts(kinds: Iterable[int]) -> list[int]:
    """How many of each kind: 34 numbers."""
    found = [0] * KINDS
    for kind in kinds:
        found[kind] += 1
    return found


def without(hand: Sequence[int], gone: Iterable[int]) -> tuple[int, ...]:
    """The hand after one tile for each of `gone` has left it; raises ValueError if one is not held."""
    left = list(hand)
    for kind in gone:
        left.remove(kind)
    return tuple(left)


def next_kind(kind: int) -> int:
    """The kind that follows in its cycle (WINNING.md 3): 9 is followed by 1 of the suit.

    >>> name(next_kind(8)), name(next_kind(30)), name(next_kind(33))
    ('1m', '1z', '5z')
    """
    cycle = next(cycle for cycle in _CYCLES if kind in cycle)
    return cycle[(kind - cycle.start + 1) % len(cycle)]


def seat_after(seat: int) -> Seat:
    """The next seat in the order of turns (下家)."""
    return Seat((seat + 1) % SEATS)


def seats_apart(first: int, second: int) -> int:
    """How many turns `second` comes after `first`, 0..3."""
    return (second - first) % SEATS
