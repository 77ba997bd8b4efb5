"""Turns, phases, rounds and the result (RULES.md 5 and 10)."""

import pytest

from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.actions import Discard, Kong, Win
from parlor.rules.jinxian.config import DealerOnDraw
from parlor.rules.jinxian.events import PhaseChanged
from parlor.rules.jinxian.hands import Special, WinBy
from parlor.rules.jinxian.patterns import Pattern
from parlor.rules.jinxian.settling import ranks
from parlor.rules.jinxian.table import Phase, RoundResult, Tally
from parlor.rules.jinxian.tiles import kind
from parlor.rules.reasons import Reason
from tests.unit.rules_jinxian.flow import IDLE, WAITS_8S, Game, game


def phases(play: Game) -> list[str]:
    """The last step's changes of phase with their reasons."""
    return [
        f"{event.phase.value} {event.reason.value}"
        for event in play.events
        if isinstance(event, PhaseChanged)
    ]


def play_out(play: Game) -> None:
    """Every seat discards what it draws until the round has ended."""
    while play.table.phase is not Phase.ROUND_END and play.table.phase is not Phase.GAME_END:
        play.clock()


def test_a_round_begins_with_deal_and_jing() -> None:
    """5.1"""
    assert phases(game()) == [
        "DEALING ALL_READY",
        "JING_DETERMINING DEAL_COMPLETE",
        "PLAYING JING_DETERMINED",
    ]


def test_an_unclaimed_discard_passes_the_turn_at_once() -> None:
    """5.4"""
    play = game()
    play.discard(0, "9m")
    assert phases(play) == []
    assert play.table.active == 1
    assert play.table.counts == (13, 14, 13, 13)
    assert play.may(0) == set()


def test_any_tile_may_be_discarded() -> None:
    """5.2"""
    play = game()
    legal = {a.tile for a in JINXIAN.legal_actions(play.state, Seat(0)) if isinstance(a, Discard)}
    assert legal == set(play.state.hands[0])


@pytest.mark.parametrize(
    ("reason", "seat", "late", "tile"),
    [
        pytest.param(Reason.DECISION_OVER, 0, 1, "9m", id="5.5 answers no open question"),
        pytest.param(Reason.NOT_YOUR_TURN, 1, 0, "2m", id="5.5 another seat is on turn"),
        pytest.param(Reason.NOT_IN_HAND, 0, 0, "7z", id="5.5 a tile it does not hold"),
    ],
)
def test_a_wrong_discard_is_refused(reason: Reason, seat: int, late: int, tile: str) -> None:
    play = game()
    play.refuses(reason, seat, Discard(decision=play.number(seat) + late, tile=kind(tile)))


@pytest.mark.parametrize("tile", [-1, 34])
def test_what_is_no_tile_is_refused(tile: int) -> None:
    """5.5"""
    play = game()
    play.refuses(Reason.BAD_TILE, 0, Discard(decision=play.number(0), tile=tile))
    play.refuses(Reason.BAD_TILE, 0, Kong(decision=play.number(0), tile=tile))


def test_a_hand_that_is_no_win_cannot_be_declared_one() -> None:
    play = game()
    play.refuses(Reason.NOT_A_WIN, 0, Win(decision=play.number(0)))
    play.refuses(Reason.NOT_A_KONG, 0, Kong(decision=play.number(0), tile=kind("9m")))


def test_nothing_but_a_claim_answers_a_window() -> None:
    play = game()
    play.discard(0, "9m")
    play.refuses(Reason.DECISION_OVER, 0, Win(decision=play.number(0) + 1))
    play.refuses(Reason.NOT_YOUR_TURN, 0, Discard(decision=play.number(0), tile=kind("1m")))


def test_a_self_drawn_win_ends_the_round() -> None:
    play = game(IDLE, WAITS_8S, draws="8s")
    play.discard(0, "9m")
    assert play.may(1) == {"win"}
    play.win(1)
    assert phases(play) == ["ROUND_END WIN"]
    record = play.table.history[-1]
    assert (record.winner, record.loser, record.by) == (1, None, WinBy.SELF_DRAW)
    assert record.win is not None
    assert (record.win.pattern, record.win.total) == (Pattern.PINGHU, 13)
    assert record.deltas == (-13, 25, -6, -6)
    assert play.table.tallies[1] == Tally(score=25, round_score=25, wins=1, self_draws=1)
    assert play.table.tallies[0].losses == 0


def test_a_win_on_a_discard_counts_against_who_discarded() -> None:
    play = game("147m258p8s1133z66z", WAITS_8S)
    play.discard(0, "8s")
    play.win(1)
    assert play.table.history[-1].loser == 0
    assert play.table.tallies[0] == Tally(score=-20, round_score=-20, losses=1)
    assert play.table.river[-1].claimed


def test_the_first_turn_has_wins_of_its_own() -> None:
    """The dealer's fourteenth tile, and another seat's win on its first discard."""
    heaven = game(WAITS_8S, drawn="8s")
    heaven.win(0)
    record = heaven.table.history[-1]
    assert record.special is Special.TIANHU
    assert record.deltas == (60, -20, -20, -20)
    earth = game(IDLE, IDLE, WAITS_8S, drawn="8s")
    earth.discard(0, "8s")
    earth.win(2)
    assert earth.table.history[-1].special is Special.DIHU


def test_a_later_win_is_none_of_the_first_turn() -> None:
    play = game(IDLE, IDLE, IDLE, WAITS_8S, draws="8s")
    play.discard(0, "9m")
    play.discard(1, "8s")
    play.win(3)
    assert play.table.history[-1].special is None
    assert play.table.history[-1].deltas == (0, -6, 0, 6)


def test_all_hands_are_open_after_the_round() -> None:
    play = game(IDLE, WAITS_8S, draws="8s")
    play.discard(0, "9m")
    play.win(1)
    assert play.table.shown == play.state.hands
    assert len(play.state.hands[1]) == 14


def test_with_nothing_to_draw_the_round_is_drawn() -> None:
    """2.7"""
    play = game()
    play_out(play)
    assert play.table.phase is Phase.ROUND_END
    assert play.table.drawable == 0
    assert play.table.history[-1].result is RoundResult.DRAW
    assert play.table.history[-1].deltas == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("rule", "dealer"),
    [
        pytest.param(DealerOnDraw.STAY, 2, id="10.2 stay"),
        pytest.param(DealerOnDraw.PASS, 3, id="10.2 pass"),
    ],
)
def test_the_option_says_who_deals_after_a_drawn_round(rule: DealerOnDraw, dealer: int) -> None:
    play = game(dealer=2, dealer_on_draw=rule)
    play_out(play)
    play.clock()
    assert (play.table.round, play.table.dealer) == (2, dealer)


@pytest.mark.parametrize(
    ("winner", "dealer"),
    [
        pytest.param(0, 0, id="10.2 a winning dealer deals again"),
        pytest.param(2, 1, id="10.2 another win passes the deal on, not to the winner"),
    ],
)
def test_a_win_says_who_deals_next(winner: int, dealer: int) -> None:
    hands = [IDLE] * 4
    hands[winner] = WAITS_8S
    play = game(*hands, drawn="8s")
    if winner:
        play.discard(0, "8s")
    play.win(winner)
    for seat in range(4):
        play.ready(seat)
    assert (play.table.round, play.table.dealer) == (2, dealer)


def test_the_next_round_begins_when_all_four_continue() -> None:
    """10.4"""
    play = game(WAITS_8S, drawn="8s")
    play.win(0)
    assert play.dues() == {"continue": 10_000}
    for seat in (2, 0, 3):
        play.ready(seat)
        assert play.table.round == 1
    assert play.table.deadline is not None
    assert play.table.deadline.seats == (1,)
    play.ready(1)
    assert phases(play)[0] == "DEALING CONTINUE"
    assert play.table.round == 2
    assert play.table.shown is None
    assert play.table.river == ()


def test_a_seat_continues_once() -> None:
    play = game(WAITS_8S, drawn="8s")
    play.win(0)
    play.ready(2)
    with pytest.raises(ValueError, match="ready already"):
        play.ready(2)


def test_silence_continues_after_the_limit() -> None:
    play = game(WAITS_8S, drawn="8s")
    play.win(0)
    assert play.clock() == "continue"
    assert play.table.round == 2


def test_the_game_ends_with_its_last_round() -> None:
    """10.3 and 10.6"""
    play = game(WAITS_8S, drawn="8s", total_rounds=1)
    play.win(0)
    assert phases(play) == ["ROUND_END WIN", "GAME_END ALL_ROUNDS_COMPLETE"]
    outcome = JINXIAN.outcome(play.state)
    assert outcome is not None
    assert (outcome.reason, outcome.winners) == ("ALL_ROUNDS_COMPLETE", (0,))
    assert outcome.scores == (60, -20, -20, -20)
    assert JINXIAN.clocks(play.state) == ()
    assert play.table.shown is not None
    play.refuses(Reason.WRONG_PHASE, 0, Win(decision=play.number(0)))


def test_nobody_wins_an_even_game() -> None:
    play = game(total_rounds=1)
    play_out(play)
    outcome = JINXIAN.outcome(play.state)
    assert outcome is not None
    assert outcome.winners == ()
    assert play.table.ending is not None
    assert play.table.ending.ranks == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param((5, 5, -3, -7), (1, 1, 3, 4), id="10.6 first rank shared"),
        pytest.param((-6, 12, -3, -3), (4, 1, 2, 2), id="10.6 second rank shared"),
        pytest.param((0, 0, 0, 0), (1, 1, 1, 1), id="10.6 all even"),
    ],
)
def test_equal_scores_share_a_rank(
    scores: tuple[int, int, int, int], expected: tuple[int, int, int, int]
) -> None:
    assert ranks(scores) == expected


def test_a_dissolved_game_keeps_the_finished_rounds() -> None:
    """11.7"""
    play = game(WAITS_8S, drawn="8s")
    play.win(0)
    play.clock()
    step = JINXIAN.dissolve(play.state, play.at)
    outcome = JINXIAN.outcome(step.state)
    assert outcome is not None
    assert outcome.reason == "DISSOLVED"
    assert outcome.scores == (60, -20, -20, -20)
    assert JINXIAN.dissolve(step.state, play.at).events == ()
