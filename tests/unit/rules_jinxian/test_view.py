"""Who knows what (RULES.md 12)."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from parlor.rules.game import Audience, Seat
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.events import Dealt, Drawn, Event
from parlor.rules.jinxian.table import Question
from parlor.rules.jinxian.tiles import kind
from tests.unit.rules_jinxian.flow import (
    HAS_79S,
    HAS_88S,
    IDLE,
    WAITS_8S,
    Game,
    game,
    ordered,
    seen,
)

OTHERS: tuple[Audience, ...] = (Seat(0), Seat(2), Seat(3), None)


def folded(play: Game, audience: Audience, events: list[Event], view: Any) -> Any:
    for event in seen(events, audience):
        view = JINXIAN.fold(view, event)
    return view


def test_a_seat_sees_its_own_tiles_and_the_others_their_number() -> None:
    """12.1"""
    play = game(WAITS_8S, drawn="9p")
    assert play.view(0).hand == play.state.hands[0]
    assert play.view(0).drawn == kind("9p")
    for audience in (1, 2, 3, None):
        view = play.view(audience)
        assert view.drawn is None
        assert view.hand == (() if audience is None else play.state.hands[audience])
        assert view.table.counts == (14, 13, 13, 13)
        assert view.table.shown is None


def test_the_deal_shows_each_seat_its_own_hand() -> None:
    """12.1"""
    play = game()
    for audience in (0, 1, 2, 3, None):
        who = None if audience is None else Seat(audience)
        (dealt,) = (event for event in seen(play.events, who) if isinstance(event, Dealt))
        assert dealt.wall == b""
        assert (dealt.drawn is None) == (audience != 0)
        shown = [bool(hand) for hand in dealt.hands]
        assert shown == [seat == audience for seat in range(4)]


def test_a_draw_shows_its_tile_to_its_seat_alone() -> None:
    """12.1"""
    play = game(draws="5m")
    events = play.discard(0, "9m")
    for audience in OTHERS:
        assert Drawn(seat=Seat(1), tile=None) in seen(events, audience)
    assert Drawn(seat=Seat(1), tile=kind("5m")) in seen(events, Seat(1))


def test_only_who_is_asked_has_a_prompt() -> None:
    """12.3"""
    play = game(IDLE, HAS_79S, IDLE, WAITS_8S, drawn="8s")
    assert [play.view(seat).prompt is not None for seat in (0, 1, 2, 3)] == [True] + [False] * 3
    play.discard(0, "8s")
    prompts = [play.view(seat).prompt for seat in (0, 1, 2, 3)]
    assert [prompt is not None for prompt in prompts] == [False, True, False, True]
    own = prompts[3]
    assert own is not None
    assert (own.question, own.options.win) == (Question.CLAIM, 13)
    assert own.due == play.at + 15_000
    assert play.view(None).prompt is None
    assert play.view(None).table.deadline == play.view(1).table.deadline


def test_an_answer_takes_the_own_prompt_away_and_nothing_else() -> None:
    """12.3"""
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
    play.discard(0, "8s")
    before = {audience: JINXIAN.view(play.state, audience) for audience in OTHERS}
    play.chow(1, "79s")
    assert {audience: JINXIAN.view(play.state, audience) for audience in OTHERS} == before
    assert play.view(1).prompt is None
    assert play.view(1).answer is not None


@pytest.mark.parametrize("answer", ["pass", "chow"])
def test_what_was_answered_shows_nowhere_before_the_window_closes(answer: str) -> None:
    """12.3"""
    play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
    play.discard(0, "8s")
    events = play.pass_claim(1) if answer == "pass" else play.chow(1, "79s")
    assert all(seen(events, audience) == [] for audience in OTHERS)


def test_a_beaten_claim_is_never_told() -> None:
    """12.3"""
    told = []
    for first in ("pass", "chow"):
        play = game(IDLE, HAS_79S, HAS_88S, drawn="8s")
        play.discard(0, "8s")
        if first == "pass":
            play.pass_claim(1)
        else:
            play.chow(1, "79s")
        events = play.pong(2)
        told.append([seen(events, audience) for audience in OTHERS])
    assert told[0] == told[1]


def test_the_wall_and_the_seed_are_in_no_view() -> None:
    """12.5"""
    play = game()
    names = {field for audience in (0, 1, 2, 3, None) for field in _fields(play.view(audience))}
    assert names.isdisjoint({"wall", "chance", "seed", "places"})


def _fields(value: Any) -> set[str]:
    if isinstance(value, tuple):
        return {name for item in value for name in _fields(item)}
    if not is_dataclass(value):
        return set()
    found = {field.name for field in fields(value)}
    return found.union(*(_fields(getattr(value, name)) for name in found))


def test_hands_are_open_until_the_next_deal() -> None:
    """12.5"""
    play = game(WAITS_8S, drawn="8s")
    play.win(0)
    shown = play.view(None).table.shown
    assert shown is not None
    assert shown[0] == play.state.hands[0]
    play.clock()
    assert play.view(None).table.shown is None


def test_events_lead_from_view_to_view_through_a_claimed_kong() -> None:
    play = game(IDLE, IDLE, "147m258p3888s224z", drawn="8s", tail="5m")
    for number in range(2):
        views = {audience: JINXIAN.view(play.state, audience) for audience in OTHERS}
        events = play.kong(2, "8s") if number else play.discard(0, "8s")
        for audience, view in views.items():
            assert folded(play, audience, events, view) == JINXIAN.view(play.state, audience)
    assert play.hand(2) == ordered("1457m258p3s224z")
