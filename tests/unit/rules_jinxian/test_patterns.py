"""The five patterns and what counts as one of them (WINNING.md 4 and 7)."""

import pytest

from parlor.rules.jinxian.hands import Hand, WinBy
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.patterns import Pattern, Reading, readings
from parlor.rules.jinxian.scoring import can_win
from parlor.rules.jinxian.tiles import KINDS, counts, kind
from tests.unit.rules_jinxian.dealt import dealt, hand, jing

DEFAULTS = ScoringOptions()
DRAW, DISCARD, ROB = WinBy.SELF_DRAW, WinBy.DISCARD, WinBy.ROB_KONG


def found(
    held: Hand,
    tile: str,
    *,
    turned: str = "5m",
    by: WinBy = DRAW,
    options: ScoringOptions = DEFAULTS,
) -> set[str]:
    """The patterns, each with `+jing` and `+diao` where they apply."""
    seen = readings(held, kind(tile), jing=jing(turned), by=by, options=options)
    won = can_win(held, kind(tile), jing=jing(turned), by=by, options=options)
    assert won == bool(seen)
    return {_short(one) for one in seen}


def _short(one: Reading) -> str:
    short = one.pattern.value.lower()
    return short + "+jing" * one.has_jing + "+diao" * one.is_jingdiao


@pytest.mark.parametrize(
    ("held", "tile", "by", "expected"),
    [
        pytest.param(
            hand("123m456789p2267s"), "8s", DISCARD, {"pinghu"}, id="7 four sets and a pair"
        ),
        pytest.param(hand("123m456789p2267s"), "9s", DRAW, set(), id="7 one tile short"),
        pytest.param(
            hand("456m456789p2267s"), "8s", DRAW, {"pinghu"}, id="7 both jing at their faces"
        ),
        pytest.param(
            hand("1255m1789p2267s1z"), "8s", DRAW, set(), id="4 two jing cannot mend three gaps"
        ),
        pytest.param(
            hand("123456789p2267s"), "5m", DISCARD, set(), id="4 a discarded jing is no wild"
        ),
        pytest.param(
            hand("123456789p2267s"), "5m", ROB, set(), id="4 nor is one from a robbed kong"
        ),
        pytest.param(hand("123456789p2267s"), "5m", DRAW, {"pinghu+jing"}, id="4 a drawn one is"),
        pytest.param(
            hand("46m456789p22678s"), "5m", DISCARD, {"pinghu"}, id="4 at its face it may win"
        ),
        pytest.param(
            hand("12m1456p2267789s", "pong 555m"), "8s", DRAW, set(), id="4 jing in melds are bound"
        ),
        pytest.param(hand("1122m3344p5566s7z"), "7z", DRAW, {"qidui"}, id="7 seven pairs"),
        pytest.param(
            hand("1111m3344p5566s7z"), "7z", DRAW, {"qidui"}, id="7 four alike are two pairs"
        ),
        pytest.param(
            hand("1144p5566s7z", "concealed 1111m"),
            "7z",
            DRAW,
            set(),
            id="7 no pairs beside a kong",
        ),
        pytest.param(
            hand("222p3344s", "pong 777p", "kong 1111z"),
            "4s",
            DISCARD,
            {"sipeng", "pinghu"},
            id="7 triplets and kongs",
        ),
        pytest.param(
            hand("222p3344s", "pong 777p", "chow 123m"),
            "4s",
            DISCARD,
            {"pinghu"},
            id="7 a chow among the melds",
        ),
        pytest.param(hand("147m258p369s1234z"), "5z", DRAW, {"shisanlan"}, id="7 scattered"),
        pytest.param(hand("147m257p369s1234z"), "5z", DRAW, set(), id="7 two ranks too close"),
        pytest.param(hand("147m258p369s1234z"), "4z", DRAW, set(), id="7 an honour twice"),
        pytest.param(
            hand("147m258p3s123456z"),
            "7z",
            DISCARD,
            {"qixing_shisanlan", "shisanlan"},
            id="7 all seven honours",
        ),
        pytest.param(
            hand("5m37m37p37s123456z"), "7z", DRAW, set(), id="7 no room for another suit tile"
        ),
    ],
)
def test_what_a_hand_wins_with(held: Hand, tile: str, by: WinBy, expected: set[str]) -> None:
    # In the last case 5m is the jing, but 3 and 7 of each suit leave no rank for it.
    assert found(held, tile, by=by) == expected


def test_only_a_scattered_hand_with_real_honours_has_seven_stars() -> None:
    held = hand("1478m258p3s12345z")
    assert found(held, "6z", turned="8m") == {"shisanlan+jing"}
    free = ScoringOptions(qixing_real_honours=False)
    assert found(held, "6z", turned="8m", options=free) == {
        "shisanlan+jing",
        "qixing_shisanlan+jing",
    }


def test_a_jing_honour_is_one_of_the_seven_and_its_copies_are_wild() -> None:
    held = hand("147m258p1123456z")
    assert found(held, "7z", turned="1z") == {"shisanlan+jing", "qixing_shisanlan+jing"}


def test_with_restore_off_any_jing_makes_a_hand_one_with_jing() -> None:
    strict = ScoringOptions(jing_restore=False)
    assert found(hand("456m456789p2267s"), "8s", options=strict) == {"pinghu+jing"}
    laid = hand("789p2267s", "pong 555m", "chow 123s")
    assert found(laid, "8s", options=strict) == {"pinghu+jing"}
    assert found(hand("123m456789p2267s"), "8s", options=strict) == {"pinghu"}


def test_honours_are_chows_only_with_the_option() -> None:
    held = hand("456789p2267s124z")
    assert found(held, "8s") == {"pinghu"}
    assert found(held, "8s", options=ScoringOptions(honour_chow=False)) == set()


def test_a_lone_jing_waits_on_any_tile() -> None:
    melds = ("pong 111m", "pong 444p", "pong 777s", "pong 111z")
    assert found(hand("5m", *melds), "3s") == {"sipeng+jing+diao", "pinghu+jing+diao"}
    assert found(hand("5m", *melds), "3s", by=DISCARD) == {"sipeng+jing", "pinghu+jing"}


def test_a_wait_on_any_tile_may_be_barred_from_discards() -> None:
    options = ScoringOptions(any_tile_wait_discard_win=False)
    melds = ("pong 111m", "pong 444p", "pong 777s", "pong 111z")
    assert found(hand("5m", *melds), "3s", by=DISCARD, options=options) == set()
    assert found(hand("5m", *melds), "3s", by=ROB, options=options) == set()
    assert found(hand("5m", *melds), "3s", options=options)
    # The pairs wait on any tile, the sets only on a few: they are what is left.
    both = hand("5m112233p445577s")
    assert found(both, "6s", by=DISCARD) == {"qidui+jing", "pinghu+jing"}
    assert found(both, "6s", by=DISCARD, options=options) == {"pinghu+jing"}


def test_pinghu_with_jing_may_be_barred_from_discards() -> None:
    options = ScoringOptions(plain_jing_discard_win=False)
    held = hand("1235m12789p2267s")
    assert found(held, "8s", by=DISCARD, options=options) == set()
    assert found(held, "8s", by=ROB, options=options) == set()
    assert found(held, "8s", by=DRAW, options=options) == {"pinghu+jing"}
    pongs = hand("5m222p334s", "pong 777p", "pong 111z")
    assert found(pongs, "4s", by=DISCARD, options=options) == {"sipeng+jing"}


def test_jingdiao_is_exactly_a_wait_on_every_kind() -> None:
    """The definition by what could be drawn, for every pattern that can have it."""
    asked = 0
    for one in dealt(21, 1_200):
        if not any(kind in one.jing for kind in one.hand.concealed):
            continue
        if 4 in counts(one.hand.concealed):
            # The hand itself keeps a kind from being drawn.
            continue
        seen = readings(one.hand, one.tile, jing=one.jing, by=DRAW, options=DEFAULTS)
        for reading in seen:
            if reading.pattern in (Pattern.SHISANLAN, Pattern.QIXING_SHISANLAN):
                assert not reading.is_jingdiao
                continue
            # One draw in turn, until one does not complete the pattern.
            any_tile = all(
                reading.pattern
                in {
                    other.pattern
                    for other in readings(one.hand, drawn, jing=one.jing, by=DRAW, options=DEFAULTS)
                }
                for drawn in range(KINDS)
            )
            assert reading.is_jingdiao == any_tile, one
            asked += any_tile
    assert asked > 50
