"""Limits, default moves, autoplay and connections (RULES.md 11)."""

from typing import Any

import pytest

from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.actions import StopAutoplay
from parlor.rules.jinxian.autoplay import default_discard
from parlor.rules.jinxian.events import Answered, AutoplayChanged, Discarded, Reminded
from parlor.rules.jinxian.table import Phase
from parlor.rules.jinxian.tiles import kind, name
from parlor.rules.reasons import Reason
from tests.unit.rules_jinxian.flow import BEGAN, HAS_79S, HAS_88S, IDLE, WAITS_8S, Game, game


def autoplay(play: Game, *seats: int) -> None:
    """Puts the seats on autoplay: they are away for too long."""
    for seat in seats:
        play.online(seat, False)
    while not all(play.table.autoplay[seat] for seat in seats):
        play.clock()


@pytest.mark.parametrize(
    ("options", "dues"),
    [
        pytest.param({}, {"turn": 90_000, "reminder": 30_000}, id="11.4 standard"),
        pytest.param({"fast": True}, {"turn": 15_000}, id="11.3 fast"),
        pytest.param({"show_ms": 3_000}, {"turn": 93_000, "reminder": 33_000}, id="11.1 display"),
        pytest.param({"turn_ms": 7_000}, {"turn": 21_000, "reminder": 7_000}, id="1.2 a setting"),
    ],
)
def test_a_turn_has_its_limit(options: dict[str, Any], dues: dict[str, int]) -> None:
    assert game(**options).dues() == dues


@pytest.mark.parametrize(
    ("fast", "dues"),
    [
        pytest.param(False, {"claim": 15_000, "reminder": 5_000}, id="11.4 standard"),
        pytest.param(True, {"claim": 3_000}, id="11.3 fast"),
    ],
)
def test_a_window_has_its_limit(fast: bool, dues: dict[str, int]) -> None:
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s", fast=fast)
    play.discard(0, "8s")
    assert play.dues() == dues


def test_a_standard_turn_is_reminded_of_twice_and_then_played() -> None:
    """11.4"""
    play = game()
    assert play.clock() == "reminder"
    assert play.at == BEGAN + 30_000
    assert play.events == [Reminded(remind=BEGAN + 60_000)]
    assert play.clock() == "reminder"
    assert play.events == [Reminded(remind=None)]
    assert play.clock() == "turn"
    assert play.at == BEGAN + 90_000
    assert Discarded(seat=Seat(0), tile=kind("9m"), auto=True) in play.events
    assert not play.table.autoplay[0]


def test_a_standard_window_is_reminded_of_once() -> None:
    """11.4"""
    play = game(IDLE, HAS_79S, drawn="8s")
    play.discard(0, "8s")
    assert play.clock() == "reminder"
    assert play.events == [Reminded(remind=None)]
    assert play.clock() == "claim"
    assert play.at == BEGAN + 15_000
    assert play.table.active == 1


def late_turn(play: Game) -> None:
    """Lets the seat on turn run out its limit."""
    seat = play.table.active
    while play.table.active == seat:
        play.clock()


def test_two_late_turns_in_a_row_put_a_seat_on_autoplay() -> None:
    """11.4"""
    play = game(draws="9p9p9p9p")
    late_turn(play)
    assert not any(play.table.autoplay)
    play.toss(1, 2, 3)
    late_turn(play)
    assert play.table.autoplay == (True, False, False, False)


def test_a_turn_in_time_breaks_the_row() -> None:
    """11.4"""
    play = game(draws="9p9p9p8p9m9m9m9p")
    late_turn(play)
    play.toss(1, 2, 3, 0, 1, 2, 3)
    late_turn(play)
    assert not any(play.table.autoplay)


def test_one_late_turn_is_enough_in_fast_mode() -> None:
    """11.3"""
    play = game(fast=True)
    play.clock()
    assert play.table.autoplay == (True, False, False, False)


def test_a_late_answer_leaves_autoplay_as_it_is() -> None:
    """11.3"""
    play = game(IDLE, HAS_79S, drawn="8s", fast=True)
    play.discard(0, "8s")
    play.clock()
    assert not any(play.table.autoplay)


@pytest.mark.parametrize(
    ("hand", "drawn", "tile"),
    [
        pytest.param("147m258p369s1133z", "9m", "9m", id="11.2 the drawn tile"),
        pytest.param("147m258p369s1133z", "7z", "3z", id="11.2 not a drawn jing"),
        pytest.param("147m258p369s115z7z", "7z", "1z", id="11.2 the highest that is no jing"),
    ],
)
def test_the_default_discard(hand: str, drawn: str, tile: str) -> None:
    play = game(hand, drawn=drawn)
    assert name(default_discard(play.state, Seat(0))) == tile


def test_after_a_claim_the_highest_tile_is_discarded() -> None:
    """11.2"""
    play = game(IDLE, HAS_79S, drawn="8s", fast=True)
    play.discard(0, "8s")
    play.chow(1, "79s")
    play.clock()
    assert play.table.river[-1].tile == kind("6z")


def test_a_legal_win_is_the_default() -> None:
    """11.2"""
    play = game(WAITS_8S, drawn="8s", fast=True)
    assert play.clock() == "turn"
    assert play.table.phase is Phase.ROUND_END
    assert play.table.history[-1].winner == 0


@pytest.mark.parametrize(
    ("auto_win", "winner"),
    [pytest.param(True, 1, id="11.2 with the option"), pytest.param(False, None, id="without")],
)
def test_the_default_answer_takes_a_win(auto_win: bool, winner: int | None) -> None:
    play = game(IDLE, WAITS_8S, drawn="8s", fast=True, auto_win=auto_win)
    play.discard(0, "8s")
    play.clock()
    found = play.table.history[-1].winner if play.table.history else None
    assert found == winner


def test_the_default_declines_other_claims() -> None:
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
    play.discard(0, "8s")
    play.clock()
    play.clock()
    assert play.table.melds == ((), (), (), ())
    assert play.table.active == 1


def test_a_seat_on_autoplay_takes_a_second() -> None:
    """11.5"""
    play = game(fast=True, draws="9p9p9p9p")
    play.clock()
    play.toss(1, 2, 3)
    assert play.dues() == {"autoplay": 1_000}
    assert play.clock() == "autoplay"
    assert play.table.active == 1


def test_acting_ends_autoplay_and_counts() -> None:
    """11.5"""
    play = game(fast=True, draws="9p9p9p9p")
    play.clock()
    play.toss(1, 2, 3, 0)
    assert not play.table.autoplay[0]
    assert play.table.active == 1


def test_the_wish_ends_autoplay_and_gives_the_whole_limit() -> None:
    """11.5"""
    play = game(fast=True, draws="9p9p9p9p")
    play.clock()
    play.toss(1, 2, 3)
    play.at += 400
    play.stop_autoplay(0)
    assert play.dues() == {"turn": 14_600}
    play.refuses(Reason.ALREADY_CHOSEN, 0, StopAutoplay())


def test_a_seat_on_autoplay_answers_a_window_after_a_second() -> None:
    """11.5"""
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s", show_ms=0)
    autoplay(play, 1)
    play.discard(0, "8s")
    assert play.dues() == {"claim": 15_000, "autoplay": 1_000, "reminder": 5_000}
    assert play.clock() == "autoplay"
    assert [type(event) for event in play.events] == [Answered]
    assert play.table.phase is Phase.RESPONDING


def test_a_secret_answer_ends_autoplay_only_at_the_next_open_question() -> None:
    """12.4"""
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
    autoplay(play, 1, 2)
    play.discard(0, "8s")
    play.pass_claim(1)
    assert play.table.autoplay == (False, True, True, False)
    play.clock()
    assert play.table.active == 1
    assert play.table.autoplay == (False, False, True, False)
    assert [e.seat for e in play.events if isinstance(e, AutoplayChanged)] == [1]
    assert "turn" in play.dues()


def test_a_lost_connection_stops_no_clock() -> None:
    """11.6"""
    play = game(offline_ms=60_000)
    play.at += 1_000
    play.online(0, False)
    assert play.dues() == {"reminder": 29_000, "offline": 60_000, "turn": 89_000}


def test_a_seat_that_is_away_goes_on_autoplay_and_its_return_ends_it() -> None:
    """11.6"""
    play = game()
    play.online(2, False)
    autoplay(play, 2)
    assert play.at == BEGAN + 60_000
    play.online(2, True)
    assert not any(play.table.autoplay)
    assert "offline" not in play.dues()


def test_a_short_absence_changes_nothing() -> None:
    play = game()
    play.online(2, False)
    play.at += 20_000
    play.online(2, True)
    assert play.dues() == {"reminder": 10_000, "turn": 70_000}


def test_leaving_is_being_away_for_good() -> None:
    """11.6"""
    play = game()
    play.leave(0)
    assert play.table.left == (True, False, False, False)
    assert not play.table.online[0]
    assert play.online(0, True) == []
    assert list(JINXIAN.legal_actions(play.state, Seat(0))) == []
    assert play.dues()["offline"] == 60_000
    assert play.leave(0) == []
    action = next(iter(JINXIAN.legal_actions(game().state, Seat(0))))
    play.refuses(Reason.WRONG_PHASE, 0, action)


def test_a_seat_that_acts_while_away_is_given_the_time_again() -> None:
    """11.6"""
    play = game()
    autoplay(play, 0)
    play.at += 100
    play.stop_autoplay(0)
    assert play.dues()["offline"] == 60_000


def test_a_game_that_all_have_left_is_dissolved() -> None:
    """11.7"""
    play = game(abandoned_ms=61_000)
    for seat in range(4):
        play.online(seat, False)
        play.at += 100
    while JINXIAN.outcome(play.state) is None:
        kind_of_clock = play.clock()
    assert kind_of_clock == "abandoned"
    assert play.at == BEGAN + 300 + 61_000
    outcome = JINXIAN.outcome(play.state)
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("DISSOLVED", (0, 0, 0, 0))


def test_one_player_who_stays_keeps_the_game() -> None:
    play = game()
    for seat in range(3):
        play.online(seat, False)
    assert "abandoned" not in play.dues()


def test_an_outage_moves_every_limit() -> None:
    """11.8"""
    play = game(IDLE, HAS_79S, drawn="8s")
    play.online(2, False)
    autoplay(play, 2)
    play.discard(0, "8s")
    play.online(3, False)
    before = {kind: due + play.at for kind, due in play.dues().items()}
    play.outage(7_000)
    assert {kind: due + play.at for kind, due in play.dues().items()} == {
        kind: due + 7_000 for kind, due in before.items()
    }


def test_an_outage_of_no_time_changes_nothing() -> None:
    assert game().outage(0) == []


def test_a_clock_is_dated_when_it_was_due() -> None:
    play = game()
    late = JINXIAN.advance(play.state, play.at + 1_000_000)
    assert late == JINXIAN.advance(play.state, play.at + 30_000)
    with pytest.raises(ValueError, match="due"):
        JINXIAN.advance(play.state, play.at + 29_999)


def test_clocks_alone_finish_a_game() -> None:
    """11.10"""
    play = game(total_rounds=3)
    steps = 0
    while JINXIAN.outcome(play.state) is None:
        play.clock()
        steps += 1
    assert steps < 400
    assert len(play.table.history) == 3
