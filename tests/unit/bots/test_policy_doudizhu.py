"""Bots play Dou Dizhu by its rules, to its end, and the same way twice."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor.bots.policy_doudizhu import decide, strength
from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu.actions import Action, Pass
from parlor.rules.doudizhu.combos import BOMBS
from parlor.rules.doudizhu.config import Bidding, Config, RuleSet
from parlor.rules.doudizhu.state import State
from parlor.rules.doudizhu.view import View
from parlor.rules.game import Seat

configs = st.builds(
    Config,
    rule_set=st.sampled_from(RuleSet),
    bidding=st.sampled_from(Bidding),
    doubling=st.booleans(),
)


def asked(state: State) -> View:
    """The view of a seat that is asked something."""
    views = (DOUDIZHU.view(state, Seat(seat)) for seat in range(3))
    return next(view for view in views if view.prompt is not None)


def played(config: Config, seed: int) -> tuple[State, list[Action]]:
    """A whole game among bots."""
    state = DOUDIZHU.initial(config, Chance(seed=seed.to_bytes(32), entropy=b""), 0).state
    chance = random.Random(seed)
    actions = []
    while DOUDIZHU.outcome(state) is None:
        view = asked(state)
        action = decide(view, chance)
        assert action is not None
        assert view.seat is not None
        actions.append(action)
        state = DOUDIZHU.apply(state, Seat(view.seat), action, 0).state
    return state, actions


@settings(max_examples=25)
@given(config=configs, seed=st.integers(min_value=0, max_value=2**32))
def test_bots_play_every_game_to_its_end_by_accepted_actions(config: Config, seed: int) -> None:
    state, _ = played(config, seed)
    assert state.table.ending is not None


def test_the_same_seed_plays_the_same_game() -> None:
    assert played(Config(), 7) == played(Config(), 7)


def test_who_is_asked_nothing_does_nothing() -> None:
    state = DOUDIZHU.initial(Config(), Chance(seed=bytes(32), entropy=b""), 0).state
    waiting = next(
        view
        for view in (DOUDIZHU.view(state, Seat(seat)) for seat in range(3))
        if view.prompt is None
    )
    assert decide(waiting, random.Random(1)) is None
    assert decide(DOUDIZHU.view(state, None), random.Random(1)) is None


@pytest.mark.parametrize("seed", range(20))
def test_a_peasant_lets_the_other_ones_play_stand_unless_it_goes_out(seed: int) -> None:
    state = DOUDIZHU.initial(Config(), Chance(seed=seed.to_bytes(32), entropy=b""), 0).state
    chance = random.Random(seed)
    while DOUDIZHU.outcome(state) is None:
        view = asked(state)
        action = decide(view, chance)
        trick, seat = view.table.trick, view.seat
        assert seat is not None
        assert action is not None
        is_peasants = trick is not None and view.table.landlord not in (seat, trick.seat)
        state = DOUDIZHU.apply(state, Seat(seat), action, 0).state
        if is_peasants:
            assert isinstance(action, Pass) or DOUDIZHU.outcome(state) is not None


@pytest.mark.parametrize("seed", range(10))
def test_a_game_does_not_begin_with_a_bomb(seed: int) -> None:
    state, _ = played(Config(rule_set=RuleSet.CLASSIC), seed)
    plays = [entry for entry in state.table.history if entry.reading is not None]
    first = plays[0].reading
    assert first is not None
    assert first.shape not in BOMBS


def test_a_hand_is_worth_its_jokers_twos_and_bombs() -> None:
    assert strength([]) == 0
    assert strength([52, 53, 1]) == 6
    assert strength([2, 15, 28, 41]) == 2
