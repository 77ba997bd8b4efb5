"""Clocks, default moves and autoplay (RULES.md 7)."""

from dataclasses import replace

import pytest

from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.actions import Pass, SetAutoplay, Surrender
from parlor.rules.doudizhu.cards import text
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.events import (
    AutoplayCause,
    AutoplayChanged,
    Event,
    Passed,
    Played,
)
from parlor.rules.game import Seat
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import BEGAN, Game, deal, hold

CLASSIC = Config(rule_set=RuleSet.CLASSIC)
PACK = deal("3345", "6789", "TJQK")


def leads(config: Config = CLASSIC) -> Game:
    """Seat 0 leads a classic game."""
    return Game(config, first=0, deal_1=PACK)


def causes(events: tuple[Event, ...]) -> list[tuple[int, bool, AutoplayCause]]:
    """Every change of autoplay among the events."""
    return [(e.seat, e.on, e.cause) for e in events if isinstance(e, AutoplayChanged)]


@pytest.mark.parametrize(
    ("hand", "lead"),
    [
        pytest.param("3345", "3", id="7.2 the lowest card"),
        pytest.param("334455", "334455", id="7.2 a whole hand that is a combination"),
        pytest.param("BR", "BR", id="7.2 the rocket"),
        pytest.param("2BR", "2", id="7.2 no combination"),
    ],
)
def test_the_default_lead_is_the_whole_hand_or_the_lowest_card(hand: str, lead: str) -> None:
    game = leads()
    hold(game, 0, hand)
    played = game.clock("turn")[0]
    assert isinstance(played, Played)
    assert (text(played.cards), played.auto) == (lead, True)


def test_a_follower_passes_even_with_cards_that_win() -> None:
    """RULES.md 7.2."""
    game = leads()
    hold(game, 1, "R")
    game.play(0, "3")
    assert game.clock("turn")[0] == Passed(seat=Seat(1), auto=True)


def test_the_next_limit_begins_when_the_last_one_ended() -> None:
    """RULES.md 7.1: not when somebody noticed."""
    game = leads()
    late = DOUDIZHU.advance(game.state, BEGAN + 500_000)
    assert DOUDIZHU.clocks(late.state)[0].due == BEGAN + 2 * CLASSIC.play_ms


def test_two_timeouts_in_a_row_put_a_seat_on_autoplay() -> None:
    """RULES.md 7.3."""
    game = leads()
    assert causes(game.clock("turn")) == []
    game.pass_turn(1)
    game.pass_turn(2)
    assert causes(game.clock("turn")) == [(0, True, AutoplayCause.TIMEOUT)]
    game.pass_turn(1)
    game.pass_turn(2)
    asked = game.at
    game.clock("autoplay")
    assert game.at == asked + CLASSIC.autoplay_ms


def test_an_action_of_its_own_ends_a_row_of_timeouts() -> None:
    """RULES.md 7.3."""
    game = leads()
    for _ in range(3):
        assert causes(game.clock("turn")) == []
        game.pass_turn(1)
        game.pass_turn(2)
        game.play(0, text(game.state.hands[0])[0])
        game.pass_turn(1)
        game.pass_turn(2)


def test_one_timeout_is_enough_while_offline() -> None:
    """RULES.md 7.3 and 7.4."""
    game = leads()
    due = DOUDIZHU.clocks(game.state)[0].due
    game.presence(0, False)
    assert DOUDIZHU.clocks(game.state)[0].due == due
    assert causes(game.clock("turn")) == [(0, True, AutoplayCause.TIMEOUT)]
    assert causes(game.presence(0, True)) == [(0, False, AutoplayCause.RETURNED)]


def test_acting_takes_a_seat_off_autoplay() -> None:
    """RULES.md 7.3."""
    game = leads()
    game.act(0, SetAutoplay(on=True))
    assert causes(game.play(0, "3")) == [(0, False, AutoplayCause.ACTED)]


def test_autoplay_shortens_the_running_limit_and_gives_it_back() -> None:
    """RULES.md 7.3."""
    game = leads()
    limit = BEGAN + CLASSIC.play_ms
    game.act(0, SetAutoplay(on=True))
    deadline = game.state.table.deadline
    assert deadline is not None
    assert deadline.due == game.at + CLASSIC.autoplay_ms
    game.act(0, SetAutoplay(on=False))
    deadline = game.state.table.deadline
    assert deadline is not None
    assert deadline.due == limit == DOUDIZHU.clocks(game.state)[0].due


def test_autoplay_late_in_a_limit_does_not_lengthen_it() -> None:
    """RULES.md 7.3."""
    game = leads()
    game.at = BEGAN + CLASSIC.play_ms - 11
    game.act(0, SetAutoplay(on=True))
    assert DOUDIZHU.clocks(game.state)[0].due == BEGAN + CLASSIC.play_ms


def test_a_player_who_left_is_played_to_the_end() -> None:
    """RULES.md 7.3."""
    game = leads()
    game.take(DOUDIZHU.on_leave(game.state, Seat(1), game.at))
    assert causes(game.events) == [(1, True, AutoplayCause.LEFT)]
    assert game.refusal(1, SetAutoplay(on=False)) is Reason.WRONG_PHASE
    assert list(DOUDIZHU.legal_actions(game.state, Seat(1))) == []
    game.presence(1, False)
    assert causes(game.presence(1, True)) == []
    again = DOUDIZHU.on_leave(game.state, Seat(1), game.at)
    assert again.events == ()


def test_asking_for_autoplay_twice_is_refused() -> None:
    game = leads()
    game.act(2, SetAutoplay(on=True))
    assert game.refusal(2, SetAutoplay(on=True)) is Reason.ALREADY_CHOSEN
    assert game.refusal(1, SetAutoplay(on=False)) is Reason.ALREADY_CHOSEN


def test_an_outage_moves_limits_and_offers() -> None:
    """RULES.md 7.4."""
    game = Game(first=0)
    game.bid(0, 3)
    game.act(1, Surrender())
    before = {clock.kind: clock.due for clock in DOUDIZHU.clocks(game.state)}
    view = DOUDIZHU.view(game.state, Seat(2))
    step = DOUDIZHU.on_outage(game.state, 5_000, game.at)
    after = {clock.kind: clock.due for clock in DOUDIZHU.clocks(step.state)}
    assert after == {kind: due + 5_000 for kind, due in before.items()}
    for event in step.events:
        view = DOUDIZHU.fold(view, event)
    assert view == DOUDIZHU.view(step.state, Seat(2))


def test_the_table_comes_before_an_offer_that_is_due_with_it() -> None:
    """RULES.md 7.5."""
    config = Config(play_ms=15_000)
    game = Game(config, first=0)
    game.bid(0, 3)
    game.act(1, Surrender())
    assert game.state.offer is not None
    offer = replace(game.state.offer, due=DOUDIZHU.clocks(game.state)[0].due)
    state = replace(game.state, offer=offer)
    assert [clock.kind for clock in DOUDIZHU.clocks(state)] == ["turn", "consent"]


def test_nothing_is_advanced_before_it_is_due() -> None:
    game = leads()
    with pytest.raises(ValueError, match="due"):
        DOUDIZHU.advance(game.state, BEGAN + CLASSIC.play_ms - 1)


def test_a_refused_action_stops_no_clock() -> None:
    """RULES.md 4.5."""
    game = leads()
    before = DOUDIZHU.clocks(game.state)
    assert game.refusal(0, Pass(decision=1)) is Reason.MUST_LEAD
    assert DOUDIZHU.clocks(game.state) == before
