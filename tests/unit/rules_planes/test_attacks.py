"""Shots and what they meet (RULES.md 4)."""

import pytest

from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.actions import Attack
from parlor.rules.planes.board import Direction, parts
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.events import AttackExecuted, Ended, PlaneDestroyed, TurnStarted
from parlor.rules.planes.grids import damage, grid
from parlor.rules.planes.table import EndReason, Revealed, ShotResult
from parlor.rules.reasons import Reason
from tests.unit.rules_planes.table import ASIDE, battle, planes

MISS, HIT, DESTROY = ShotResult.MISS, ShotResult.HIT, ShotResult.DESTROY

BY_HEAD = Config(destroy_rule=DestroyRule.HEAD_KILL)
BY_HEAD_SHOWN = Config(destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE)

U54 = "54 62 63 64 65 66 74 84 93 94 95"
"""The cells of a plane of seat 1, the head first."""


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        pytest.param(10, 0, Reason.BAD_POSITION, id="4.1 below the board"),
        pytest.param(0, 10, Reason.BAD_POSITION, id="4.1 right of the board"),
        pytest.param(-1, 3, Reason.BAD_POSITION, id="4.1 above the board"),
        pytest.param(None, 3, Reason.BAD_POSITION, id="4.1 no row"),
        pytest.param(3, None, Reason.BAD_POSITION, id="4.1 no column"),
        pytest.param(0, 0, Reason.ALREADY_ATTACKED, id="4.1 shot at before"),
    ],
)
def test_a_shot_that_cannot_be_is_refused(x: int | None, y: int | None, reason: Reason) -> None:
    game = battle()
    game.shoot(0, "00")
    game.waste(1)
    assert game.refusal(0, Attack(decision=3, x=x, y=y)) is reason


def test_a_shot_out_of_turn_or_for_an_older_turn_is_refused() -> None:
    game = battle()
    assert game.refusal(1, Attack(decision=1, x=0, y=0)) is Reason.NOT_YOUR_TURN
    assert game.refusal(0, Attack(decision=1, x=0, y=0)) is Reason.DECISION_OVER
    game.shoot(0, "00")
    assert game.refusal(0, Attack(decision=2, x=0, y=1)) is Reason.NOT_YOUR_TURN


def test_both_seats_may_shoot_at_the_same_place() -> None:
    game = battle()
    assert game.shoot(0, "00") == [MISS]
    assert game.shoot(1, "00") == [MISS]


@pytest.mark.parametrize(
    ("cell", "result"),
    [pytest.param("00", MISS, id="3.4 miss"), pytest.param("54", HIT, id="3.4 hit")],
)
def test_every_shot_passes_the_turn(cell: str, result: ShotResult) -> None:
    game = battle()
    game.at += 2_000
    assert game.act(0, game.shot(0, cell)) == (
        AttackExecuted(seat=Seat(0), at=game.at, x=int(cell[0]), y=int(cell[1]), result=result),
        TurnStarted(seat=Seat(1), at=game.at, remaining_ms=30_000, paused=False, decision=2),
    )


def test_a_fallen_plane_passes_the_turn_as_well() -> None:
    game = battle()
    game.shoot(0, U54)
    assert isinstance(game.events[-1], TurnStarted)
    assert game.events[-1].seat == Seat(1)


def test_a_plane_falls_with_the_last_of_its_cells_whichever_that_is() -> None:
    for last in U54.split():
        order = [cell for cell in U54.split() if cell != last] + [last]
        assert battle().shoot(0, " ".join(order)) == [HIT] * 10 + [DESTROY]


def test_a_fallen_plane_shows_its_head_and_direction() -> None:
    game = battle()
    game.shoot(0, U54)
    revealed = Revealed(5, 4, Direction.UP)
    assert game.events[1] == PlaneDestroyed(
        seat=Seat(1), attacker=Seat(0), x=9, y=5, revealed=revealed
    )
    assert game.state.table.boards[1].revealed == (revealed,)


def test_a_hit_on_the_head_is_enough_under_head_kill() -> None:
    game = battle(BY_HEAD)
    assert game.shoot(0, "54") == [DESTROY]
    assert game.state.table.boards[1].revealed == (Revealed(5, 4, None),)


def test_the_rest_of_a_fallen_plane_is_hit_and_never_falls_again() -> None:
    game = battle(BY_HEAD)
    assert game.shoot(0, U54) == [DESTROY] + [HIT] * 10
    tally = game.state.table.tallies[0]
    assert (tally.hits, tally.destroyed) == (11, 1)


def test_ten_hits_without_the_head_bring_nothing_down() -> None:
    game = battle(BY_HEAD)
    without_head = " ".join(U54.split()[1:])
    assert game.shoot(0, without_head) == [HIT] * 10
    game.waste(1)
    assert game.shoot(0, "54") == [DESTROY]


def test_head_kill_may_show_the_whole_plane() -> None:
    game = battle(BY_HEAD_SHOWN)
    game.shoot(0, "29")
    assert game.state.table.boards[1].revealed == (Revealed(2, 9, Direction.RIGHT),)


def test_what_fell_is_listed_by_its_head_and_not_by_its_turn() -> None:
    game = battle(BY_HEAD)
    game.shoot(0, "54 20")
    assert [seen[:2] for seen in game.state.table.boards[1].revealed] == [(2, 0), (5, 4)]


@pytest.mark.parametrize("config", [BY_HEAD, BY_HEAD_SHOWN], ids=["4.5 head", "4.5 plane"])
def test_the_third_fallen_plane_ends_the_game_at_once(config: Config) -> None:
    game = battle(config)
    game.shoot(0, "20 29 54")
    ended = game.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.ending.reason, ended.ending.winner) == (EndReason.ALL_PLANES_DESTROYED, Seat(0))
    assert ended.ending.moves == 5, "the second seat has no last turn"
    assert ended.fleets == game.state.fleets
    assert PLANES.clocks(game.state) == ()


def test_33_hits_win_where_every_cell_counts() -> None:
    game = battle()
    cells = [f"{x}{y}" for plane in planes(ASIDE) for _, x, y in parts(plane)]
    assert game.shoot(0, " ".join(cells)).count(DESTROY) == 3
    assert PLANES.outcome(game.state) is not None
    assert game.state.table.tallies[0].hits == 33


def test_a_board_reads_as_a_grid_and_a_plane_knows_its_damage() -> None:
    game = battle(BY_HEAD)
    game.shoot(0, "54 62 00")
    board, fleet = game.state.table.boards[1], game.state.fleets[1]
    assert grid(board)[:1] + grid(board)[5:7] == ("o.........", "....#.....", "..x.......")
    assert grid(board, fleet)[5:7] == ("....#.....", "..x2222...")
    found = [damage(board, plane) for plane in fleet]
    assert [(d.hits, d.destroyed) for d in found] == [(0, False), (0, False), (2, True)]
