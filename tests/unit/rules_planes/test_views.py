"""Who knows what, and what a seat may do (RULES.md 8)."""

from random import Random

import pytest

from parlor.rules.chance import ScriptedChance
from parlor.rules.game import Audience, Seat
from parlor.rules.planes import PLANES, Config, before_start
from parlor.rules.planes.actions import Attack, Place, Surrender
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.events import Event
from parlor.rules.planes.fleets import Fleet, fleet_of, fleets
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.table import ShotResult
from parlor.rules.planes.view import View
from tests.property.planes import another_fleet
from tests.unit.rules_planes.table import ABOVE, Game, battle, planes

A, B = Seat(0), Seat(1)

RULES = [
    pytest.param(Config(), id="8.4 all cells"),
    pytest.param(Config(destroy_rule=DestroyRule.HEAD_KILL), id="8.4 head"),
    pytest.param(
        Config(destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE), id="8.4 plane"
    ),
]


def play(config: Config, defence: Fleet, cells: list[tuple[int, int]]) -> tuple[Game, list[Event]]:
    """Seat 0 shoots at `cells` of the fleet of seat 1, which lets its turns run out in between."""
    game = Game(config)
    game.place(0, ABOVE)
    game.act(1, placing_of(defence, 1))
    for x, y in cells:
        game.act(0, Attack(decision=game.state.decisions[0], x=x, y=y))
        game.waste(1)
    return game, game.history


def seen_by(audience: Audience, events: list[Event]) -> list[Event]:
    """What the audience saw of the events."""
    return [seen for event in events if (seen := PLANES.observe(event, audience)) is not None]


@pytest.mark.parametrize("config", RULES)
def test_two_fleets_that_answer_alike_look_alike(config: Config) -> None:
    rng, every = Random(8), list(fleets())
    for shots in (0, 1, 3, 6, 10, 15, 25, 40):
        defence = rng.choice(every)
        cells = [divmod(cell, 10) for cell in rng.sample(range(100), shots)]
        game, events = play(config, defence, cells)
        if game.state.table.ending is not None:
            continue
        other = another_fleet(game.state, B, rng)
        again, events_again = play(config, other, cells)
        for audience in (A, None):
            assert PLANES.view(again.state, audience) == PLANES.view(game.state, audience)
            assert seen_by(audience, events_again) == seen_by(audience, events)


def test_two_fleets_that_answer_alike_are_found_even_late() -> None:
    """The test above compares different fleets, not one with itself."""
    rng = Random(3)
    game, _ = play(Config(), planes("L20 R29 U54"), [(5, 4), (0, 0), (9, 9), (6, 4)])
    found = {frozenset(another_fleet(game.state, B, rng)) for _ in range(20)}
    assert len(found) > 10


def test_a_fleet_is_known_to_its_seat_until_the_end() -> None:
    game = battle()
    ours, theirs = game.state.fleets
    assert PLANES.view(game.state, A).fleets == (ours, ())
    assert PLANES.view(game.state, B).fleets == ((), theirs)
    assert PLANES.view(game.state, None).fleets == ((), ())
    game.surrender(0)
    for audience in (A, B, None):
        assert PLANES.view(game.state, audience).fleets == (ours, theirs)


def test_placing_tells_the_others_that_and_not_where() -> None:
    game = Game()
    events = list(game.place(0, ABOVE))
    assert seen_by(A, events) == events
    assert seen_by(B, events) == seen_by(None, events) == events[3:]
    assert PLANES.view(game.state, B).table.placed == (True, False)


def test_decisions_are_told_to_their_seat_alone() -> None:
    game = battle()
    numbers = [
        [getattr(event, "decision", None) for event in seen_by(audience, game.history)]
        for audience in (A, B, None)
    ]
    told = [[number for number in row if number is not None] for row in numbers]
    assert told == [[1, 2], [1, 0], [0, 0]]


def test_a_game_folds_from_before_its_start() -> None:
    game = battle()
    game.shoot(0, "54 62 00")
    game.wait(30_000)
    game.presence(0, False)
    game.surrender(1)
    for audience in (A, B, None):
        view: View = before_start(Config(), audience)
        for event in seen_by(audience, game.history):
            view = PLANES.fold(view, event)
        assert view == PLANES.view(game.state, audience)


def test_what_may_be_placed_is_every_fleet_once() -> None:
    state = Game().state
    listed = list(PLANES.legal_actions(state, A))
    placed = [fleet_of(action.planes) for action in listed if isinstance(action, Place)]
    assert placed == list(fleets())
    assert listed[-1] == Surrender()


def test_what_may_be_shot_at_is_every_cell_not_shot_at() -> None:
    game = battle()
    game.shoot(0, "00 54")
    assert list(PLANES.legal_actions(game.state, A)) == [Surrender()]
    game.waste(1)
    shots = [action for action in PLANES.legal_actions(game.state, A) if action != Surrender()]
    assert len(shots) == 98
    assert game.shot(0, "54") not in shots
    assert list(PLANES.legal_actions(game.state, B)) == [Surrender()]


def test_listing_fleets_is_lazy() -> None:
    first = next(PLANES.legal_actions(Game().state, A))
    assert isinstance(first, Place)


def test_a_hit_tells_nothing_but_that_it_hit() -> None:
    game = battle()
    game.shoot(0, "54")
    (shot,) = PLANES.view(game.state, A).table.boards[1].shots
    assert shot == (5, 4, ShotResult.HIT)
    assert PLANES.view(game.state, A).table.boards[1].revealed == ()


def test_scripted_chance_does_not_show_in_a_view() -> None:
    state = PLANES.initial(Config(), ScriptedChance({("first",): [1]}), 0).state
    other = PLANES.initial(Config(), ScriptedChance({("first",): [0]}), 0).state
    assert PLANES.view(state, A) == PLANES.view(other, A)
