"""Tricks, and the order in which a play is checked (RULES.md 4)."""

import pytest

from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.actions import Action, Bid, Claim, Pass, Play
from parlor.rules.doudizhu.combos import Shape
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.events import Ended
from parlor.rules.doudizhu.table import Phase
from parlor.rules.game import Seat
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import Game, deal, hold

CLASSIC = Config(rule_set=RuleSet.CLASSIC)


def leads() -> Game:
    """Seat 0 leads a classic game with a known hand."""
    return Game(CLASSIC, deal_1=deal("334455667788BR", "99TTJJ", "QQKKAA22"))


def test_two_passes_clear_the_table_and_the_last_to_play_leads() -> None:
    """RULES.md 4.3."""
    game = leads()
    game.play(0, "3")
    game.play(1, "9")
    game.pass_turn(2)
    assert game.state.table.passes == 1
    assert game.state.table.trick is not None
    game.pass_turn(0)
    table = game.state.table
    assert (table.trick, table.passes) == (None, 0)
    assert game.refusal(1, Pass(decision=game.number(1))) is Reason.MUST_LEAD
    game.play(1, "TT")


def test_a_seat_that_passed_may_play_again_in_the_same_trick() -> None:
    """RULES.md 4.2."""
    game = leads()
    game.play(0, "3")
    game.pass_turn(1)
    game.play(2, "Q")
    game.play(0, "B")
    game.pass_turn(1)
    game.pass_turn(2)
    assert game.state.table.deadline is not None
    assert game.state.table.deadline.seats == (0,)


@pytest.mark.parametrize(
    ("seat", "action", "reason"),
    [
        pytest.param(0, Play(decision=0, cards=()), Reason.DECISION_OVER, id="4.5 decision"),
        pytest.param(0, Bid(decision=1, bid=1), Reason.WRONG_PHASE, id="4.5 phase"),
        pytest.param(1, Play(decision=0, cards=()), Reason.NOT_YOUR_TURN, id="4.5 turn"),
        pytest.param(0, Pass(decision=1), Reason.MUST_LEAD, id="4.5 lead"),
        pytest.param(0, Play(decision=1, cards=()), Reason.EMPTY, id="4.5 empty"),
        pytest.param(0, Play(decision=1, cards=(54, 54)), Reason.BAD_CARD, id="4.5 card"),
        pytest.param(0, Play(decision=1, cards=(-1,)), Reason.BAD_CARD, id="4.5 below 0"),
        pytest.param(0, Play(decision=1, cards=(0, 0)), Reason.DUPLICATE_CARD, id="4.5 twice"),
        pytest.param(0, Play(decision=1, cards=(0, 2)), Reason.NOT_IN_HAND, id="4.5 hand"),
        pytest.param(0, Play(decision=1, cards=(2, 3)), Reason.NOT_A_COMBINATION, id="4.5 none"),
        pytest.param(
            0,
            Play(decision=1, cards=(2,), claim=Claim(shape=Shape.TWO, value=2)),
            Reason.BAD_CLAIM,
            id="4.5 claim",
        ),
    ],
)
def test_the_first_check_that_fails_is_the_answer(
    seat: int, action: Action, reason: Reason
) -> None:
    assert leads().refusal(seat, action) is reason


def test_a_play_that_does_not_beat_is_refused_last() -> None:
    """RULES.md 4.5."""
    game = leads()
    game.play(0, "8")
    game.pass_turn(1)
    game.play(2, "Q")
    low = Play(decision=game.number(0), cards=(2,))
    assert game.refusal(0, low) is Reason.DOES_NOT_BEAT


def test_a_late_double_click_does_not_play_the_next_turn() -> None:
    game = leads()
    old = Play(decision=game.number(0), cards=(53,))
    game.play(0, "3")
    assert game.refusal(0, old) is Reason.NOT_YOUR_TURN
    game.pass_turn(1)
    game.pass_turn(2)
    assert game.refusal(0, old) is Reason.DECISION_OVER


def test_the_last_card_ends_the_game_at_once() -> None:
    """RULES.md 4.4 and 8.1."""
    game = leads()
    hold(game, 0, "3")
    game.play(0, "3")
    ended = game.events[-1]
    assert isinstance(ended, Ended)
    assert ended.ending.winners == (0,)
    assert game.state.table.phase is Phase.OVER
    assert DOUDIZHU.clocks(game.state) == ()
    assert DOUDIZHU.view(game.state, None).hands == game.state.hands
    assert game.refusal(1, Pass(decision=game.number(1))) is Reason.WRONG_PHASE
    assert list(DOUDIZHU.legal_actions(game.state, Seat(1))) == []


def test_legal_plays_of_a_hand_are_listed_once_per_ranks_and_reading() -> None:
    game = leads()
    hold(game, 0, "3344")
    listed = list(DOUDIZHU.legal_actions(game.state, Seat(0)))
    plays = [action for action in listed if isinstance(action, Play)]
    assert [(play.cards, play.claim and play.claim.shape) for play in plays] == [
        ((2,), Shape.ONE),
        ((3,), Shape.ONE),
        ((2, 15), Shape.TWO),
        ((3, 16), Shape.TWO),
        ((2, 15, 3, 16), Shape.TWO_TWO),
    ]


def test_bombs_are_counted_as_they_are_played() -> None:
    game = leads()
    game.play(0, "BR")
    assert game.state.table.bombs == 1
    assert game.state.table.plays == (1, 0, 0)
