"""Claims on a discard, their order, hidden answers and the lock (RULES.md 6.1 to 6.4)."""

from typing import Any

import pytest

from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN, ScoringOptions
from parlor.rules.jinxian.actions import Chow, Kong, Pass, Pong, Win
from parlor.rules.jinxian.config import PassedWinLock
from parlor.rules.jinxian.events import Answered, Asked
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.table import Phase, Question
from parlor.rules.jinxian.tiles import kind, text
from parlor.rules.reasons import Reason
from tests.unit.rules_jinxian.flow import (
    HAS_79S,
    HAS_88S,
    HAS_888S,
    IDLE,
    WAITS_8S,
    Game,
    game,
    ordered,
    seen,
)


def offered_8s(*hands: str, **options: Any) -> Game:
    """The dealer, seat 0, has discarded 8s to these hands of seats 1, 2 and 3."""
    play = game(IDLE, *hands, drawn="8s", **options)
    play.discard(0, "8s")
    return play


@pytest.mark.parametrize(
    ("hand", "may"),
    [
        pytest.param(HAS_79S, {"chow 79s", "pass"}, id="6.1 chow in the middle"),
        pytest.param("147m258p1679s116z", {"chow 67s", "chow 79s", "pass"}, id="6.1 two chows"),
        pytest.param(HAS_88S, {"pong", "pass"}, id="6.1 pong"),
        pytest.param(HAS_888S, {"kong 8s", "pong", "pass"}, id="6.1 kong or pong"),
        pytest.param(WAITS_8S, {"win", "chow 67s", "pass"}, id="6.1 win"),
        pytest.param(IDLE, set(), id="6.1 nothing"),
    ],
)
def test_the_next_seat_may_claim(hand: str, may: set[str]) -> None:
    play = offered_8s(hand, IDLE if may else HAS_88S)
    assert play.table.phase is Phase.RESPONDING
    assert play.may(1) == may


def test_only_the_next_seat_may_chow() -> None:
    """6.1"""
    play = offered_8s(IDLE, HAS_79S, HAS_88S)
    assert play.may(2) == set()


@pytest.mark.parametrize(
    ("tile", "hand", "honour_chow", "may"),
    [
        pytest.param("1z", "258m369p147s24z66z", True, {"chow 24z", "pass"}, id="4.4 winds"),
        pytest.param("6z", "258m369p147s57z33z", True, {"chow 57z", "pass"}, id="4.4 dragons"),
        pytest.param("1z", "258m369p147s24z66z", False, set(), id="4.4 not with the option off"),
    ],
)
def test_honours_form_chows(tile: str, hand: str, honour_chow: bool, may: set[str]) -> None:
    scoring = ScoringOptions(honour_chow=honour_chow)
    play = game(IDLE, hand, drawn=tile, jing="9p", scoring=scoring)
    play.discard(0, tile)
    assert play.may(1) == may


def test_a_chow_takes_the_discard_and_asks_for_a_discard() -> None:
    """5.3"""
    play = offered_8s(HAS_79S)
    play.chow(1, "79s")
    (meld,) = play.table.melds[1]
    assert (meld.type, text(meld.kinds)) == (MeldType.CHOW, "789s")
    assert (meld.taken, meld.source) == (kind("8s"), 0)
    assert play.table.river[-1].claimed
    assert play.table.active == 1
    assert play.hand(1) == ordered("147m258p14s11z6z")
    assert play.table.deadline is not None
    assert play.table.deadline.question is Question.DISCARD
    assert play.table.remaining == 83


def test_after_a_claim_there_is_only_a_discard() -> None:
    """5.3"""
    play = offered_8s(IDLE, "369m147p288s1111z")
    play.pong(2)
    assert play.may(2) == set()
    number = play.number(2)
    play.refuses(Reason.MUST_DISCARD, 2, Kong(decision=number, tile=kind("1z")))
    play.refuses(Reason.MUST_DISCARD, 2, Win(decision=number))
    play.discard(2, "9m")
    assert play.table.active == 3


@pytest.mark.parametrize(
    ("seat", "tiles", "reason"),
    [
        pytest.param(1, "67s", Reason.CANNOT_CLAIM, id="tiles it does not hold"),
        pytest.param(1, "17s", Reason.CANNOT_CLAIM, id="tiles that make no chow"),
        pytest.param(2, "79s", Reason.NOT_YOUR_TURN, id="not the next seat"),
    ],
)
def test_a_wrong_chow_is_refused(seat: int, tiles: str, reason: Reason) -> None:
    play = offered_8s(HAS_79S, IDLE)
    first, second = (kind(f"{rank}s") for rank in tiles[:2])
    play.refuses(reason, seat, Chow(decision=play.number(seat), tiles=(first, second)))


def test_what_was_not_offered_cannot_be_claimed() -> None:
    play = offered_8s(HAS_79S)
    number = play.number(1)
    play.refuses(Reason.CANNOT_CLAIM, 1, Pong(decision=number))
    play.refuses(Reason.CANNOT_CLAIM, 1, Kong(decision=number, tile=kind("8s")))
    play.refuses(Reason.CANNOT_CLAIM, 1, Kong(decision=number, tile=kind("9s")))
    play.refuses(Reason.BAD_TILE, 1, Chow(decision=number, tiles=(-1, 26)))
    play.refuses(Reason.NOT_A_WIN, 1, Win(decision=number))


def test_a_seat_answers_once() -> None:
    """6.2"""
    play = offered_8s(HAS_79S, HAS_88S)
    play.chow(1, "79s")
    play.refuses(Reason.ALREADY_CHOSEN, 1, Pass(decision=play.number(1)))


@pytest.mark.parametrize("first", [1, 2])
def test_a_pong_goes_before_a_chow_whoever_answers_first(first: int) -> None:
    """6.2"""
    play = offered_8s(HAS_79S, HAS_88S)
    if first == 1:
        play.chow(1, "79s")
        assert play.table.phase is Phase.RESPONDING
    play.pong(2)
    assert play.table.active == 2
    assert play.table.melds[1] == ()


def test_a_chow_stands_when_the_pong_is_passed() -> None:
    play = offered_8s(HAS_79S, HAS_88S)
    play.chow(1, "79s")
    play.pass_claim(2)
    assert play.table.active == 1
    assert len(play.table.melds[1]) == 1


def test_a_win_goes_before_a_kong() -> None:
    """6.2"""
    play = offered_8s(IDLE, HAS_888S, WAITS_8S)
    play.kong(2, "8s")
    assert play.table.phase is Phase.RESPONDING
    play.win(3)
    assert play.table.history[-1].winner == 3


def test_a_kong_takes_the_tile_when_the_win_is_passed() -> None:
    play = offered_8s(IDLE, HAS_888S, WAITS_8S, tail="5m")
    play.kong(2, "8s")
    play.pass_claim(3)
    (meld,) = play.table.melds[2]
    assert meld.type is MeldType.KONG
    assert play.state.drawn == kind("5m")


def test_the_nearest_of_several_wins_takes_the_tile() -> None:
    """6.2"""
    play = offered_8s(IDLE, WAITS_8S, "123456m456p3367s")
    play.win(3)
    assert play.table.phase is Phase.RESPONDING
    play.win(2)
    record = play.table.history[-1]
    assert record.winner == 2
    assert record.deltas[3] == 0


def test_the_nearest_win_closes_the_window_at_once() -> None:
    """6.3"""
    play = offered_8s(IDLE, WAITS_8S, "123456m456p3367s")
    play.win(2)
    assert play.table.phase is Phase.ROUND_END


def test_a_pong_closes_the_window_that_only_a_chow_is_out_for() -> None:
    """6.3"""
    play = offered_8s(HAS_79S, HAS_88S)
    play.pong(2)
    assert play.table.phase is Phase.PLAYING
    assert play.may(1) == set()


def test_all_passes_let_the_next_seat_draw() -> None:
    play = offered_8s(HAS_79S, HAS_88S)
    play.pass_claim(2)
    play.pass_claim(1)
    assert play.table.active == 1
    assert play.table.phase is Phase.PLAYING
    assert not play.table.river[-1].claimed


def test_an_answer_is_an_event_for_its_seat_alone() -> None:
    """12.3"""
    play = offered_8s(HAS_79S, HAS_88S, WAITS_8S)
    events = play.pass_claim(3)
    assert [type(event) for event in events] == [Answered]
    for audience in (0, 1, 2, None):
        assert seen(events, None if audience is None else Seat(audience)) == []
    assert seen(events, Seat(3)) == events


def test_a_window_does_not_say_whom_it_asks() -> None:
    """12.3"""
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
    events = play.discard(0, "8s")
    for audience in (0, 3, None):
        (asked,) = (event for event in seen(events, audience) if isinstance(event, Asked))  # type: ignore[arg-type]
        assert (asked.seats, asked.asks) == ((), ())
    (own,) = (event for event in seen(events, Seat(2)) if isinstance(event, Asked))
    assert [ask.seat for ask in own.asks] == [2]


def test_at_the_end_of_the_wall_a_discard_is_only_won_on() -> None:
    """2.7"""
    play = game(IDLE, HAS_79S, HAS_888S, WAITS_8S, drawn="9m")
    while play.table.drawable:
        play.clock()
    last = play.table.active
    assert play.table.deadline is not None
    assert last == 1
    play.discard(1, "9s")
    assert play.table.phase is Phase.ROUND_END


@pytest.fixture
def locked() -> Game:
    """Seat 3 has declined 8s from seat 0; then seat 1 discards 5s, which it waits for too."""
    play = offered_8s(IDLE, IDLE, WAITS_8S, draws="5s9p9p")
    play.pass_claim(3)
    return play


def test_a_declined_win_locks_the_seat(locked: Game) -> None:
    """6.4"""
    assert locked.view(3).passed == 13
    assert locked.view(2).passed == 0
    locked.discard(1, "5s")
    assert locked.may(3) == set()
    assert locked.table.active == 2


def test_a_draw_ends_the_lock(locked: Game) -> None:
    """6.4"""
    locked.toss(1, 2)
    assert locked.table.active == 3
    assert locked.view(3).passed == 0


def test_a_locked_seat_may_still_claim_otherwise() -> None:
    """6.4"""
    play = offered_8s(IDLE, "369m147p2258s114z", "123456m123p5567s", draws="5s")
    assert play.may(3) == {"win", "pass"}
    play.pass_claim(3)
    play.discard(1, "5s")
    assert play.may(3) == {"pong", "pass"}
    play.refuses(Reason.WIN_LOCKED, 3, Win(decision=play.number(3)))
    play.pong(3)
    assert play.view(3).passed == 13


def test_another_claim_declines_the_win_too() -> None:
    """6.4"""
    play = offered_8s(IDLE, IDLE, "123456m123p5588s")
    assert play.may(3) == {"win", "pong", "pass"}
    play.pong(3)
    assert play.view(3).passed == 13


def test_a_timeout_declines_the_win_without_the_option_to_take_it() -> None:
    play = offered_8s(IDLE, IDLE, WAITS_8S, auto_win=False, fast=True)
    assert play.clock() == "claim"
    assert play.view(3).passed == 13


def test_without_the_option_nothing_locks() -> None:
    play = offered_8s(IDLE, IDLE, WAITS_8S, draws="5s", passed_win_lock=PassedWinLock.OFF)
    play.pass_claim(3)
    play.discard(1, "5s")
    assert play.may(3) == {"win", "pass"}


@pytest.mark.parametrize(
    ("first", "second", "may"),
    [
        pytest.param("5s", "8s", {"win", "pass"}, id="6.4 a jing more: higher"),
        pytest.param("8s", "5s", set(), id="6.4 lower"),
    ],
)
def test_the_lock_lets_a_higher_win_through(first: str, second: str, may: set[str]) -> None:
    """The jing are 7s and 8s, so that 8s scores a point more than 5s."""
    play = game(
        *(IDLE, IDLE, IDLE, WAITS_8S),
        drawn=first,
        draws=second,
        jing="7s",
        passed_win_lock=PassedWinLock.UNTIL_DRAW_UNLESS_HIGHER,
    )
    play.toss(0)
    play.pass_claim(3)
    play.toss(1)
    assert play.may(3) == may


def test_a_self_drawn_win_is_declined_for_nothing() -> None:
    """6.4"""
    play = game(IDLE, WAITS_8S, draws="8s")
    play.discard(0, "9m")
    play.discard(1, "8s")
    assert play.view(1).passed == 0


def test_legal_answers_are_accepted() -> None:
    play = offered_8s("147m258p1679s116z", HAS_888S, WAITS_8S)
    for seat in (1, 2, 3):
        for action in JINXIAN.legal_actions(play.state, Seat(seat)):
            JINXIAN.apply(play.state, Seat(seat), action, play.at)
