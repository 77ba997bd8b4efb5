"""What a shot meets and what follows (RULES.md 4)."""

from collections.abc import Sequence

from parlor.rules.game import IllegalAction, Seat
from parlor.rules.planes.board import Plane, cell, cells, head, is_on_board
from parlor.rules.planes.config import Config, DestroyRule, HeadReveal
from parlor.rules.planes.ending import end
from parlor.rules.planes.events import AttackExecuted, PlaneDestroyed
from parlor.rules.planes.fleets import FLEET_PLANES
from parlor.rules.planes.state import Step, then
from parlor.rules.planes.table import Board, EndReason, Revealed, ShotResult, opponent
from parlor.rules.planes.turns import start_turn
from parlor.rules.reasons import Reason


def check_target(board: Board, x: int | None, y: int | None) -> tuple[int, int]:
    """The target's row and column; raises `IllegalAction` where it cannot be shot at (4.1)."""
    if x is None or y is None or not is_on_board(x, y):
        raise IllegalAction(Reason.BAD_POSITION, f"no such cell: {x}, {y}")
    if board.attacked() >> cell(x, y) & 1:
        raise IllegalAction(Reason.ALREADY_ATTACKED, f"shot at before: {x}, {y}")
    return x, y


def attack(step: Step, seat: Seat, x: int, y: int, at: int) -> Step:
    """A shot at the opponent's board; the third fallen plane ends the game, else the turn passes."""
    owner = opponent(seat)
    state = step.state
    plane = plane_at(state.fleets[owner], x, y)
    result = shot_result(state.config, state.table.boards[owner], plane, x, y)
    step = then(step, AttackExecuted(seat=seat, at=at, x=x, y=y, result=result))
    if plane is not None and result is ShotResult.DESTROY:
        fallen = PlaneDestroyed(
            seat=owner, attacker=seat, x=x, y=y, revealed=revealed_of(state.config, plane)
        )
        step = then(step, fallen)
    if step.state.table.tallies[seat].destroyed == FLEET_PLANES:
        return end(step, EndReason.ALL_PLANES_DESTROYED, seat, at)
    return start_turn(step, owner, at)


def plane_at(fleet: Sequence[Plane], x: int, y: int) -> Plane | None:
    """The plane that covers the cell, if any."""
    return next((plane for plane in fleet if cells(plane) >> cell(x, y) & 1), None)


def shot_result(config: Config, board: Board, plane: Plane | None, x: int, y: int) -> ShotResult:
    """What a first shot at the cell meets, where `plane` covers it."""
    if plane is None:
        return ShotResult.MISS
    shot = 1 << cell(x, y)
    if config.destroy_rule is DestroyRule.HEAD_KILL:
        falls = shot == 1 << head(plane)
    else:
        falls = not cells(plane) & ~(board.attacked() | shot)
    return ShotResult.DESTROY if falls else ShotResult.HIT


def revealed_of(config: Config, plane: Plane) -> Revealed:
    """Where all cells of a plane were hit, its direction only groups what is public anyway."""
    hides_direction = (
        config.destroy_rule is DestroyRule.HEAD_KILL and config.head_reveal is HeadReveal.HEAD
    )
    return Revealed(plane.x, plane.y, None if hides_direction else plane.direction)
