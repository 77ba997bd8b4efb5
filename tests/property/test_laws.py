"""The laws that every game obeys. A game takes part by an adapter in `ADAPTERS`."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor.rules.game import Audience, IllegalAction, Seat, Transition
from tests.property import doudizhu, jinxian, planes
from tests.property.adapters import Adapter
from tests.property.law import law
from tests.property.walks import LONGEST, Act, Tick, Walk, do, walk

ADAPTERS: tuple[Adapter, ...] = (*doudizhu.ADAPTERS, *jinxian.ADAPTERS, *planes.ADAPTERS)

pytestmark = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)

seeds = st.integers(0, 2**32 - 1)


def a_walk(adapter: Adapter, data: st.DataObject) -> Walk:
    """A random game under a random config."""
    return walk(adapter, data.draw(adapter.configs()), data.draw(seeds))


def audiences(adapter: Adapter, config: Any) -> list[Audience]:
    """Every seat, and the spectators."""
    return [*(Seat(seat) for seat in range(adapter.game.seats(config))), None]


def observed(adapter: Adapter, transition: Transition[Any, Any], audience: Audience) -> list[Any]:
    """What the audience sees of a transition."""
    seen = (adapter.game.observe(event, audience) for event in transition.events)
    return [event for event in seen if event is not None]


@law
@given(data=st.data())
def test_configs_are_valid_and_reach_the_state(adapter: Adapter, data: st.DataObject) -> None:
    config = data.draw(adapter.configs())
    adapter.game.check_config(config)
    assert adapter.wire.config_from(adapter.wire.config_to(config)) == config


@law
@given(data=st.data())
def test_standings_name_every_seat_once_and_winners_first(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    outcome = adapter.game.outcome(list(game.states())[-1])
    assert outcome is not None
    sides = adapter.game.standings(game.config, outcome)
    named = sorted(seat for side in sides for seat in side.seats)
    assert named in ([], list(range(adapter.game.seats(game.config))))
    assert [side.rank for side in sides] == sorted(side.rank for side in sides)
    best = {seat for side in sides if side.rank == 1 for seat in side.seats}
    assert not outcome.winners or not sides or best == set(outcome.winners)
    dissolved = adapter.game.dissolve(game.first.state, game.began).state
    ended = adapter.game.outcome(dissolved)
    assert ended is not None
    assert adapter.game.standings(game.config, ended) == ()


@law
@given(data=st.data())
def test_the_same_inputs_give_the_same_game(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    again = adapter.game.initial(game.config, game.chance, game.began)
    assert again == game.first
    state = again.state
    for step in game.steps:
        transition = do(adapter.game, state, step.input, step.at)
        assert transition == step.transition
        state = transition.state


@law
@given(data=st.data())
def test_what_is_listed_is_accepted_and_what_is_not_is_refused(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    rng = Random(data.draw(seeds))
    states = list(game.states())
    for state in rng.sample(states, min(12, len(states))):
        for seat in range(adapter.game.seats(game.config)):
            _check_actions(adapter, state, Seat(seat), rng)


def _check_actions(adapter: Adapter, state: Any, seat: Seat, rng: Random) -> None:
    at = max((clock.due for clock in adapter.game.clocks(state)), default=0)
    listed = list(adapter.game.legal_actions(state, seat))
    for action in rng.sample(listed, min(20, len(listed))):
        adapter.game.apply(state, seat, action, at)
    before = msgspec.msgpack.encode(state)
    for action in adapter.mutated(state, seat, rng):
        if adapter.is_among(action, listed, state, seat):
            adapter.game.apply(state, seat, action, at)
        else:
            with pytest.raises(IllegalAction):
                adapter.game.apply(state, seat, action, at)
    assert msgspec.msgpack.encode(state) == before


@law
@given(data=st.data())
def test_somebody_can_act_or_there_is_an_outcome(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    seats = range(adapter.game.seats(game.config))
    for state in game.states():
        over = adapter.game.outcome(state) is not None
        assert bool(adapter.game.clocks(state)) != over
        can_act = any(next(adapter.game.legal_actions(state, Seat(s)), None) for s in seats)
        if over:
            assert not can_act


@law
@given(data=st.data())
def test_nothing_is_lost_and_scores_balance(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    for state in game.states():
        assert adapter.conserved(state)
    outcome = adapter.game.outcome(game.steps[-1].transition.state)
    assert outcome is not None
    assert len(outcome.scores) == adapter.game.seats(game.config)
    assert not adapter.zero_sum or sum(outcome.scores) == 0


@law
@given(data=st.data())
def test_the_first_events_folded_over_the_view_before_them_give_the_first_view(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for audience in audiences(adapter, game.config):
        view = adapter.game.before(game.config, audience)
        for event in observed(adapter, game.first, audience):
            view = adapter.game.fold(view, event)
        assert view == adapter.game.view(game.first.state, audience)


@law
@given(data=st.data())
def test_events_folded_over_a_view_give_the_next_view(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for audience in audiences(adapter, game.config):
        view = adapter.game.view(game.first.state, audience)
        for step in game.steps:
            for event in observed(adapter, step.transition, audience):
                view = adapter.game.fold(view, event)
            assert view == adapter.game.view(step.transition.state, audience)


@law
@given(data=st.data())
def test_what_is_hidden_could_as_well_be_otherwise(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    rng = Random(data.draw(seeds))
    for step in game.steps:
        for audience in audiences(adapter, game.config):
            other = adapter.redeal(step.before, audience, rng)
            seen = adapter.game.view(step.before, audience)
            assert adapter.game.view(other, audience) == seen
            _check_same_seen(adapter, step, other, audience)


def _check_same_seen(adapter: Adapter, step: Any, other: Any, audience: Audience) -> None:
    """The audience sees the same of its own action, whatever is hidden from it."""
    if not (isinstance(step.input, Act) and step.input.seat == audience):
        return
    if adapter.discloses(step.transition.events):
        return
    after = do(adapter.game, other, step.input, step.at)
    if adapter.discloses(after.events):
        return
    assert observed(adapter, after, audience) == observed(adapter, step.transition, audience)


@law
@given(data=st.data())
def test_a_secret_answer_changes_nothing_for_the_others(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for step in game.steps:
        state = step.before
        for audience in audiences(adapter, game.config):
            for seat, action, lasts in adapter.unseen(state, audience):
                secret = adapter.game.apply(state, seat, action, step.at)
                assert observed(adapter, secret, audience) == []
                view = adapter.game.view(state, audience)
                assert adapter.game.view(secret.state, audience) == view
                if lasts:
                    _check_later(adapter, state, secret.state, audience)


def _check_later(adapter: Adapter, plain: Any, secret: Any, audience: Audience) -> None:
    """Up to the table's next public step the audience sees the same with and without it."""
    seen = []
    for state in (plain, secret):
        events: list[Any] = []
        for _ in range(9):
            clocks = adapter.game.clocks(state)
            if events or not clocks:
                break
            transition = adapter.game.advance(state, clocks[0].due)
            events = observed(adapter, transition, audience)
            state = transition.state
        seen.append(events)
    assert seen[0] == seen[1]


@law
@given(data=st.data())
def test_a_game_driven_late_is_the_game_driven_on_time(
    adapter: Adapter, data: st.DataObject
) -> None:
    """Noticing a clock later, by any delay, changes nothing about what it does."""
    game = a_walk(adapter, data)
    delays = Random(data.draw(seeds))
    for step in game.steps:
        if isinstance(step.input, Tick):
            late = adapter.game.advance(step.before, step.at + delays.randrange(100_000))
            assert late == step.transition
            early = adapter.game.clocks(step.before)[0].due - 1
            with pytest.raises(ValueError, match="due"):
                adapter.game.advance(step.before, early)


@law
@given(data=st.data())
def test_clocks_are_sorted_and_never_lie_before_the_step_that_set_them(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for step in game.steps:
        dues = [clock.due for clock in adapter.game.clocks(step.transition.state)]
        assert dues == sorted(dues)
        if step.transition.state != step.before and isinstance(step.input, Tick):
            old = [clock.due for clock in adapter.game.clocks(step.before)]
            assert all(due >= step.at for due in dues), (old, dues)


@law
@given(data=st.data())
def test_states_survive_storage(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    decoder = msgspec.msgpack.Decoder(adapter.game.state_type)
    for state in game.states():
        assert decoder.decode(msgspec.msgpack.encode(state)) == state


@law
@given(data=st.data())
def test_messages_say_what_the_rules_say(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    rng = Random(data.draw(seeds))
    for step in rng.sample(game.steps, min(12, len(game.steps))):
        for message, value in _messages(adapter, game, step):
            assert message == value


def _messages(adapter: Adapter, game: Walk, step: Any) -> Iterator[tuple[Any, Any]]:
    """Views, events and actions after a journey through their messages, with the originals."""
    wire = adapter.wire
    for audience in audiences(adapter, game.config):
        view = adapter.game.view(step.transition.state, audience)
        yield wire.view_from(_over_the_wire(wire.view_to(view))), view
        for event in observed(adapter, step.transition, audience):
            yield wire.event_from(_over_the_wire(wire.event_to(event))), event
    if isinstance(step.input, Act):
        action = step.input.action
        message = _over_the_wire(wire.action_to(action))
        yield wire.action_from(message, action.decision), action


def _over_the_wire(message: Any) -> Any:
    return type(message).FromString(message.SerializeToString())


@law
@given(data=st.data())
def test_clocks_alone_finish_any_game(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    states = list(game.states())
    for state in (states[0], states[data.draw(seeds) % len(states)]):
        for _ in range(LONGEST):
            if adapter.game.outcome(state) is not None:
                break
            state = adapter.game.advance(state, adapter.game.clocks(state)[0].due).state
        assert adapter.game.outcome(state) is not None


@law
@given(data=st.data())
def test_repeated_news_of_a_connection_changes_nothing(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for step in game.steps[:40]:
        for online in (False, True):
            once = adapter.game.on_presence(step.before, Seat(0), online, step.at)
            twice = adapter.game.on_presence(once.state, Seat(0), online, step.at)
            assert twice == Transition(state=once.state)


@law
@given(data=st.data())
def test_an_outage_moves_every_clock_by_what_was_lost(
    adapter: Adapter, data: st.DataObject
) -> None:
    game = a_walk(adapter, data)
    for step in game.steps[:40]:
        before = adapter.game.clocks(step.before)
        moved = adapter.game.on_outage(step.before, 1_234, step.at).state
        # A clock that waits for nobody stays, so the others may pass it.
        assert [clock.due for clock in adapter.game.clocks(moved)] == sorted(
            clock.due + (1_234 if clock.seats else 0) for clock in before
        )


@law
@given(data=st.data())
def test_players_who_vote_to_stop_end_the_game(adapter: Adapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    step = data.draw(st.sampled_from(game.steps))
    stopped = adapter.game.dissolve(step.before, step.at)
    outcome = adapter.game.outcome(stopped.state)
    assert outcome is not None
    assert outcome.reason == "DISSOLVED"
    assert sum(outcome.scores) == 0
    assert adapter.game.clocks(stopped.state) == ()
    for audience in audiences(adapter, game.config):
        folded = adapter.game.view(step.before, audience)
        for event in observed(adapter, stopped, audience):
            folded = adapter.game.fold(folded, event)
        assert folded == adapter.game.view(stopped.state, audience)
