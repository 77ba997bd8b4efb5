"""Tiles, jing and what melds can be made (WINNING.md 2, 3 and 4)."""

import pytest

from parlor.rules.jinxian.jing import Jing, holds_jing, jing_of, jing_points
from parlor.rules.jinxian.melds import (
    added_kongs,
    can_kong,
    can_pong,
    chow_partners,
    chows,
    concealed_kongs,
)
from parlor.rules.jinxian.tiles import (
    KINDS,
    TILES,
    counts,
    in_order,
    kind,
    kind_of,
    kinds,
    name,
    next_kind,
    seat_after,
    seats_apart,
    text,
    without,
)
from tests.unit.rules_jinxian.dealt import meld


def test_every_kind_has_a_name_and_four_tiles() -> None:
    assert [kind(name(one)) for one in range(KINDS)] == list(range(KINDS))
    assert counts(map(kind_of, range(TILES))) == [4] * KINDS


def test_notation_reads_in_the_order_written_and_is_written_ascending() -> None:
    assert kinds("3m 1m 77z 9p") == (2, 0, 33, 33, 17)
    assert text(kinds("3m 1m 77z 9p")) == "13m9p77z"
    assert kinds("") == ()


@pytest.mark.parametrize("bad", ["8z", "0m", "m", "12", "1m2x", "1M"])
def test_what_is_no_tile_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"tiles|honours"):
        kinds(bad)


@pytest.mark.parametrize("bad", ["", "12m", "1m2p"])
def test_one_code_is_one_tile(bad: str) -> None:
    with pytest.raises(ValueError, match="not one tile"):
        kind(bad)


@pytest.mark.parametrize(
    ("turned", "follows"),
    [
        ("1m", "2m"),
        ("9m", "1m"),
        ("9p", "1p"),
        ("9s", "1s"),
        ("4z", "1z"),
        ("7z", "5z"),
        ("5z", "6z"),
    ],
)
def test_the_fu_jing_follows_the_kind_that_is_turned(turned: str, follows: str) -> None:
    assert jing_of(kind(turned)) == Jing(zheng=kind(turned), fu=kind(follows))


def test_every_kind_follows_one_kind() -> None:
    assert sorted(map(next_kind, range(KINDS))) == list(range(KINDS))


def test_jing_points_are_two_and_one_and_twelve_at_most() -> None:
    jing = jing_of(kind("5m"))
    assert jing_points(jing, kinds("4556m7m5z")) == 5
    assert jing_points(jing, kinds("55556666m")) == 12


def test_a_seat_holds_jing_in_its_hand_or_its_melds() -> None:
    jing = jing_of(kind("5m"))
    assert holds_jing(jing, kinds("126m"), [])
    assert holds_jing(jing, kinds("12m"), [meld("chow 345m")])
    assert not holds_jing(jing, kinds("12m"), [meld("chow 123m")])


@pytest.mark.parametrize(
    ("code", "honour_chow", "pairs"),
    [
        pytest.param("1m", True, ["23m"], id="4 end of a suit"),
        pytest.param("5s", True, ["34s", "46s", "67s"], id="4 middle of a suit"),
        pytest.param("9p", True, ["78p"], id="4 no chow from 9 to 1"),
        pytest.param("1z", True, ["23z", "24z", "34z"], id="4 any three winds"),
        pytest.param("6z", True, ["57z"], id="4 the three dragons"),
        pytest.param("1z", False, [], id="4 winds, option off"),
        pytest.param("6z", False, [], id="4 dragons, option off"),
    ],
)
def test_what_makes_a_chow(code: str, honour_chow: bool, pairs: list[str]) -> None:
    expected = tuple(kinds(pair) for pair in pairs)
    assert chow_partners(kind(code), honour_chow=honour_chow) == expected


def test_a_chow_takes_both_tiles_from_the_hand() -> None:
    hand = kinds("3467m1345z")
    assert chows(hand, kind("5m"), honour_chow=True) == (kinds("34m"), kinds("46m"), kinds("67m"))
    assert chows(hand, kind("2z"), honour_chow=True) == (kinds("13z"), kinds("14z"), kinds("34z"))
    assert chows(hand, kind("6z"), honour_chow=True) == ()


def test_pongs_and_kongs_need_real_copies() -> None:
    hand = kinds("22m333p")
    assert can_pong(hand, kind("2m"))
    assert not can_kong(hand, kind("2m"))
    assert can_kong(hand, kind("3p"))
    assert not can_pong(hand, kind("4p"))


def test_kongs_of_the_own_turn() -> None:
    hand = kinds("2222m3p5z")
    melds = [meld("pong 555z"), meld("pong 444p"), meld("chow 345p")]
    assert concealed_kongs(hand) == kinds("2m")
    assert added_kongs(hand, melds) == kinds("5z")


def test_a_hand_loses_one_tile_for_each() -> None:
    assert without(kinds("2223m"), kinds("22m")) == kinds("23m")
    with pytest.raises(ValueError, match="not in list"):
        without(kinds("2m"), kinds("22m"))
    assert in_order(kinds("3z1m")) == kinds("1m3z")


def test_seats_go_round() -> None:
    assert [seat_after(seat) for seat in range(4)] == [1, 2, 3, 0]
    assert [seats_apart(3, seat) for seat in range(4)] == [1, 2, 3, 0]
