"""Turns that run out, pauses and budgets (RULES.md 5)."""

import pytest

from parlor.rules.game import Clock, Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.events import (
    ClocksMoved,
    Ended,
    PresenceChanged,
    ResumeReason,
    TurnPaused,
    TurnResumed,
    TurnStarted,
    TurnTimedOut,
)
from parlor.rules.planes.table import EndReason, Phase
from parlor.rules.reasons import Reason
from tests.unit.rules_planes.table import ABOVE, BEGAN, Game, battle

A, B = Seat(0), Seat(1)


def kinds(game: Game) -> list[tuple[str, int, tuple[Seat, ...]]]:
    """The running clocks: kind, ms from now, seats."""
    found: tuple[Clock, ...] = PLANES.clocks(game.state)
    return [(clock.kind, clock.due - game.at, clock.seats) for clock in found]


def test_placing_and_the_game_run_from_the_beginning() -> None:
    game = Game()
    game.place(0, ABOVE)
    assert kinds(game) == [("placing", 120_000, (B,)), ("game", 1_800_000, ())]


def test_an_unused_turn_passes_and_the_next_has_its_whole_limit() -> None:
    game = battle()
    assert game.wait(30_000) == [
        TurnTimedOut(seat=A, consecutive=1),
        TurnStarted(seat=B, at=BEGAN + 30_000, remaining_ms=30_000, paused=False, decision=2),
    ]
    assert kinds(game)[0] == ("turn", 30_000, (B,))


def test_a_clock_noticed_late_is_dated_when_it_was_due() -> None:
    game = battle()
    step = PLANES.advance(game.state, BEGAN + 99_999)
    assert step == PLANES.advance(game.state, BEGAN + 30_000)
    with pytest.raises(ValueError, match="due"):
        PLANES.advance(game.state, BEGAN + 29_999)


@pytest.mark.parametrize(
    ("after_ms", "accepted"),
    [
        pytest.param(29_999, True, id="5.1 the last millisecond"),
        pytest.param(30_000, False, id="5.1 the due instant"),
    ],
)
def test_a_shot_counts_before_the_due_instant(after_ms: int, accepted: bool) -> None:
    game = battle()
    game.wait(after_ms)
    if accepted:
        game.shoot(0, "00")
        assert game.state.table.tallies[0].time_used_ms == 29_999
    else:
        assert game.refusal(0, game.shot(0, "00")) is Reason.NOT_YOUR_TURN


def test_the_third_unused_turn_in_a_row_forfeits() -> None:
    game = battle()
    for _ in range(2):
        game.wait(30_000)
        game.waste(1)
    events = game.wait(30_000)
    assert events[0] == TurnTimedOut(seat=A, consecutive=3)
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert (ended.ending.reason, ended.ending.winner) == (EndReason.TIMEOUT_FORFEIT, B)


def test_a_shot_of_its_own_ends_the_row() -> None:
    game = battle()
    for _ in range(2):
        game.wait(30_000)
        game.waste(1)
    game.shoot(0, "00")
    game.waste(1)
    game.wait(30_000)
    assert game.state.table.tallies[0].consecutive == 1
    assert game.state.table.tallies[0].timeouts == 3
    assert game.state.table.phase is Phase.BATTLING


def test_two_seats_that_are_away_have_a_draw_whoever_was_first() -> None:
    for first in (0, 1):
        game = battle(first=first)
        game.wait(150_000)
        ending = game.state.table.ending
        assert ending is not None
        assert (ending.reason, ending.winner) == (EndReason.BOTH_ABSENT, None)


def test_a_pause_keeps_what_is_left_to_the_millisecond() -> None:
    game = battle()
    game.wait(19_877)
    assert game.presence(0, False) == (
        PresenceChanged(seat=A, online=False),
        TurnPaused(seat=A, at=game.at, remaining_ms=10_123),
    )
    assert kinds(game)[0] == ("pause", 120_000, ())
    game.wait(50_000)
    assert game.presence(0, True) == (
        PresenceChanged(seat=A, online=True),
        TurnResumed(seat=A, at=game.at, remaining_ms=10_123, reason=ResumeReason.RECONNECT),
    )
    assert kinds(game)[0] == ("turn", 10_123, (A,))
    assert game.state.table.tallies[0].pause_budget_ms == 70_000


def test_reconnecting_again_and_again_gains_no_time() -> None:
    game = battle()
    for _ in range(29):
        game.wait(1_000)
        game.presence(0, False)
        game.presence(0, True)
    assert kinds(game)[0] == ("turn", 1_000, (A,))


def test_a_turn_that_begins_for_an_offline_seat_stands_still() -> None:
    game = battle()
    assert game.presence(1, False) == (PresenceChanged(seat=B, online=False),)
    game.shoot(0, "00")
    turn = game.state.table.turn
    assert turn is not None
    assert (turn.seat, turn.remaining_ms, turn.paused, turn.due) == (B, 30_000, True, None)
    prompt = PLANES.view(game.state, B).prompt
    assert prompt is not None
    assert prompt.due is None


def test_the_first_turn_may_stand_still() -> None:
    game = Game()
    game.place(0, ABOVE)
    game.presence(0, False)
    game.place(1, ABOVE)
    assert kinds(game)[0] == ("pause", 120_000, ())


def test_the_connection_of_the_other_seat_stops_nothing() -> None:
    game = battle()
    before = kinds(game)
    game.presence(1, False)
    assert kinds(game) == before
    assert game.presence(1, False) == ()
    game.presence(1, True)
    assert kinds(game) == before


def test_used_up_pauses_let_the_clock_run_on_and_later_turns_run_at_once() -> None:
    game = battle()
    game.wait(5_000)
    game.presence(0, False)
    assert game.wait(120_000) == [
        TurnResumed(seat=A, at=game.at, remaining_ms=25_000, reason=ResumeReason.BUDGET)
    ]
    assert game.state.table.tallies[0].pause_budget_ms == 0
    game.wait(25_000)
    game.waste(1)
    assert kinds(game)[0] == ("turn", 30_000, (A,))
    assert game.presence(0, True) == (PresenceChanged(seat=A, online=True),)
    assert game.presence(0, False) == (PresenceChanged(seat=A, online=False),)
    assert kinds(game)[0] == ("turn", 30_000, (A,))


def test_who_is_gone_for_good_forfeits_within_the_bound() -> None:
    game = battle()
    game.wait(5_000)
    game.presence(0, False)
    game.wait(120_000 + 25_000)
    game.waste(1)
    game.wait(30_000)
    game.waste(1)
    game.wait(30_000)
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.winner) == (EndReason.TIMEOUT_FORFEIT, B)
    assert ending.duration_ms == 5_000 + 120_000 + 25_000 + 2 * 30_000


def test_without_a_budget_nothing_ever_stands_still() -> None:
    game = battle(Config(pause_budget_ms=0))
    game.presence(0, False)
    assert kinds(game)[0] == ("turn", 30_000, (A,))


def test_a_shot_from_a_seat_that_is_held_to_be_offline_counts() -> None:
    game = battle()
    game.wait(4_000)
    game.presence(0, False)
    game.wait(7_000)
    game.shoot(0, "00")
    tally = game.state.table.tallies[0]
    assert (tally.time_used_ms, tally.pause_budget_ms) == (4_000, 113_000)


def test_the_game_limit_runs_through_pauses() -> None:
    game = battle(Config(game_ms=60_000))
    game.presence(0, False)
    game.wait(60_000)
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.duration_ms) == (EndReason.TIME_LIMIT, 60_000)
    assert game.state.table.tallies[0].pause_budget_ms == 60_000


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        pytest.param(Config(game_ms=120_000), "game", id="5.7 game before placing"),
        pytest.param(Config(game_ms=120_001), "placing", id="5.7 placing alone"),
    ],
)
def test_of_two_clocks_due_at_once_the_game_goes_first(config: Config, kind: str) -> None:
    game = Game(config)
    assert PLANES.clocks(game.state)[0].kind == kind
    game.wait(120_000)
    ending = game.state.table.ending
    assert ending is not None
    reason = EndReason.TIME_LIMIT if kind == "game" else EndReason.PLACEMENT_TIMEOUT
    assert (ending.reason, ending.winner) == (reason, None)


def test_the_game_goes_before_a_turn_and_before_a_budget() -> None:
    game = battle(Config(game_ms=30_000))
    assert [clock.kind for clock in PLANES.clocks(game.state)] == ["game", "turn"]
    game = battle(Config(game_ms=30_000, pause_budget_ms=30_000))
    game.presence(0, False)
    assert [clock.kind for clock in PLANES.clocks(game.state)] == ["game", "pause"]


def test_an_outage_moves_placing_and_the_running_turn_alone() -> None:
    game = Game()
    game.take(PLANES.on_outage(game.state, 5_000, game.at))
    assert game.events == (ClocksMoved(lost_ms=5_000),)
    assert kinds(game) == [("placing", 125_000, (A, B)), ("game", 1_800_000, ())]
    game = battle()
    game.wait(10_000)
    game.at += 5_000
    game.take(PLANES.on_outage(game.state, 5_000, game.at))
    assert kinds(game) == [("turn", 20_000, (A,)), ("game", 1_785_000, ())]
    game.shoot(0, "00")
    assert game.state.table.tallies[0].time_used_ms == 10_000


def test_an_outage_leaves_a_pause_its_budget() -> None:
    game = battle()
    game.presence(0, False)
    before = game.state
    game.take(PLANES.on_outage(game.state, 5_000, game.at + 5_000))
    assert (game.state, game.events) == (before, ())


def test_nothing_moves_once_the_game_is_over() -> None:
    game = battle()
    game.surrender(0)
    over = game.state
    assert game.presence(0, False) == ()
    assert game.take(PLANES.on_leave(over, A, game.at)) == ()
    assert game.take(PLANES.on_outage(over, 5_000, game.at)) == ()
    assert game.state == over
    assert PLANES.clocks(over) == ()
