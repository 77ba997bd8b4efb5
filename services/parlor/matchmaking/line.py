"""People who come alone, in a line by rating: who of them is nearest to one.

Most pools hold nobody else most of the time. Then any so many on both sides make up a table, and
each side is in order already.
"""

from collections.abc import Sequence
from itertools import pairwise


class Line:
    """People by rating, each linked to the next ones who are still there; all are named by ranks.

    A rank is a place in the order of waits. Of equal ratings the longest wait stands first.
    """

    def __init__(self, ratings: Sequence[float]) -> None:
        """By rank, everybody's rating."""
        self._ratings = ratings
        ranks = sorted(range(len(ratings)), key=ratings.__getitem__)
        # Beyond both ends stands one who is nobody: so taking the outermost is no case of its own.
        self._end = len(ratings)
        self._after = [self._end] * (self._end + 1)
        self._before = [self._end] * (self._end + 1)
        for left, right in pairwise(ranks):
            self._after[left] = right
            self._before[right] = left

    def take(self, rank: int) -> None:
        """Takes somebody out of the line."""
        after, before = self._after[rank], self._before[rank]
        self._after[before] = after
        self._before[after] = before

    def nearest(self, first: int, players: int, width: float) -> list[int] | None:
        """Of all so many others within the width those with the smallest spread, `first` among them;
        of equally near ones, the longest waits. None where there are not so many.

        Everybody who waits longer than `first` has been taken out before.
        """
        above, ups = self._beside(self._after, first, players, width)
        below, downs = self._beside(self._before, first, players, width)
        reaches = [
            (ups[up] + downs[players - up], ups[up], downs[players - up])
            for up in range(max(0, players - len(below)), min(players, len(above)) + 1)
        ]
        if not reaches:
            return None
        _, up, down = min(reaches)
        inside = [rank for rank, distance in zip(above, ups[1:], strict=True) if distance <= up]
        inside += [
            rank for rank, distance in zip(below, downs[1:], strict=True) if distance <= down
        ]
        inside.sort()
        return inside[:players]

    def _beside(
        self, onward: Sequence[int], first: int, most: int, width: float
    ) -> tuple[list[int], list[float]]:
        """Up to `most` on one side, the nearest first, and how far off the nearest none, one, two … are."""
        ratings, end = self._ratings, self._end
        middle = ratings[first]
        ranks: list[int] = []
        distances = [0.0]
        rank = onward[first]
        while rank != end and len(ranks) < most:
            distance = abs(ratings[rank] - middle)
            if distance > width:
                break
            ranks.append(rank)
            distances.append(distance)
            rank = onward[rank]
        return ranks, distances
