"""Every combination that a hand holds, generated from its rank counts (RULES.md 2 and 3)."""

from collections.abc import Iterator
from itertools import combinations

from parlor.rules.doudizhu.cards import ACE, BIG, LOWEST, RANKS, SMALL, Counts
from parlor.rules.doudizhu.combos import (
    BOMBS,
    FEWEST_IN_STRAIGHT,
    FEWEST_TRIPLES,
    ComboRules,
    Reading,
    Shape,
    beats,
)

Ranks = tuple[int, ...]
"""A multiset of values: the body's in ascending order, then the kickers'."""


def plays(
    counts: Counts, rules: ComboRules, led: Reading | None = None
) -> Iterator[tuple[Ranks, Reading]]:
    """Lazily, each rank multiset in the hand with each reading of it that beats `led`.

    A multiset appears once per reading. Bodies ascend within a shape; bombs come last.
    """
    for shape in Shape:
        if led is not None and shape is not led.shape and shape not in BOMBS:
            continue
        for reading in _readings_of(shape, rules):
            if beats(reading, led) and _holds_body(counts, reading):
                body = _body(reading)
                for kickers in _kickers(counts, reading, rules):
                    yield body + kickers, reading


def _readings_of(shape: Shape, rules: ComboRules) -> Iterator[Reading]:
    """The readings of a shape that the rules know at all."""
    for length in _lengths(shape, rules):
        for top in _tops(shape, length, rules):
            yield Reading(shape=shape, value=top, length=length)


def _lengths(shape: Shape, rules: ComboRules) -> range:
    match shape:
        case Shape.STRAIGHT:
            return range(FEWEST_IN_STRAIGHT, rules.straight_top - LOWEST + 2)
        case Shape.TWO_TWO:
            return range(rules.fewest_pairs, rules.most_cards // 2 + 1)
        case Shape.THREE_THREE:
            return range(FEWEST_TRIPLES, rules.most_cards // 3 + 1)
        case Shape.PLANE_1:
            return range(FEWEST_TRIPLES, rules.most_cards // 4 + 1 if rules.kickers else 0)
        case Shape.PLANE_2:
            return range(FEWEST_TRIPLES, rules.most_cards // 5 + 1 if rules.kickers else 0)
        case Shape.THREE_1 | Shape.THREE_2 | Shape.FOUR_1 | Shape.FOUR_2:
            return range(1, 2 if rules.kickers else 1)
        case _:
            return range(1, 2)


def _tops(shape: Shape, length: int, rules: ComboRules) -> range:
    match shape:
        case Shape.KINGBOMB:
            return range(BIG, BIG + 1)
        case Shape.STRAIGHT:
            highest = rules.straight_top
        case Shape.TWO_TWO | Shape.THREE_THREE:
            highest = rules.group_top
        case Shape.PLANE_1 | Shape.PLANE_2:
            highest = ACE
        case _:
            highest = BIG
    return range(LOWEST + length - 1, highest + 1)


def _group(shape: Shape) -> int:
    """Cards of one body group."""
    match shape:
        case Shape.ONE | Shape.STRAIGHT | Shape.KINGBOMB:
            return 1
        case Shape.TWO | Shape.TWO_TWO:
            return 2
        case Shape.BOMB | Shape.FOUR_1 | Shape.FOUR_2:
            return 4
        case _:
            return 3


def _body_values(reading: Reading) -> range:
    length = 2 if reading.shape is Shape.KINGBOMB else reading.length
    return range(reading.value - length + 1, reading.value + 1)


def _holds_body(counts: Counts, reading: Reading) -> bool:
    size = _group(reading.shape)
    return all(counts[value] >= size for value in _body_values(reading))


def _body(reading: Reading) -> Ranks:
    size = _group(reading.shape)
    return tuple(value for value in _body_values(reading) for _ in range(size))


def _kickers(counts: Counts, reading: Reading, rules: ComboRules) -> Iterator[Ranks]:
    """The kickers that the hand can put to a body; one empty set for a shape without."""
    body = _body_values(reading)
    others = [value for value in RANKS if counts[value] and value not in body]
    match reading.shape:
        case Shape.THREE_1 | Shape.PLANE_1:
            yield from _singles(counts, others, reading.length, rules.repeats)
        case Shape.FOUR_1:
            yield from _singles(counts, others, 2, rules.repeats)
        case Shape.THREE_2 | Shape.PLANE_2:
            yield from _pairs(counts, others, reading.length)
        case Shape.FOUR_2:
            yield from _pairs(counts, others, 2)
        case _:
            yield ()


def _singles(counts: Counts, values: list[int], n: int, repeats: int) -> Iterator[Ranks]:
    """The multisets of `n` of the values, each at most `repeats` times, without a rocket."""
    if n == 0:
        yield ()
        return
    for place, value in enumerate(values):
        later = values[place + 1 :]
        if value == SMALL:
            # Both jokers are a rocket, which is never a kicker.
            later = []
        for times in range(1, min(counts[value], repeats, n) + 1):
            for rest in _singles(counts, later, n - times, repeats):
                yield (value,) * times + rest


def _pairs(counts: Counts, values: list[int], n: int) -> Iterator[Ranks]:
    doubles = [value for value in values if counts[value] >= 2]
    for chosen in combinations(doubles, n):
        yield tuple(value for value in chosen for _ in range(2))
