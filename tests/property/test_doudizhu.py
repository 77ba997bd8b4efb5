"""What holds in every game of Dou Dizhu beyond the laws of all games."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor.rules.doudizhu import DOUDIZHU, State
from parlor.rules.doudizhu.cards import rank_counts
from parlor.rules.doudizhu.clocks import CONSENT
from parlor.rules.doudizhu.combos import combo_rules
from parlor.rules.doudizhu.events import Dealt
from parlor.rules.doudizhu.readings import readings
from parlor.rules.doudizhu.state import ALL_SEATS
from parlor.rules.doudizhu.table import Act, Phase, Question
from parlor.rules.game import Audience
from tests.property.doudizhu import ADAPTERS, DouDizhuAdapter
from tests.property.law import law
from tests.property.walks import walk

pytestmark = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)

AUDIENCES: tuple[Audience, ...] = (*ALL_SEATS, None)
CARD_FIELDS = {"cards", "hands", "bottom"}


def cards_in(value: Any) -> Iterator[int]:
    """Every card that a view or an event names, wherever it stands."""
    if is_dataclass(value):
        for field in fields(value):
            held = getattr(value, field.name)
            yield from flat(held) if field.name in CARD_FIELDS else cards_in(held)
    elif hasattr(value, "_asdict"):
        yield from value.cards
    elif isinstance(value, tuple):
        for item in value:
            yield from cards_in(item)


def flat(value: Any) -> Iterator[int]:
    """The cards of a hand or of several."""
    if isinstance(value, tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


def hidden_from(state: State, audience: Audience) -> set[int]:
    """The cards that the audience may not know (RULES.md 8.1)."""
    table = state.table
    if table.phase is Phase.OVER:
        return set()
    hidden = set(state.bottom)
    for seat in ALL_SEATS:
        if seat != audience and not (table.shown and seat == table.landlord):
            hidden |= set(state.hands[seat])
    # Whoever has seen the bottom cards knows where they went.
    return hidden - set(table.bottom)


@law
@given(data=st.data())
def test_no_view_or_event_names_a_card_that_its_audience_may_not_know(
    adapter: DouDizhuAdapter, data: st.DataObject
) -> None:
    game = walk(adapter, data.draw(adapter.configs()), data.draw(st.integers(0, 2**32)))
    transitions = [game.first, *(step.transition for step in game.steps)]
    for transition in transitions:
        for audience in AUDIENCES:
            hidden = hidden_from(transition.state, audience)
            assert hidden.isdisjoint(cards_in(DOUDIZHU.view(transition.state, audience)))
            for event in transition.events:
                seen = DOUDIZHU.observe(event, audience)
                assert hidden.isdisjoint(cards_in(seen))
                if isinstance(seen, Dealt):
                    assert not seen.bottom
                    assert [bool(hand) for hand in seen.hands] == [
                        seat == audience for seat in ALL_SEATS
                    ]


@law
@given(data=st.data())
def test_games_keep_their_shape(adapter: DouDizhuAdapter, data: st.DataObject) -> None:
    """RULES.md 4 and 7.6: one seat on turn, nothing to beat just where it leads, few steps."""
    game = walk(adapter, data.draw(adapter.configs()), data.draw(st.integers(0, 2**32)))
    for state in game.states():
        table = state.table
        if table.deadline is None:
            assert table.phase is Phase.OVER
            continue
        all_asked = table.deadline.question is Question.DOUBLE
        assert len(table.deadline.seats) == (3 if all_asked else 1)
        assert 0 <= table.passes <= 1
        if not all_asked:
            dues = [clock.due for clock in DOUDIZHU.clocks(state) if clock.kind != CONSENT]
            assert dues == [table.deadline.due]
        assert table.trick is None or table.trick.seat not in table.deadline.seats
    acts = [entry.act for entry in state.table.history]
    assert acts.count(Act.PLAY) <= 54
    assert acts.count(Act.PASS) <= 2 * acts.count(Act.PLAY)


@law
@given(data=st.data())
def test_what_was_played_is_one_of_its_readings(
    adapter: DouDizhuAdapter, data: st.DataObject
) -> None:
    game = walk(adapter, data.draw(adapter.configs()), data.draw(st.integers(0, 2**32)))
    rules = combo_rules(game.config)
    last = list(game.states())[-1]
    for entry in last.table.history:
        if entry.act is Act.PLAY:
            assert entry.reading in readings(rank_counts(entry.cards), rules)
