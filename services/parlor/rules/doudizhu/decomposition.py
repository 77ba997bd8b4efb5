"""A hand split into plays, as few and as cheap as can be.

The split goes through the ranks from the lowest: the cards of a rank open a run, stay together as
single, pair, triple or bomb, or ride as wings. Wings are counted while they wait: a number above 0
says how many cards are still wanted as wings, below 0 how many cards still want a triple. So the
cheapest way to fill the wings of one play is to split the other cards with that many wanted.

What no sensible player does is left out: a bomb is not broken for a triple, and a straight stops
short of a lone card only where a second one could begin there. What wings of one play may not be
together, a rocket or equal ranks, is left to whoever chooses them (`candidates`).
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from parlor.rules.doudizhu.cards import ACE, BIG, LOWEST, RANKS, SMALL, Counts
from parlor.rules.doudizhu.combos import FEWEST_IN_STRAIGHT, FEWEST_TRIPLES, ComboRules

IMPOSSIBLE: Final = 1e9
"""The cost of a split that there is not."""


class Body(NamedTuple):
    """The body of a play: groups of equal cards on consecutive values."""

    group: int
    """Cards of one value, 1..4."""
    value: int
    """Of the highest group, 2..16."""
    length: int
    """How many groups."""

    @property
    def values(self) -> range:
        """The values of the groups, ascending."""
        if self == ROCKET:
            return range(SMALL, BIG + 1)
        return range(self.value - self.length + 1, self.value + 1)

    @property
    def cards(self) -> int:
        """How many cards the body has."""
        return 2 if self == ROCKET else self.group * self.length


ROCKET: Final = Body(4, BIG, 1)
"""Both jokers. As a bomb of big jokers it beats by value what it beats by the rules."""


class Part(NamedTuple):
    """One play of a split, its wings still to be chosen."""

    body: Body
    wing: int = 0
    """Cards of each wing: 0 for none, 1 for singles, 2 for pairs."""

    @property
    def wings(self) -> int:
        """How many wings it takes: one per triple, two on a four."""
        return (2 if self.body.group == 4 else self.body.length) if self.wing else 0

    @property
    def size(self) -> int:
        """How many cards the whole play has."""
        return self.body.cards + self.wings * self.wing


class Wing(NamedTuple):
    """Cards that ride on some part of the same split."""

    value: int
    cards: int


class Split(NamedTuple):
    """A hand as plays."""

    cost: float
    """The sum of the prices; `IMPOSSIBLE` where the wanted wings cannot be filled."""
    parts: tuple[Part, ...]
    wings: tuple[Wing, ...]
    """Lowest first; those wanted from outside included."""


Price = Callable[[Part], float]
"""What it costs to have this play in hand still; below 0 where it is rather a help."""

_DIGIT: Final = 3
"""Bits of a rank in a packed hand."""
_TOP: Final = BIG - LOWEST
_FOURS: Final = sum(4 << _DIGIT * place for place in range(_TOP + 1))
_ONES: Final = _FOURS >> 2

_Links = tuple["Part | Wing", "_Links"] | None
_Found = tuple[float, _Links]
_Option = tuple["Part | Wing", int, int, int]
"""What is taken, the packed hand after it, and the wings wanted after it, singles and pairs."""

_NONE: Final[_Found] = (IMPOSSIBLE, None)
_DONE: Final[_Found] = (0.0, None)


def flat(part: Part) -> float:
    """Every play costs one: the cheapest split is the one with the fewest plays."""
    return 1.0


class Splitter:
    """Splits hands under one set of rules and prices; what it found for one hand helps the next.

    >>> from parlor.rules.doudizhu.combos import combo_rules
    >>> from parlor.rules.doudizhu.config import Config
    >>> from parlor.rules.doudizhu.cards import rank_counts
    >>> hand = rank_counts([2, 3, 4, 5, 6, 19, 32, 7, 20])  # 3 4 5 6 7 7 7 8 8
    >>> int(Splitter(combo_rules(Config()), flat).split(hand).cost)
    3
    """

    def __init__(self, rules: ComboRules, price: Price) -> None:
        self._rules = rules
        self._price = price
        self._prices: dict[Part, float] = {}
        self._found: dict[tuple[int, int, int, int], _Found] = {}

    def price(self, part: Part) -> float:
        """What the part costs."""
        known = self._prices.get(part)
        if known is None:
            known = self._prices[part] = self._price(part)
        return known

    def cost(self, counts: Counts, wanted: Part | None = None) -> float:
        """The cost of the cheapest split of these cards once they have also filled wings."""
        return self._of(counts, wanted)[0]

    def split(self, counts: Counts, wanted: Part | None = None) -> Split:
        """The cheapest split of these cards; `wanted` has its wings filled from them."""
        cost, links = self._of(counts, wanted)
        parts, wings = [], []
        while links is not None:
            item, links = links
            if isinstance(item, Part):
                parts.append(item)
            else:
                wings.append(item)
        return Split(cost, tuple(parts), tuple(wings))

    def _of(self, counts: Counts, wanted: Part | None) -> _Found:
        packed = 0
        for value in reversed(RANKS):
            packed = packed << _DIGIT | counts[value]
        ones = wanted.wings if wanted and wanted.wing == 1 else 0
        twos = wanted.wings if wanted and wanted.wing == 2 else 0
        return self._best(packed, 0, ones, twos)

    def _best(self, rest: int, at: int, ones: int, twos: int) -> _Found:
        """The cheapest split of the ranks from place `at` up, packed lowest first in `rest`."""
        while rest and not rest & 7:
            rest >>= _DIGIT
            at += 1
        if not rest:
            return _NONE if ones or twos else _DONE
        key = (rest, at, ones, twos)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(rest, at, ones, twos)
        return found

    def _search(self, rest: int, at: int, ones: int, twos: int) -> _Found:
        waiting = -min(ones, 0) - min(twos, 0)
        if waiting and waiting > _wings_to_come(rest):
            return _NONE
        best, chosen, after = IMPOSSIBLE, None, None
        for item, left, ones_left, twos_left in self._options(rest, at, ones, twos):
            own = self.price(item) if isinstance(item, Part) else _WEIGHT * item.value
            cost, links = self._best(left, at, ones_left, twos_left)
            if cost + own < best:
                best, chosen, after = cost + own, item, links
        return _NONE if chosen is None else (best, (chosen, after))

    def _options(self, rest: int, at: int, ones: int, twos: int) -> Iterator[_Option]:
        """What the lowest rank's cards can be; the rank stays in place where some are left."""
        value, held = at + LOWEST, rest & 7
        without = rest - held
        if value == SMALL and rest >> _DIGIT:
            yield Part(ROCKET), 0, ones, twos
        body = Body(held, value, 1)
        yield Part(body), without, ones, twos
        if self._rules.kickers:
            yield from _with_wings(body, without, ones, twos)
            yield from self._as_wings(value, rest, ones, twos)
        if 1 < held < 4 and value >= ACE:
            yield Part(Body(1, value, 1)), rest - 1, ones, twos
        yield from self._runs(rest, at, ones, twos)

    def _as_wings(self, value: int, rest: int, ones: int, twos: int) -> Iterator[_Option]:
        """Cards of the lowest rank as wings: one of them, or a pair that is all there is."""
        held = rest & 7
        if held == 4 or not (ones > 0 or twos > 0 or _wings_to_come(rest)):
            return
        yield Wing(value, 1), rest - 1, ones - 1, twos
        if held == 2:
            yield Wing(value, 2), rest - 2, ones, twos - 1

    def _runs(self, rest: int, at: int, ones: int, twos: int) -> Iterator[_Option]:
        rules, value, held = self._rules, at + LOWEST, rest & 7
        reach = _reach(rest, 1, rules.straight_top - value + 1)
        for length in range(FEWEST_IN_STRAIGHT, reach + 1):
            following = rest >> _DIGIT * length & 7
            if length == reach or following > 1 or reach - length >= FEWEST_IN_STRAIGHT:
                yield Part(_run(1, value, length)), _less(rest, 1, length), ones, twos
        if held > 1:
            reach = _reach(rest, 2, rules.group_top - value + 1)
            for length in range(rules.fewest_pairs, reach + 1):
                yield Part(_run(2, value, length)), _less(rest, 2, length), ones, twos
        if held == 3:
            reach = _reach(rest, 3, rules.group_top - value + 1)
            for length in range(FEWEST_TRIPLES, reach + 1):
                body, left = _run(3, value, length), _less(rest, 3, length)
                yield Part(body), left, ones, twos
                if rules.kickers:
                    yield from _with_wings(body, left, ones, twos)


_WEIGHT: Final = 0.004
"""Makes the lowest cards ride, among wings that cost the same."""


def _with_wings(body: Body, left: int, ones: int, twos: int) -> Iterator[_Option]:
    if body.group > 2:
        single, pair = Part(body, 1), Part(body, 2)
        yield single, left, ones + single.wings, twos
        yield pair, left, ones, twos + pair.wings


def _wings_to_come(rest: int) -> int:
    """At most so many wings find a place: one on each three, two on each four."""
    return (rest + _ONES & _FOURS).bit_count() + (rest & _FOURS).bit_count()


def _reach(rest: int, group: int, most: int) -> int:
    """For how many ranks in a row, at most `most`, the hand holds groups; a four is no triple."""
    length = 0
    while length < most:
        held = rest & 7
        if held < group or (group == 3 and held == 4):
            break
        rest >>= _DIGIT
        length += 1
    return length


def _run(group: int, lowest: int, length: int) -> Body:
    return Body(group, lowest + length - 1, length)


def _less(rest: int, group: int, length: int) -> int:
    """The packed hand without `length` groups from its lowest rank on."""
    return rest - group * (_ONES & (1 << _DIGIT * length) - 1)
