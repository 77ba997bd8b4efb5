"""What the others may hold, as far as one seat can count it: the pack without the cards in sight.

A seat knows its own hand, the plays of the deal, the bottom cards that the landlord still holds and
a hand that lies open. Every other card is in one of the other hands, in each as likely as the hand
is large.
"""

from collections.abc import Iterable
from math import comb
from typing import Final

from parlor.rules.doudizhu.cards import BIG, CARDS, RANKS, SEATS, SMALL, Counts, rank_counts
from parlor.rules.doudizhu.combos import ComboRules
from parlor.rules.doudizhu.decomposition import ROCKET, Body, Part
from parlor.rules.doudizhu.table import Act
from parlor.rules.doudizhu.view import View
from parlor.rules.game import Seat

_MOST_OF_A_RANK: Final = 4


class Holding:
    """What one other seat may hold."""

    def __init__(self, known: Counts, free: Counts, size: int, rules: ComboRules) -> None:
        """Of `size` cards those `known` are certain; the others are among the `free` ones."""
        self.size = size
        self._known = known
        self._free = free
        self._hidden = size - sum(known)
        self._rules = rules
        total = sum(free)
        self._share = self._hidden / total if total else 0.0
        self._odds: dict[tuple[int, int], list[float]] = {}
        self._tails: dict[tuple[int, int], float] = {}

    def odds(self, part: Part) -> float:
        """How likely the seat can beat the part with its own kind; other bombs are left aside."""
        if part.size > self.size:
            return 0.0
        body = part.body
        by_value = self._odds.get((body.group, body.length))
        if by_value is None:
            by_value = self._odds_above(body.group, body.length)
            self._odds[body.group, body.length] = by_value
        return by_value[body.value]

    def may_beat(self, part: Part) -> bool:
        """Whether some deal of the hidden cards lets the seat beat the part, bombs included."""
        if part.body == ROCKET:
            return False
        if self._may_hold(ROCKET):
            return True
        is_bomb = part.body.group == _MOST_OF_A_RANK
        lowest = part.body.value + 1 if is_bomb and not part.wing else RANKS.start
        if any(self._may_hold(Body(_MOST_OF_A_RANK, value, 1)) for value in range(lowest, SMALL)):
            return True
        return part.size <= self.size and any(map(self._may_hold, _above(part.body, self._rules)))

    def _may_hold(self, body: Body) -> bool:
        """Whether the seat may hold the body; of its wings only the number counts."""
        each = 1 if body == ROCKET else body.group
        missing = [max(0, each - self._known[value]) for value in body.values]
        if sum(missing) > self._hidden:
            return False
        return all(n <= self._free[value] for n, value in zip(missing, body.values, strict=True))

    def _odds_above(self, group: int, length: int) -> list[float]:
        """By value, how likely the seat holds a body like this above it."""
        odds, none = [0.0] * (BIG + 1), 1.0
        lowest = Body(group, RANKS.start + length - 2, length)
        for body in reversed(list(_above(lowest, self._rules))):
            odds[body.value] = 1 - none
            none *= 1 - self._holds(body)
        for value in range(lowest.value + 1):
            odds[value] = 1 - none
        return odds

    def _holds(self, body: Body) -> float:
        likely = 1.0
        each = 1 if body == ROCKET else body.group
        for value in body.values:
            tail = self._tails.get((value, each))
            if tail is None:
                tail = self._tails[value, each] = self._at_least(value, each)
            likely *= tail
        return likely

    def _at_least(self, value: int, group: int) -> float:
        """How likely the seat holds so many cards of the value."""
        missing, free, share = group - self._known[value], self._free[value], self._share
        return sum(
            comb(free, n) * share**n * (1 - share) ** (free - n)
            for n in range(max(missing, 0), free + 1)
        )


def holdings(seen: View, seat: Seat, rules: ComboRules) -> dict[Seat, Holding]:
    """What each other seat may hold, while cards are played."""
    others = [Seat(other) for other in range(SEATS) if other != seat]
    known = {other: _known(seen, other) for other in others}
    sight = {*seen.hands[seat], *_played(seen)}.union(*known.values())
    free = rank_counts(card for card in range(CARDS) if card not in sight)
    return {
        other: Holding(rank_counts(known[other]), free, seen.table.counts[other], rules)
        for other in others
    }


def _known(seen: View, other: Seat) -> Iterable[int]:
    """Cards that are certainly in the other hand."""
    if seen.hands[other]:
        return seen.hands[other]
    if other != seen.table.landlord:
        return ()
    return set(seen.table.bottom).difference(_played(seen))


def _played(seen: View) -> set[int]:
    """Every card that has left a hand."""
    return {card for entry in seen.table.history if entry.act is Act.PLAY for card in entry.cards}


def _above(body: Body, rules: ComboRules) -> Iterable[Body]:
    """The bodies of the same kind with a higher value, ascending."""
    highest = BIG
    if body.length > 1:
        highest = rules.straight_top if body.group == 1 else rules.group_top
    for value in range(body.value + 1, highest + 1):
        yield Body(body.group, value, body.length)
