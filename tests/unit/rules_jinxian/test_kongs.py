"""Kongs of all kinds, replacement tiles and robbing (RULES.md 6.5 and 6.6)."""

from typing import Any

import pytest

from parlor.rules.game import Seat
from parlor.rules.jinxian import ScoringOptions
from parlor.rules.jinxian.actions import Kong, Pass, Pong
from parlor.rules.jinxian.events import Drawn, Melded
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.scoring import FactorName
from parlor.rules.jinxian.table import Phase
from parlor.rules.jinxian.tiles import kind
from parlor.rules.reasons import Reason
from tests.unit.rules_jinxian.flow import IDLE, WAITS_8S, Game, game, ordered, seen

HAS_999M = "147m258p3s999m11z6z"


def test_a_concealed_kong_draws_a_replacement() -> None:
    """6.5"""
    play = game(HAS_999M, drawn="9m", tail="5m")
    assert play.may(0) == {"kong 9m"}
    events = play.kong(0, "9m")
    (meld,) = play.table.melds[0]
    assert (meld.type, meld.taken, meld.source) == (MeldType.CONCEALED_KONG, None, None)
    assert Drawn(seat=Seat(0), tile=kind("5m"), replacement=True) in events
    assert play.hand(0) == ordered("147m258p3s5m11z6z")
    assert (play.table.remaining, play.table.replaced) == (82, 1)
    assert play.table.active == 0


def test_another_kong_may_follow() -> None:
    """6.5"""
    play = game("147m2p999m555p11z6z", drawn="9m", tail="5p3s")
    play.kong(0, "9m")
    assert play.may(0) == {"kong 5p"}
    play.kong(0, "5p")
    assert play.state.drawn == kind("3s")
    assert play.table.replaced == 2


def test_four_alike_need_not_be_laid_down_at_once() -> None:
    play = game(HAS_999M, drawn="9m", draws="9p9p9p9p")
    play.discard(0, "1m")
    for seat in (1, 2, 3):
        play.discard(seat, "9p")
    assert "kong 9m" in play.may(0)


def test_an_exposed_kong_takes_three_of_the_hand() -> None:
    play = game(IDLE, IDLE, "147m258p3888s22z4z", drawn="8s", tail="5m")
    play.discard(0, "8s")
    play.kong(2, "8s")
    (meld,) = play.table.melds[2]
    assert (meld.type, meld.taken, meld.source) == (MeldType.KONG, kind("8s"), 0)
    assert play.table.river[-1].claimed
    assert play.state.drawn == kind("5m")
    assert play.table.counts[2] == 11


def ponged_8s(waiting: str = WAITS_8S, **options: Any) -> Game:
    """Seat 2 has a pong of 8s and has drawn the fourth; seat 3 waits for 8s and 5s."""
    hands = (IDLE, IDLE, "369m147p2588s113z", waiting)
    play = game(*hands, drawn="8s", draws="9p9p9p8s", tail="4m", **options)
    play.discard(0, "8s")
    if waiting:
        # The win would take it. The lock of the declined one ends with seat 3's own draw.
        play.pass_claim(3)
    play.pong(2)
    play.discard(2, "9m")
    play.toss(3, 0, 1)
    return play


@pytest.fixture
def ponged() -> Game:
    return ponged_8s()


def test_an_added_kong_can_be_robbed(ponged: Game) -> None:
    """6.6"""
    assert ponged.may(2) == {"kong 8s"}
    ponged.kong(2, "8s")
    assert ponged.table.phase is Phase.RESPONDING
    assert ponged.table.adding == kind("8s")
    assert ponged.may(3) == {"win", "pass"}
    assert ponged.table.counts[2] == 11


def test_a_robbed_tile_leaves_its_owner_and_the_pong_stays(ponged: Game) -> None:
    """6.6"""
    ponged.kong(2, "8s")
    ponged.win(3)
    record = ponged.table.history[-1]
    assert (record.winner, record.loser, record.by) == (3, 2, WinBy.ROB_KONG)
    (meld,) = ponged.table.melds[2]
    assert meld.type is MeldType.PONG
    assert kind("8s") not in ponged.state.hands[2]
    assert ponged.table.counts[2] == len(ponged.state.hands[2]) == 10
    assert ponged.table.replaced == 0
    assert ponged.table.tallies[2].losses == 1
    assert record.deltas == (0, 0, -25, 25)


def test_a_kong_that_is_not_robbed_is_complete(ponged: Game) -> None:
    """6.6"""
    ponged.kong(2, "8s")
    ponged.pass_claim(3)
    (meld,) = ponged.table.melds[2]
    assert (meld.type, meld.taken, meld.source) == (MeldType.ADDED_KONG, kind("8s"), 0)
    assert ponged.state.drawn == kind("4m")
    assert ponged.table.adding is None
    assert ponged.view(3).passed == 13


def test_a_kong_cannot_be_claimed_but_by_a_win(ponged: Game) -> None:
    ponged.kong(2, "8s")
    ponged.refuses(Reason.CANNOT_CLAIM, 3, Pong(decision=ponged.number(3)))
    ponged.refuses(Reason.NOT_YOUR_TURN, 1, Pass(decision=ponged.number(1)))


def test_an_added_kong_that_nobody_can_rob_is_complete_at_once() -> None:
    play = ponged_8s(IDLE)
    play.kong(2, "8s")
    assert play.table.phase is Phase.PLAYING
    assert play.table.melds[2][0].type is MeldType.ADDED_KONG


def test_a_concealed_kong_is_never_robbed() -> None:
    """6.6"""
    play = game("147m258p3s888s11z6z", IDLE, IDLE, WAITS_8S, drawn="8s")
    play.kong(0, "8s")
    assert play.table.phase is Phase.PLAYING


def test_a_win_on_the_replacement_tile_counts_double() -> None:
    play = game("123456m99p78p888s", drawn="8s", tail="6p")
    play.kong(0, "8s")
    assert play.may(0) == {"win"}
    play.win(0)
    win = play.table.history[-1].win
    assert win is not None
    assert [factor.name for factor in win.factors] == [FactorName.GANGKAI]
    assert play.table.history[-1].special is None


def test_the_kind_of_a_concealed_kong_is_hidden_until_the_round_ends() -> None:
    """12.2"""
    play = game("123456m99p78p888s", drawn="8s", tail="6p")
    events = play.kong(0, "8s")
    for audience in (Seat(1), None):
        (laid,) = (event for event in seen(events, audience) if isinstance(event, Melded))
        assert laid.meld.kinds == ()
        assert play.view(audience).table.melds[0][0].kinds == ()
    assert play.view(0).table.melds[0][0].kinds == (kind("8s"),) * 4
    play.win(0)
    assert play.view(None).table.melds[0][0].kinds == (kind("8s"),) * 4


def test_without_the_option_a_concealed_kong_is_open() -> None:
    play = game(HAS_999M, drawn="9m", concealed_kong_hidden=False)
    play.kong(0, "9m")
    assert play.view(None).table.melds[0][0].kinds == (kind("9m"),) * 4


def test_without_a_drawable_tile_there_is_no_kong() -> None:
    """2.7"""
    play = game(IDLE, "147m258p369s1111z")
    while play.table.drawable:
        play.clock()
    assert play.table.active == 1
    assert play.may(1) <= {"stopautoplay"}
    play.refuses(Reason.WALL_SPENT, 1, Kong(decision=play.number(1), tile=kind("1z")))


@pytest.mark.parametrize(
    ("how", "paid"),
    [
        pytest.param("concealed", (6, -2, -2, -2), id="13.2 concealed"),
        pytest.param("exposed", (-1, -1, 3, -1), id="13.2 exposed"),
    ],
)
def test_kongs_pay_at_once_where_the_option_says_so(
    how: str, paid: tuple[int, int, int, int]
) -> None:
    scoring = ScoringOptions(kong_score=True)
    if how == "concealed":
        play = game(HAS_999M, drawn="9m", scoring=scoring)
        play.kong(0, "9m")
    else:
        play = game(IDLE, IDLE, "147m258p3888s22z4z", drawn="8s", scoring=scoring)
        play.discard(0, "8s")
        play.kong(2, "8s")
    assert play.table.booked == paid
    assert play.table.scores == (0, 0, 0, 0)
    while play.table.phase is not Phase.ROUND_END:
        play.clock()
    assert play.table.history[-1].extras == paid


def test_a_robbed_kong_pays_nothing() -> None:
    """13.2"""
    play = ponged_8s(scoring=ScoringOptions(kong_score=True))
    play.kong(2, "8s")
    play.win(3)
    assert play.table.history[-1].extras == (0, 0, 0, 0)
