"""The jing (精): two kinds that are wild in one round, and the points they give (WINNING.md 3)."""

from collections.abc import Iterable
from dataclasses import dataclass

from parlor.rules.jinxian.melds import Meld
from parlor.rules.jinxian.tiles import next_kind

ZHENG_POINTS = 2
FU_POINTS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Jing:
    """The wild kinds of a round."""

    zheng: int
    """Zheng jing (正精): the kind that was turned."""
    fu: int
    """Fu jing (副精): the kind that follows it."""

    @property
    def kinds(self) -> tuple[int, int]:
        """Both kinds, the zheng first."""
        return self.zheng, self.fu

    def __contains__(self, kind: int) -> bool:
        return kind in (self.zheng, self.fu)


def jing_of(turned: int) -> Jing:
    """The jing when a tile of the kind `turned` lies open."""
    return Jing(zheng=turned, fu=next_kind(turned))


def jing_points(jing: Jing, kinds: Iterable[int]) -> int:
    """Two for each zheng and one for each fu.

    >>> jing_points(jing_of(4), [4, 4, 5, 6])
    5
    """
    worth = {jing.zheng: ZHENG_POINTS, jing.fu: FU_POINTS}
    return sum(worth.get(kind, 0) for kind in kinds)


def holds_jing(jing: Jing, concealed: Iterable[int], melds: Iterable[Meld]) -> bool:
    """Whether a seat has a jing in its hand or its melds."""
    laid = (kind for meld in melds for kind in meld.kinds)
    return any(kind in jing for kind in concealed) or any(kind in jing for kind in laid)
