"""A hand that may win, and how the last tile came (WINNING.md 7)."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld
from parlor.rules.jinxian.tiles import KINDS

SETS = 4
"""Sets (句) of a standard hand."""


class WinBy(enum.Enum):
    """Where the winning tile comes from."""

    SELF_DRAW = "SELF_DRAW"
    """The winner drew it (自摸)."""
    DISCARD = "DISCARD"
    ROB_KONG = "ROB_KONG"
    """It was about to be added to a pong (抢杠)."""


class Special(enum.Enum):
    """A win in the first turn of the round."""

    TIANHU = "TIANHU"
    """The dealer, with the tiles dealt (天胡)."""
    DIHU = "DIHU"
    """Another seat, on the dealer's first discard (地胡)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """The tiles of a seat but for the winning one."""

    concealed: tuple[int, ...]
    """13 kinds, three fewer for each meld."""
    melds: tuple[Meld, ...] = ()

    @property
    def sets(self) -> int:
        """How many sets the concealed tiles have to give."""
        return SETS - len(self.melds)

    @property
    def is_triplets(self) -> bool:
        """Whether no meld is a chow."""
        return all(meld.is_triplet for meld in self.melds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What besides the tiles counts for the score of a win."""

    by: WinBy = WinBy.SELF_DRAW
    after_kong: bool = False
    """Whether the tile is the replacement for a kong."""
    special: Special | None = None
    others_hold_jing: bool = True
    """Whether another seat has a jing in hand or melds; only the option `bawang` asks."""
    discards: tuple[int, ...] = ()
    """The winner's discards that nobody claimed; only `HAND_MELDS_DISCARDS` asks."""


def split(kinds: Iterable[int], jing: Jing) -> tuple[list[int], list[int]]:
    """The counts of what is no jing (34 numbers), and the jing one by one."""
    wild = jing.kinds
    plain, wilds = [0] * KINDS, []
    for kind in kinds:
        if kind in wild:
            wilds.append(kind)
        else:
            plain[kind] += 1
    return plain, wilds
