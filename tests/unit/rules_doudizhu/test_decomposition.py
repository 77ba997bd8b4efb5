"""Splits of hands: as few plays as there can be, and nothing lost."""

from functools import cache

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parlor.rules.doudizhu.candidates import candidates, part_of, read_as
from parlor.rules.doudizhu.cards import BIG_JOKER, CARDS, SMALL_JOKER, Counts, rank_counts
from parlor.rules.doudizhu.combos import ComboRules
from parlor.rules.doudizhu.decomposition import Splitter, flat
from parlor.rules.doudizhu.plays import plays
from tests.unit.rules_doudizhu.table import OPEN, TO_ACE, TO_JOKER


@settings(max_examples=60, deadline=None)
@given(
    rules=st.sampled_from((OPEN, TO_ACE, TO_JOKER)),
    hand=st.sets(st.integers(min_value=0, max_value=CARDS - 1), min_size=1, max_size=8),
)
def test_a_split_has_the_fewest_plays(rules: ComboRules, hand: set[int]) -> None:
    assume(not {SMALL_JOKER, BIG_JOKER} <= hand)
    counts = rank_counts(hand)
    split = Splitter(rules, flat).split(counts)
    assert len(split.parts) == fewest(counts, rules)
    whole = sum(part.body.cards for part in split.parts) + sum(w.cards for w in split.wings)
    assert whole == len(hand)


@cache
def fewest(counts: Counts, rules: ComboRules) -> int:
    """The fewest plays by trying all that hold a card of the lowest rank."""
    lowest = next((value for value, held in enumerate(counts) if held), None)
    if lowest is None:
        return 0
    return 1 + min(
        fewest(tuple(held - ranks.count(value) for value, held in enumerate(counts)), rules)
        for ranks, _ in plays(counts, rules)
        if lowest in ranks
    )


@given(hand=st.sets(st.integers(min_value=0, max_value=CARDS - 1), min_size=1, max_size=20))
def test_a_part_is_what_its_reading_says(hand: set[int]) -> None:
    for candidate in candidates(rank_counts(hand), OPEN, None):
        assert read_as(candidate.part) == candidate.reading
        assert part_of(candidate.reading) == candidate.part
