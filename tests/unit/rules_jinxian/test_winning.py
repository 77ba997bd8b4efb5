"""Winning hands by table, against a search and against another program (WINNING.md 7)."""

from random import Random

import pytest
from mahjong.agari import Agari

from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.patterns import Pattern, readings
from parlor.rules.jinxian.scoring import can_win
from parlor.rules.jinxian.sets import is_complete
from parlor.rules.jinxian.tiles import counts
from tests.unit.rules_jinxian import oracle
from tests.unit.rules_jinxian.dealt import Dealt, dealt

HANDS = 20_000
PLAIN_HANDS = 10_000
SHARES = 4


def _searched(
    one: Dealt, hand: tuple[int, ...], wilds: list[int], options: ScoringOptions
) -> set[Pattern]:
    """The patterns that a search finds."""
    found = set()
    sets, melds = one.hand.sets, one.hand.melds
    if oracle.is_standard(hand, len(wilds), sets, honour_chow=options.honour_chow):
        found.add(Pattern.PINGHU)
    if one.hand.is_triplets and oracle.is_triplets(hand, len(wilds), sets):
        found.add(Pattern.SIPENG)
    if not melds and oracle.is_pairs(hand, len(wilds)):
        found.add(Pattern.QIDUI)
    if not melds and oracle.is_scattered(hand, len(wilds)):
        found.add(Pattern.SHISANLAN)
    if not melds and oracle.is_seven_stars(hand, wilds, real=options.qixing_real_honours):
        found.add(Pattern.QIXING_SHISANLAN)
    return found


@pytest.mark.parametrize("share", range(SHARES))
def test_every_pattern_is_found_as_a_search_finds_it(share: int) -> None:
    options = ScoringOptions(honour_chow=share % 2 == 0, qixing_real_honours=share < 2)
    wins = jing_held = 0
    for one in dealt(share, HANDS // SHARES):
        by = WinBy.SELF_DRAW if one.drawn else WinBy.DISCARD
        wild = _searched(one, one.bound, one.wilds, options)
        faces = _searched(one, (*one.bound, *one.wilds), [], options)
        found = readings(one.hand, one.tile, jing=one.jing, by=by, options=options)
        assert {(r.pattern, r.has_jing) for r in found} == {(p, p not in faces) for p in wild}, one
        assert can_win(one.hand, one.tile, jing=one.jing, by=by, options=options) == bool(wild), one
        wins += bool(wild)
        jing_held = max(jing_held, len(one.wilds))
    # The hands are worth asking about: many win, many do not, and all numbers of jing occur.
    assert HANDS // SHARES // 4 < wins < HANDS // SHARES * 3 // 4
    assert jing_held == 8


def test_the_search_agrees_with_trying_every_kind_for_every_wild() -> None:
    tried = 0
    for one in dealt(5, 1_000):
        if 1 <= len(one.wilds) <= 2 and tried < 100:
            tried += 1
            sets, wilds = one.hand.sets, len(one.wilds)
            assert oracle.is_standard(
                one.bound, wilds, sets, honour_chow=True
            ) == oracle.is_standard_by_substitution(one.bound, wilds, sets), one
    assert tried == 100


def test_hands_without_jing_win_as_another_program_says() -> None:
    chance = Random(11)
    triplets = [(kind, kind, kind) for kind in range(34)]
    asked = wins = 0
    while asked < PLAIN_HANDS:
        sets = chance.choices(triplets + oracle.CHOWS * 3, k=4)
        hand = [*(kind for one in sets for kind in one), *[chance.randrange(34)] * 2]
        for _ in range(chance.choice((0, 1, 2))):
            hand[chance.randrange(14)] = chance.randrange(34)
        held = counts(hand)
        # Seven pairs and thirteen orphans are other patterns, and there the program says yes too.
        if max(held) > 4 or held.count(2) == 7 or held.count(0) == 21:
            continue
        asked += 1
        answer = is_complete(held, 4, 0, honour_chow=False)
        assert answer == Agari.is_agari(held), hand
        wins += answer
    assert PLAIN_HANDS // 4 < wins < PLAIN_HANDS * 3 // 4
