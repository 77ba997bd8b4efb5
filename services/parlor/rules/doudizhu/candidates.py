"""The plays that a seat weighs, each body once, and the cards that a chosen one is made of.

There are far fewer bodies than plays: the wings follow from how the other cards are best split.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parlor.rules.doudizhu.cards import BIG, RANKS, SMALL, VALUES, Counts
from parlor.rules.doudizhu.combos import (
    FEWEST_IN_STRAIGHT,
    FEWEST_TRIPLES,
    ComboRules,
    Reading,
    Shape,
    beats,
)
from parlor.rules.doudizhu.decomposition import ROCKET, Body, Part, Wing

_PLAIN = {1: Shape.ONE, 2: Shape.TWO, 3: Shape.THREE, 4: Shape.BOMB}
_RUNS = {1: Shape.STRAIGHT, 2: Shape.TWO_TWO, 3: Shape.THREE_THREE}
_WINGED = {1: Shape.THREE_1, 2: Shape.THREE_2}
_WINGED_RUNS = {1: Shape.PLANE_1, 2: Shape.PLANE_2}
_WINGED_FOURS = {1: Shape.FOUR_1, 2: Shape.FOUR_2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A play whose wings are not chosen yet."""

    part: Part
    reading: Reading
    rest: Counts
    """The hand without the body."""


def candidates(counts: Counts, rules: ComboRules, led: Reading | None) -> Iterator[Candidate]:
    """Lazily, what the hand may play on `led`; no bomb is broken for a triple."""
    for body in _bodies(counts, rules):
        rest = _without(counts, body)
        for part in _parts(body, rules):
            reading = read_as(part)
            if beats(reading, led) and sum(rest) >= part.size - body.cards:
                yield Candidate(part=part, reading=reading, rest=rest)


def read_as(part: Part) -> Reading:
    """What the part is played as.

    >>> read_as(Part(Body(3, 9, 2), 1)).shape
    <Shape.PLANE_1: 'PLANE_1'>
    """
    body = part.body
    if body == ROCKET:
        return Reading(shape=Shape.KINGBOMB, value=BIG, length=1)
    is_run = body.length > 1
    if not part.wing:
        shape = (_RUNS if is_run else _PLAIN)[body.group]
    elif body.group == len(_PLAIN):
        shape = _WINGED_FOURS[part.wing]
    else:
        shape = (_WINGED_RUNS if is_run else _WINGED)[part.wing]
    return Reading(shape=shape, value=body.value, length=body.length)


def part_of(reading: Reading) -> Part:
    """The part that is played as the reading.

    >>> part_of(read_as(Part(Body(3, 9, 2), 1)))
    Part(body=Body(group=3, value=9, length=2), wing=1)
    """
    if reading.shape is Shape.KINGBOMB:
        return Part(ROCKET)
    for group in _PLAIN:
        for wing in range(3 if group > len(_WINGED) else 1):
            part = Part(Body(group, reading.value, reading.length), wing)
            if (group < len(_PLAIN) or reading.length == 1) and read_as(part) == reading:
                return part
    raise ValueError(f"no such reading: {reading}")


def chosen_wings(part: Part, wings: Iterable[Wing], rules: ComboRules) -> tuple[int, ...] | None:
    """The values of the lowest of `wings` that the part may carry; None where they do not do."""
    taken: Counter[int] = Counter()
    for wing in sorted(wings):
        is_rocket = wing.value == BIG and taken[SMALL]
        repeats = rules.repeats if part.wing == 1 else 1
        if wing.cards == part.wing and taken[wing.value] < repeats and not is_rocket:
            taken[wing.value] += 1
        if taken.total() == part.wings:
            return tuple(value for value in taken.elements() for _ in range(part.wing))
    return () if not part.wings else None


def cards_of(hand: Iterable[int], part: Part, wings: tuple[int, ...]) -> tuple[int, ...]:
    """Cards of the hand with the values of the body and of its wings, the lowest indices."""
    each = 1 if part.body == ROCKET else part.body.group
    missing = Counter(wings)
    missing.update(dict.fromkeys(part.body.values, each))
    cards = []
    for card in sorted(hand):
        if missing[VALUES[card]]:
            missing[VALUES[card]] -= 1
            cards.append(card)
    return tuple(cards)


def less(counts: Counts, values: Iterable[int]) -> Counts:
    """The counts without one card of each of these values."""
    gone = Counter(values)
    return tuple(held - gone[value] for value, held in enumerate(counts))


def _without(counts: Counts, body: Body) -> Counts:
    each = 1 if body == ROCKET else body.group
    return tuple(held - each * (value in body.values) for value, held in enumerate(counts))


def _bodies(counts: Counts, rules: ComboRules) -> Iterator[Body]:
    for group in _PLAIN:
        held = [counts[value] >= group and (group, counts[value]) != (3, 4) for value in RANKS]
        for place, value in enumerate(RANKS):
            if held[place]:
                yield Body(group, value, 1)
        if group in _RUNS:
            yield from _runs(group, held, rules)
    if counts[SMALL] and counts[BIG]:
        yield ROCKET


def _runs(group: int, held: list[bool], rules: ComboRules) -> Iterator[Body]:
    fewest = {1: FEWEST_IN_STRAIGHT, 2: rules.fewest_pairs, 3: FEWEST_TRIPLES}[group]
    highest = rules.straight_top if group == 1 else rules.group_top
    length = 0
    for value in range(RANKS.start, highest + 1):
        length = length + 1 if held[value - RANKS.start] else 0
        for shorter in range(fewest, length + 1):
            yield Body(group, value, shorter)


def _parts(body: Body, rules: ComboRules) -> Iterator[Part]:
    yield Part(body)
    if rules.kickers and body.group > len(_WINGED) and body != ROCKET:
        yield Part(body, 1)
        yield Part(body, 2)
