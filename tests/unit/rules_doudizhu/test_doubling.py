"""Doubling in secret and showing the hand (RULES.md 6.2 and 8.2)."""

from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.actions import Double, SetAutoplay, Show
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.events import AutoplayChanged, DoubleChosen, Doubled
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.game import Seat
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import Game

DOUBLING = Config(doubling=True, show_cards=True)


def doubling() -> Game:
    """Seat 0 is landlord and all three may double."""
    game = Game(DOUBLING, first=0)
    game.bid(0, 3)
    return game


def test_choices_are_made_at_the_same_time_and_revealed_together() -> None:
    """RULES.md 6.2.1."""
    game = doubling()
    game.double(2, True)
    assert DOUDIZHU.view(game.state, None).table.doubled is None
    game.double(0, False)
    game.double(1, True)
    assert game.state.table.doubled == (False, True, True)
    assert game.state.table.phase is Phase.PLAYING
    assert game.refusal(1, Double(decision=game.number(1), double=True)) is Reason.WRONG_PHASE


def test_a_choice_is_made_once() -> None:
    """RULES.md 6.2.1."""
    game = doubling()
    game.double(1, True)
    assert game.refusal(1, Double(decision=1, double=False)) is Reason.ALREADY_CHOSEN


def test_the_others_notice_nothing_of_a_choice() -> None:
    """RULES.md 8.2."""
    game = doubling()
    before = [DOUDIZHU.view(game.state, audience) for audience in (Seat(0), Seat(2), None)]
    (chosen,) = game.double(1, True)
    for audience, view in zip((Seat(0), Seat(2), None), before, strict=True):
        assert DOUDIZHU.observe(chosen, audience) is None
        assert DOUDIZHU.view(game.state, audience) == view
    assert view.table.deadline is not None
    assert view.table.deadline.seats == (0, 1, 2)
    own = DOUDIZHU.view(game.state, Seat(1))
    assert (own.double, own.prompt) == (True, None)


def test_who_is_late_does_not_double() -> None:
    """RULES.md 7.2."""
    game = doubling()
    game.double(1, True)
    events = game.clock("doubling")
    late = [event.seat for event in events if isinstance(event, DoubleChosen)]
    assert late == [0, 2]
    assert game.state.table.doubled == (False, True, False)
    assert game.at == 1_000_001 + DOUBLING.double_ms


def test_autoplay_ends_with_the_reveal_for_a_seat_that_chose_itself() -> None:
    """RULES.md 8.2: at once, it would show that the seat has chosen."""
    game = Game(DOUBLING, first=0)
    game.act(1, SetAutoplay(on=True))
    game.bid(0, 3)
    game.double(1, True)
    assert game.state.table.autoplay == (False, True, False)
    game.double(0, False)
    game.double(2, False)
    revealed, changed, _ = game.events[1:]
    assert isinstance(revealed, Doubled)
    assert isinstance(changed, AutoplayChanged)
    assert game.state.table.autoplay == (False, False, False)


def test_a_seat_on_autoplay_does_not_double_after_a_second() -> None:
    """RULES.md 7.3."""
    game = Game(DOUBLING, first=0)
    game.act(2, SetAutoplay(on=True))
    game.bid(0, 3)
    asked = game.at
    (chosen,) = game.clock("autoplay")
    assert chosen == DoubleChosen(seat=Seat(2), double=False, auto=True)
    assert game.at == asked + 1_000


def test_the_landlord_may_show_until_his_first_play() -> None:
    """RULES.md 6.2.2 and 8.1."""
    game = doubling()
    assert game.refusal(1, Show()) is Reason.NOT_LANDLORD
    assert DOUDIZHU.view(game.state, None).hands[0] == ()
    game.act(0, Show())
    assert game.state.table.phase is Phase.DOUBLING
    assert DOUDIZHU.view(game.state, None).hands[0] == game.state.hands[0]
    assert game.refusal(0, Show()) is Reason.ALREADY_CHOSEN


def test_showing_after_the_first_play_is_too_late() -> None:
    """RULES.md 6.2.2."""
    game = Game(Config(show_cards=True), first=0)
    game.bid(0, 3)
    game.clock("turn")
    assert game.refusal(0, Show()) is Reason.WRONG_PHASE


def test_nobody_shows_where_the_option_is_off_or_there_is_no_landlord() -> None:
    """RULES.md 6.2.2."""
    game = Game(first=0)
    game.bid(0, 3)
    assert game.refusal(0, Show()) is Reason.DISABLED
    classic = Game(Config(rule_set=RuleSet.CLASSIC, show_cards=True))
    assert classic.refusal(0, Show()) is Reason.DISABLED


def test_the_landlord_leads_after_doubling() -> None:
    game = doubling()
    for seat in (0, 1, 2):
        game.double(seat, False)
    deadline = game.state.table.deadline
    assert deadline is not None
    assert (deadline.question, deadline.seats) == (Question.PLAY, (0,))
