"""Who pays (WINNING.md 9 and 13)."""

from itertools import product

import pytest

from parlor.rules.game import Seat
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.options import RobKongPays, ScoringOptions
from parlor.rules.jinxian.payments import (
    NOTHING,
    Deltas,
    add,
    chaozhuang_payments,
    deltas,
    jing_settlement,
    kong_payments,
    payments,
    transfers,
)

DEFAULTS = ScoringOptions()
DRAW, DISCARD, ROB = WinBy.SELF_DRAW, WinBy.DISCARD, WinBy.ROB_KONG
CASES = {
    "A dealer draws": (0, DRAW, None),
    "B dealer, discard": (0, DISCARD, 2),
    "C other draws": (1, DRAW, None),
    "D other, dealer discards": (1, DISCARD, 0),
    "E other, other discards": (1, DISCARD, 2),
    "F dealer robs": (0, ROB, 2),
    "G other robs": (1, ROB, 2),
}
TABLE: dict[int, tuple[Deltas, ...]] = {
    5: (
        (15, -5, -5, -5),
        (9, -2, -5, -2),
        (-5, 9, -2, -2),
        (-5, 5, 0, 0),
        (0, 2, -2, 0),
        (15, 0, -15, 0),
        (0, 9, -9, 0),
    ),
    6: (
        (18, -6, -6, -6),
        (12, -3, -6, -3),
        (-6, 12, -3, -3),
        (-6, 6, 0, 0),
        (0, 3, -3, 0),
        (18, 0, -18, 0),
        (0, 12, -12, 0),
    ),
    13: (
        (39, -13, -13, -13),
        (25, -6, -13, -6),
        (-13, 25, -6, -6),
        (-13, 13, 0, 0),
        (0, 6, -6, 0),
        (39, 0, -39, 0),
        (0, 25, -25, 0),
    ),
    69: (
        (207, -69, -69, -69),
        (137, -34, -69, -34),
        (-69, 137, -34, -34),
        (-69, 69, 0, 0),
        (0, 34, -34, 0),
        (207, 0, -207, 0),
        (0, 137, -137, 0),
    ),
}


def paid(total: int, case: str, options: ScoringOptions = DEFAULTS) -> Deltas:
    winner, by, loser = CASES[case]
    return payments(
        total,
        winner=Seat(winner),
        dealer=Seat(0),
        by=by,
        loser=None if loser is None else Seat(loser),
        options=options,
    )


@pytest.mark.parametrize(("total", "case"), list(product(TABLE, CASES)))
def test_the_table_of_payments(total: int, case: str) -> None:
    assert paid(total, case) == TABLE[total][list(CASES).index(case)]


@pytest.mark.parametrize(
    ("robbed", "as_discard"),
    [
        ("F dealer robs", "B dealer, discard"),
        ("G other robs", "E other, other discards"),
    ],
)
def test_a_robbed_kong_may_count_as_a_discard(robbed: str, as_discard: str) -> None:
    options = ScoringOptions(rob_kong_pays=RobKongPays.AS_DISCARD)
    assert paid(13, robbed, options) == paid(13, as_discard)


def test_bystanders_pay_half_of_what_a_draw_would_cost_them() -> None:
    options = ScoringOptions(bystanders_pay=True)
    assert paid(13, "D other, dealer discards", options) == (-13, 19, -3, -3)
    assert paid(13, "E other, other discards", options) == (-6, 15, -6, -3)
    for case in ("A dealer draws", "B dealer, discard", "C other draws", "F dealer robs"):
        assert paid(13, case, options) == paid(13, case)


def test_every_payment_goes_to_the_winner_and_sums_are_zero() -> None:
    rooms = [
        ScoringOptions(bystanders_pay=all_pay, rob_kong_pays=rob)
        for all_pay, rob in product((False, True), RobKongPays)
    ]
    for total, winner, dealer, other, by, options in product(
        (4, 5, 21, 474), range(4), range(4), range(4), WinBy, rooms
    ):
        if other == winner:
            continue
        loser = None if by is DRAW else Seat(other)
        made = transfers(
            total, winner=Seat(winner), dealer=Seat(dealer), by=by, loser=loser, options=options
        )
        assert all(one.payee == winner != one.payer and one.amount > 0 for one in made)
        assert sum(deltas(made)) == 0


def test_kongs_pay_one_or_two_from_each() -> None:
    assert kong_payments(Seat(1), MeldType.KONG) == (-1, 3, -1, -1)
    assert kong_payments(Seat(1), MeldType.ADDED_KONG) == (-1, 3, -1, -1)
    assert kong_payments(Seat(3), MeldType.CONCEALED_KONG) == (-2, -2, -2, 6)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param((5, 2, 0, 1), (27, -5, -13, -9), id="13 five points are worth ten"),
        pytest.param((4, 0, 0, 1), (11, -5, -5, -1), id="13 four are worth four"),
        pytest.param((0, 2, 0, 0), (-4, 12, -4, -4), id="13 alone they count twice"),
        pytest.param((0, 0, 0, 0), NOTHING, id="13 nobody has any"),
    ],
)
def test_all_players_settle_their_jing(points: tuple[int, ...], expected: Deltas) -> None:
    assert jing_settlement(points) == expected
    assert sum(expected) == 0


def test_the_dealer_pays_for_four_discards_alike() -> None:
    assert chaozhuang_payments(Seat(2)) == (5, 5, -15, 5)


def test_changes_add_up_by_seat() -> None:
    assert add((1, -1, 0, 0), (0, 2, -3, 1)) == (1, 1, -3, 1)
