"""How a bot plays Plane Battle, and that its counts are right."""

import random
from collections import Counter
from functools import cache

import pytest

from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.actions import Attack, Place
from parlor.rules.planes.board import CELLS, Plane, cells, head
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.fleet_counts import Counts, count_all, count_fitting
from parlor.rules.planes.fleets import FLEETS, Fleet, fleet_of, fleets, nth_fleet
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.policy import decide
from parlor.rules.planes.table import BOTH, Board, Shot, ShotResult
from tests.bench.bench_bots_planes import at_random
from tests.property.planes import answers, fleets_meeting
from tests.unit.rules_planes.table import Game, battle

RULES = [
    Config(),
    Config(destroy_rule=DestroyRule.HEAD_KILL),
    Config(destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE),
]
NAMES = ["all cells", "head", "plane"]


@cache
def _members(plane: Plane) -> tuple[int, ...]:
    return tuple(place for place in range(CELLS) if cells(plane) >> place & 1)


def shot_at(config: Config, fleet: Fleet, places: list[int]) -> Board:
    """The board after shots at these cells."""
    asked = Board(shots=tuple(Shot(*divmod(place, 10), ShotResult.MISS) for place in places))
    return answers(config, fleet, asked)


def counted(fitting: list[Fleet]) -> Counts:
    """The counts of these fleets, one by one."""
    covered: Counter[int] = Counter()
    heads: Counter[int] = Counter()
    for fleet in fitting:
        for plane in fleet:
            heads[head(plane)] += 1
            covered.update(_members(plane))
    return Counts(
        len(fitting),
        tuple(covered[place] for place in range(CELLS)),
        tuple(heads[place] for place in range(CELLS)),
    )


def test_all_fleets_are_counted() -> None:
    assert count_all() == counted(list(fleets()))
    assert count_all().fleets == FLEETS


@pytest.mark.parametrize("config", RULES, ids=NAMES)
def test_counts_are_those_of_trying_every_fleet(config: Config) -> None:
    rng = random.Random(11)
    for shots in (4, 9, 20, 45, 70):
        fleet = nth_fleet(rng.randrange(FLEETS))
        covered = [c for c in range(CELLS) if any(cells(plane) >> c & 1 for plane in fleet)]
        hits = rng.sample(covered, min(len(covered), shots // 2))
        places = list(dict.fromkeys(hits + rng.sample(range(CELLS), shots)))
        board = shot_at(config, fleet, places)
        fitting = [f for f in fleets_meeting(board) if answers(config, f, board) == board]
        assert count_fitting(board, config.destroy_rule) == counted(fitting)


def test_a_bot_places_a_legal_fleet_that_is_no_formation() -> None:
    view = PLANES.view(Game().state, Seat(0))
    placed = set()
    for seed in range(60):
        action = decide(view, random.Random(seed))
        assert isinstance(action, Place)
        fleet = fleet_of(action.planes)
        assert len({plane.direction for plane in fleet}) > 1
        placed.add(fleet)
    assert len(placed) == 60


def test_the_same_view_and_seed_give_the_same_answer() -> None:
    for game in (Game(), battle()):
        view = PLANES.view(game.state, Seat(0))
        assert decide(view, random.Random(3)) == decide(view, random.Random(3))


def test_a_bot_that_is_asked_nothing_does_nothing() -> None:
    game = battle()
    assert decide(PLANES.view(game.state, Seat(1)), random.Random(0)) is None
    assert decide(PLANES.view(game.state, None), random.Random(0)) is None
    game.surrender(1)
    assert decide(PLANES.view(game.state, Seat(0)), random.Random(0)) is None


def test_a_bot_takes_the_head_that_only_one_fleet_allows() -> None:
    """Ten hits around a head leave nothing else for the eleventh cell to be."""
    game = battle(Config(destroy_rule=DestroyRule.HEAD_KILL))
    game.shoot(0, "62 63 64 65 66 74 84 93 94 95")
    game.waste(1)
    action = decide(PLANES.view(game.state, Seat(0)), random.Random(0))
    assert action == Attack(decision=game.state.decisions[0], x=5, y=4)


@pytest.mark.parametrize("config", RULES, ids=NAMES)
def test_a_bot_beats_random_play(config: Config) -> None:
    won = 0
    for seed in range(4):
        rng = random.Random(seed)
        game = Game(config, first=seed % 2)
        game.act(1, placing_of(nth_fleet(rng.randrange(FLEETS)), 1))
        while PLANES.outcome(game.state) is None:
            seat = next(s for s in BOTH if PLANES.view(game.state, s).prompt)
            view = PLANES.view(game.state, seat)
            action = decide(view, rng) if seat == 0 else at_random(view, rng)
            assert action is not None
            game.act(seat, action)
        won += game.state.table.ending is not None and game.state.table.ending.winner == 0
    assert won == 4
