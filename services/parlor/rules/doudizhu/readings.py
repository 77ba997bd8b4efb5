"""What a set of cards can be played as (RULES.md 2), by arithmetic on its rank counts.

The order of the cards and their suits never matter, so `rank_counts` says all there is to know.
"""

from collections.abc import Iterator

from parlor.rules.doudizhu.cards import ACE, BIG, LOWEST, SMALL, Counts
from parlor.rules.doudizhu.combos import (
    FEWEST_IN_STRAIGHT,
    FEWEST_TRIPLES,
    ComboRules,
    Reading,
    Shape,
)

_EQUAL = {1: Shape.ONE, 2: Shape.TWO, 3: Shape.THREE, 4: Shape.BOMB}


def readings(counts: Counts, rules: ComboRules) -> tuple[Reading, ...]:
    """Every reading of the set, the one that a lead takes by default first; empty where none.

    Only open wings ever give more than one: an airplane whose wings hold a triple next to its body
    (RULES.md 2.3).
    """
    plain = _without_kickers(counts, rules)
    found = () if plain is None else (plain,)
    if not rules.kickers:
        return found
    return (*found, *_threes(counts, rules), *_fours(counts, rules))


def _without_kickers(counts: Counts, rules: ComboRules) -> Reading | None:
    """The reading in which every card belongs to the body: equal groups on consecutive values."""
    held = [value for value in range(LOWEST, BIG + 1) if counts[value]]
    if held == [SMALL, BIG]:
        return Reading(shape=Shape.KINGBOMB, value=BIG, length=1)
    if not held or held[-1] - held[0] >= len(held):
        return None
    size = counts[held[0]]
    if any(counts[value] != size for value in held):
        return None
    if len(held) == 1:
        return Reading(shape=_EQUAL[size], value=held[0], length=1)
    return _run(size, held[-1], len(held), rules)


def _run(size: int, top: int, length: int, rules: ComboRules) -> Reading | None:
    """The run of `length` groups of `size` cards up to the value `top`, if the table knows it."""
    run_of = {
        1: (Shape.STRAIGHT, FEWEST_IN_STRAIGHT, rules.straight_top),
        2: (Shape.TWO_TWO, rules.fewest_pairs, rules.group_top),
        3: (Shape.THREE_THREE, FEWEST_TRIPLES, rules.group_top),
    }
    if size not in run_of:
        return None
    shape, fewest, highest = run_of[size]
    if length < fewest or top > highest:
        return None
    return Reading(shape=shape, value=top, length=length)


def _threes(counts: Counts, rules: ComboRules) -> Iterator[Reading]:
    """Triples and airplanes that carry one kicker per triple, the highest body first."""
    total = sum(counts)
    if total % 4 == 0:
        length = total // 4
        shape = Shape.THREE_1 if length == 1 else Shape.PLANE_1
        for top, kickers in _bodies(counts, 3, length):
            if are_single_kickers(kickers, rules):
                yield Reading(shape=shape, value=top, length=length)
    if total % 5 == 0:
        length = total // 5
        shape = Shape.THREE_2 if length == 1 else Shape.PLANE_2
        for top, kickers in _bodies(counts, 3, length):
            if _are_pair_kickers(kickers):
                yield Reading(shape=shape, value=top, length=length)


def _fours(counts: Counts, rules: ComboRules) -> Iterator[Reading]:
    """Fours that carry two single or two pair kickers."""
    total = sum(counts)
    if total not in (6, 8):
        return
    for top, kickers in _bodies(counts, 4, 1):
        if total == 6 and are_single_kickers(kickers, rules):
            yield Reading(shape=Shape.FOUR_1, value=top, length=1)
        if total == 8 and _are_pair_kickers(kickers):
            yield Reading(shape=Shape.FOUR_2, value=top, length=1)


def _bodies(counts: Counts, size: int, length: int) -> Iterator[tuple[int, Counts]]:
    """The top of each body of `length` groups of exactly `size` cards, with what is left.

    Exactly, since a kicker may not have the rank of a body group. A run of more than one group
    ends at the ace.
    """
    highest = ACE if length > 1 else BIG
    for top in range(highest, LOWEST + length - 2, -1):
        body = range(top - length + 1, top + 1)
        if length and all(counts[value] == size for value in body):
            yield top, tuple(0 if value in body else n for value, n in enumerate(counts))


def are_single_kickers(kickers: Counts, rules: ComboRules) -> bool:
    """Whether single kickers may be these: no bomb, no rocket, no rank too often."""
    return max(kickers) <= rules.repeats and not (kickers[SMALL] and kickers[BIG])


def _are_pair_kickers(kickers: Counts) -> bool:
    return all(n in (0, 2) for n in kickers)
