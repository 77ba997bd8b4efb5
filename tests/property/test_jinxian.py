"""What holds in every game of Jinxian Mahjong beyond the laws of all games."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor.rules.game import Audience
from parlor.rules.jinxian import JINXIAN, State, View
from parlor.rules.jinxian.events import Answered, Asked, Dealt, Drawn, Event, Melded
from parlor.rules.jinxian.hands import Hand
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.scoring import can_win
from parlor.rules.jinxian.state import ALL_SEATS
from parlor.rules.jinxian.table import Phase, Question
from parlor.rules.jinxian.tiles import without
from parlor.rules.jinxian.wins import jing_of_round
from tests.property.jinxian import ADAPTERS, JinxianAdapter
from tests.property.law import law
from tests.property.walks import Walk, walk

pytestmark = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)

AUDIENCES: tuple[Audience, ...] = (*ALL_SEATS, None)
MOST_DISCARDS = 66
"""The dealer's first turn, 49 draws, and 16 chows and pongs (RULES.md 11.10)."""


def a_walk(adapter: JinxianAdapter, data: st.DataObject) -> Walk:
    return walk(adapter, data.draw(adapter.configs()), data.draw(st.integers(0, 2**32 - 1)))


def told(game: Walk) -> Iterator[tuple[State, Event, Audience, Event | None]]:
    """Every event with who may observe what of it, and the state that it led to."""
    for transition in (game.first, *(step.transition for step in game.steps)):
        for event in transition.events:
            for audience in AUDIENCES:
                yield transition.state, event, audience, JINXIAN.observe(event, audience)


@law
@given(data=st.data())
def test_events_name_hidden_tiles_to_their_seat_alone(
    adapter: JinxianAdapter, data: st.DataObject
) -> None:
    for state, event, audience, observed in told(a_walk(adapter, data)):
        match event, observed:
            case Drawn(), Drawn():
                assert observed.tile == (event.tile if audience == event.seat else None)
            case Dealt(), Dealt():
                assert observed.wall == b""
                assert (observed.drawn is not None) == (audience == event.dealer)
                assert [bool(hand) for hand in observed.hands] == [
                    seat == audience for seat in ALL_SEATS
                ]
            case Melded(), Melded():
                concealed = event.meld.type is MeldType.CONCEALED_KONG
                hidden = concealed and state.config.concealed_kong_hidden
                assert bool(observed.meld.kinds) == (not hidden or audience == event.seat)
            case Asked(), Asked():
                assert all(ask.seat == audience for ask in observed.asks)
                assert not (observed.question is Question.CLAIM and observed.seats)
            case Answered(), _:
                assert (observed is not None) == (audience == event.seat)
            case _:
                assert observed == event


@law
@given(data=st.data())
def test_views_hold_no_tile_that_is_hidden(adapter: JinxianAdapter, data: st.DataObject) -> None:
    for state in a_walk(adapter, data).states():
        for audience in AUDIENCES:
            view = JINXIAN.view(state, audience)
            assert view.hand == (() if audience is None else state.hands[audience])
            _check_public(state, view)


def _check_public(state: State, view: View) -> None:
    table = view.table
    assert (table.shown is not None) <= (table.phase in (Phase.ROUND_END, Phase.GAME_END))
    assert view.drawn is None or table.active == view.seat
    if not state.config.concealed_kong_hidden or table.shown is not None:
        return
    for seat, melds in enumerate(table.melds):
        for meld in melds:
            if meld.type is MeldType.CONCEALED_KONG:
                assert bool(meld.kinds) == (seat == view.seat)


@law
@given(data=st.data())
def test_every_round_ends_and_is_recorded(adapter: JinxianAdapter, data: st.DataObject) -> None:
    game = a_walk(adapter, data)
    for state in game.states():
        table = state.table
        assert len(table.river) <= MOST_DISCARDS
        assert table.drawable >= 0
        assert all(sum(record.deltas) == 0 for record in table.history)
        totals = [sum(record.deltas[seat] for record in table.history) for seat in ALL_SEATS]
        assert list(table.scores) == totals
        assert [record.number for record in table.history] == list(range(1, len(table.history) + 1))


@law
@given(data=st.data())
def test_a_recorded_win_is_one(adapter: JinxianAdapter, data: st.DataObject) -> None:
    """What was shown at the end of a round completes the winner's hand."""
    for state in a_walk(adapter, data).states():
        table = state.table
        if table.shown is None or not table.history or table.phase is Phase.GAME_END:
            continue
        record = table.history[-1]
        if record.win is None or record.winner is None or record.by is None:
            continue
        concealed = table.shown[record.winner]
        if record.loser is None:
            concealed = without(concealed, (record.win.tile,))
        assert can_win(
            Hand(concealed=concealed, melds=table.melds[record.winner]),
            record.win.tile,
            jing=jing_of_round(table),
            by=record.by,
            options=state.config.scoring,
        )
