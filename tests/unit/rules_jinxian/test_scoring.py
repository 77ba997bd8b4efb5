"""The score of a win (WINNING.md 8 and 13)."""

from dataclasses import replace

import pytest

from parlor.rules.game import InvalidConfig
from parlor.rules.jinxian.hands import Hand, Situation, Special, WinBy
from parlor.rules.jinxian.options import (
    Bawang,
    JingSettlement,
    JingVariant,
    JingZones,
    ScoringOptions,
    check_scoring,
)
from parlor.rules.jinxian.patterns import Pattern
from parlor.rules.jinxian.scoring import Factor, FactorName, Win, base_score, best_win
from parlor.rules.jinxian.tiles import kind, kinds
from tests.unit.rules_jinxian.dealt import dealt, hand, jing

DEFAULTS = ScoringOptions()
DRAW = Situation(by=WinBy.SELF_DRAW)


def won(
    held: Hand, tile: str, situation: Situation = DRAW, options: ScoringOptions = DEFAULTS
) -> Win:
    win = best_win(held, kind(tile), jing=jing("5m"), situation=situation, options=options)
    assert win is not None
    return win


PLAIN = hand("123m456789p2267s")
WITH_JING = hand("1235m12789p2267s")
TEN_POINTS = hand("555m12789p22s", "concealed 6666m")
TWELVE_POINTS = hand("5555m12789p2s", "concealed 6666m")


@pytest.mark.parametrize(
    ("pattern", "with_jing", "without"),
    [
        (Pattern.PINGHU, 4, 8),
        (Pattern.QIDUI, 8, 64),
        (Pattern.SIPENG, 32, 64),
        (Pattern.SHISANLAN, 8, 16),
        (Pattern.QIXING_SHISANLAN, 32, 64),
    ],
)
def test_base_scores(pattern: Pattern, with_jing: int, without: int) -> None:
    assert base_score(pattern, has_jing=True, options=DEFAULTS) == with_jing
    assert base_score(pattern, has_jing=False, options=DEFAULTS) == without


def test_the_total_is_base_and_bonus_multiplied_and_jing_added_once() -> None:
    win = won(TWELVE_POINTS, "9s", replace(DRAW, after_kong=True))
    assert (win.best.base, win.best.bonus) == (4, 5)
    assert win.factors == (
        Factor(name=FactorName.GANGKAI, value=2),
        Factor(name=FactorName.CHONGGUAN, value=4),
    )
    assert (win.multiplier, win.jing_points, win.jing_score) == (8, 12, 12)
    assert (win.total, win.pay_total) == (84, 84)


def test_the_best_reading_counts_and_the_others_are_listed() -> None:
    win = won(hand("112233p4455669s"), "9s")
    assert [score.pattern for score in win.scores] == [Pattern.QIDUI, Pattern.PINGHU]
    assert (win.pattern, win.total) == (Pattern.QIDUI, 69)


def test_equal_scores_go_by_the_order_of_the_patterns() -> None:
    # Seven jing mend seven single tiles to pairs, and as well to fourteen kinds apart.
    held = hand("5555666m1m147p1s1z")
    win = won(held, "2z", Situation(by=WinBy.DISCARD))
    assert [(score.pattern, score.base + score.bonus) for score in win.scores] == [
        (Pattern.QIDUI, 8),
        (Pattern.SHISANLAN, 8),
    ]


def test_seven_pairs_may_be_worth_less() -> None:
    held = hand("11m22m33m44p55p66p7z")
    cheap = ScoringOptions(qidui_no_jing_base=16)
    assert (won(held, "7z").total, won(held, "7z", options=cheap).total) == (69, 21)


@pytest.mark.parametrize(
    ("zones", "discards", "points"),
    [
        pytest.param(JingZones.HAND_MELDS, "5m", 10, id="3 hand and melds"),
        pytest.param(JingZones.HAND, "5m", 6, id="3 hand"),
        pytest.param(JingZones.HAND_MELDS_DISCARDS, "5m", 12, id="3 discards too"),
    ],
)
def test_where_jing_points_are_counted(zones: JingZones, discards: str, points: int) -> None:
    options = ScoringOptions(jing_zones=zones)
    win = won(TEN_POINTS, "9s", replace(DRAW, discards=kinds(discards)), options)
    assert win.jing_points == points


def test_the_winning_tile_gives_its_points_wherever_it_came_from() -> None:
    held = hand("46m456789p22678s")
    for by in WinBy:
        assert won(held, "5m", Situation(by=by)).jing_points == 3


def test_chongguan_begins_at_its_threshold_and_may_be_off() -> None:
    assert won(TEN_POINTS, "9s").multiplier == 2
    assert won(TEN_POINTS, "9s", options=ScoringOptions(chongguan_base=0)).multiplier == 1
    assert won(WITH_JING, "8s").factors == ()


@pytest.mark.parametrize(
    ("bawang", "others", "jing_score"),
    [
        (Bawang.OFF, False, 2),
        (Bawang.X2, False, 4),
        (Bawang.PLUS_10, False, 12),
        (Bawang.X2, True, 2),
        (Bawang.PLUS_10, True, 2),
    ],
)
def test_who_alone_has_jing_gets_more_for_them(
    bawang: Bawang, others: bool, jing_score: int
) -> None:
    options = ScoringOptions(bawang=bawang)
    win = won(WITH_JING, "8s", replace(DRAW, others_hold_jing=others), options)
    assert (win.jing_points, win.jing_score) == (2, jing_score)


def test_nobody_gets_more_for_no_jing() -> None:
    options = ScoringOptions(bawang=Bawang.PLUS_10)
    assert won(PLAIN, "8s", replace(DRAW, others_hold_jing=False), options).jing_score == 0


def test_chongguan_looks_at_the_points_before_bawang() -> None:
    options = ScoringOptions(bawang=Bawang.X2)
    win = won(TEN_POINTS, "9s", replace(DRAW, others_hold_jing=False), options)
    assert (win.multiplier, win.jing_score) == (2, 20)


@pytest.mark.parametrize("special", Special)
def test_a_first_turn_win_pays_a_minimum(special: Special) -> None:
    by = WinBy.SELF_DRAW if special is Special.TIANHU else WinBy.DISCARD
    first = Situation(by=by, special=special)
    assert (won(PLAIN, "8s", first).total, won(PLAIN, "8s", first).pay_total) == (13, 20)
    stars = hand("147p258s3m123456z")
    assert won(stars, "7z", first).pay_total == 69
    assert won(PLAIN, "8s", first, ScoringOptions(tian_di_hu_min=0)).pay_total == 13


def test_where_all_settle_their_jing_the_win_has_none() -> None:
    options = ScoringOptions(jing_settlement=JingSettlement.ALL_PLAYERS, bawang=Bawang.X2)
    win = won(TWELVE_POINTS, "9s", replace(DRAW, others_hold_jing=False), options)
    assert (win.jing_points, win.multiplier, win.jing_score, win.total) == (12, 1, 0, 9)


def test_no_reading_scores_more_than_the_one_that_counts() -> None:
    wins = 0
    for one in dealt(31, 2_000):
        situation = Situation(by=WinBy.SELF_DRAW if one.drawn else WinBy.DISCARD)
        win = best_win(one.hand, one.tile, jing=one.jing, situation=situation, options=DEFAULTS)
        if win is None:
            continue
        wins += 1
        worth = [score.base + score.bonus for score in win.scores]
        assert worth == sorted(worth, reverse=True)
        assert win.total == worth[0] * win.multiplier + win.jing_score
    assert wins > 500


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (ScoringOptions(qidui_no_jing_base=32), "qidui_no_jing_base"),
        (ScoringOptions(chongguan_base=5), "chongguan_base"),
        (ScoringOptions(tian_di_hu_min=1), "tian_di_hu_min"),
        (ScoringOptions(jing_variant=JingVariant.SHANG_XIA), "jing_variant"),
    ],
)
def test_options_that_the_rules_do_not_know_are_refused(
    options: ScoringOptions, field: str
) -> None:
    with pytest.raises(InvalidConfig) as refused:
        check_scoring(options)
    assert refused.value.field == field


def test_a_second_pair_of_jing_needs_that_all_settle() -> None:
    check_scoring(DEFAULTS)
    check_scoring(
        ScoringOptions(
            jing_variant=JingVariant.SHANG_XIA, jing_settlement=JingSettlement.ALL_PLAYERS
        )
    )
