"""Melds, and what a hand can make of a tile (WINNING.md 4).

A meld takes real tiles only: a jing in it counts as its own face.
"""

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from parlor.rules.game import Seat
from parlor.rules.jinxian.tiles import COPIES, DRAGONS, SUITS, WINDS, counts, in_order


class MeldType(enum.Enum):
    """The kind of a meld."""

    CHOW = "CHOW"
    """Three consecutive ranks of a suit, or an honour chow (吃)."""
    PONG = "PONG"
    """Three alike (碰)."""
    KONG = "KONG"
    """Four alike, the fourth claimed (明杠)."""
    ADDED_KONG = "ADDED_KONG"
    """A pong to which the fourth was added (补杠)."""
    CONCEALED_KONG = "CONCEALED_KONG"
    """Four alike from the hand (暗杠)."""


KONGS = frozenset({MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Meld:
    """A set on the table."""

    type: MeldType
    kinds: tuple[int, ...]
    """Three kinds, or four for a kong, ascending."""
    taken: int | None = None
    """The kind that was claimed; None for a concealed kong."""
    source: Seat | None = None
    """Whose discard was claimed; None for a concealed kong."""

    @property
    def is_kong(self) -> bool:
        """Whether it has four tiles."""
        return self.type in KONGS

    @property
    def is_triplet(self) -> bool:
        """Whether its tiles are alike."""
        return self.type is not MeldType.CHOW


def _shapes(*, honour_chow: bool) -> list[tuple[int, ...]]:
    """Every chow there is: 21 of the suits; the winds give four more, the dragons one."""
    runs = [tuple(suit[at : at + 3]) for suit in SUITS for at in range(len(suit) - 2)]
    honours = [*combinations(WINDS, 3), tuple(DRAGONS)] if honour_chow else []
    return runs + honours


def _partners(*, honour_chow: bool) -> dict[int, tuple[tuple[int, int], ...]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for shape in _shapes(honour_chow=honour_chow):
        for kind in shape:
            first, second = (other for other in shape if other != kind)
            found.setdefault(kind, []).append((first, second))
    return {kind: tuple(sorted(pairs)) for kind, pairs in found.items()}


_PARTNERS = {flag: _partners(honour_chow=flag) for flag in (False, True)}


def chow_partners(kind: int, *, honour_chow: bool) -> tuple[tuple[int, int], ...]:
    """The pairs of kinds that make a chow with `kind`, ascending (WINNING.md 4).

    >>> chow_partners(1, honour_chow=True), chow_partners(32, honour_chow=True)
    (((0, 2), (2, 3)), ((31, 33),))
    """
    return _PARTNERS[honour_chow].get(kind, ())


def chows(hand: Iterable[int], kind: int, *, honour_chow: bool) -> tuple[tuple[int, int], ...]:
    """The pairs of the hand that make a chow with `kind`, ascending."""
    held = set(hand)
    pairs = chow_partners(kind, honour_chow=honour_chow)
    return tuple(pair for pair in pairs if held.issuperset(pair))


def can_pong(hand: Sequence[int], kind: int) -> bool:
    """Whether the hand has two more of `kind`."""
    return hand.count(kind) >= 2


def can_kong(hand: Sequence[int], kind: int) -> bool:
    """Whether the hand has the three others of `kind`."""
    return hand.count(kind) >= 3


def concealed_kongs(hand: Iterable[int]) -> tuple[int, ...]:
    """The kinds of which the hand, the drawn tile included, has all four."""
    return tuple(kind for kind, held in enumerate(counts(hand)) if held == COPIES)


def added_kongs(hand: Iterable[int], melds: Iterable[Meld]) -> tuple[int, ...]:
    """The kinds in the hand whose other three lie as the seat's own pong."""
    held = set(hand)
    pongs = (meld.kinds[0] for meld in melds if meld.type is MeldType.PONG)
    return in_order(kind for kind in pongs if kind in held)
