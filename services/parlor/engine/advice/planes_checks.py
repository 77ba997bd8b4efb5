"""What a view of Plane Battle must be like."""

from parlor.engine.advice.checks import malformed
from parlor.rules.game import Seat
from parlor.rules.planes.board import CELLS, Plane, fits, is_on_board
from parlor.rules.planes.fleet_counts import Counts, count_fitting
from parlor.rules.planes.fleets import FLEET_PLANES
from parlor.rules.planes.table import Board, ShotResult, opponent
from parlor.rules.planes.view import Question, View


def check_view(view: View) -> None:
    """Refuses a view that no audience could have received, as far as answers depend on it."""
    for number, fleet in enumerate(view.fleets):
        for place, plane in enumerate(fleet):
            if not fits(plane):
                raise malformed(f"view.fleets[{number}].planes[{place}]", "leaves the board")
    for number, board in enumerate(view.table.boards):
        _check_board(board, f"view.table.boards[{number}]")
    prompt, seat = view.prompt, view.seat
    if prompt is None:
        return
    if seat is None:
        raise malformed("view.prompt", "spectators are asked nothing")
    if prompt.question is Question.ATTACK:
        owner = opponent(seat)
        if len(view.table.boards[owner].shots) == CELLS:
            raise malformed(f"view.table.boards[{owner}].shots", "no cell is left to attack")
        counted(view, owner)


def counted(view: View, owner: Seat) -> Counts:
    """The fleets that may stand on a board; refuses answers that no fleet gives."""
    counts = count_fitting(view.table.boards[owner], view.config.destroy_rule)
    if not counts.fleets:
        raise malformed(f"view.table.boards[{owner}]", "no fleet gives these answers")
    return counts


def _check_board(board: Board, field: str) -> None:
    seen = set()
    for place, shot in enumerate(board.shots):
        if not is_on_board(shot.x, shot.y):
            raise malformed(f"{field}.shots[{place}]", f"no cell: {shot.x}, {shot.y}")
        if (shot.x, shot.y) in seen:
            raise malformed(f"{field}.shots[{place}]", f"shot at before: {shot.x}, {shot.y}")
        seen.add((shot.x, shot.y))
    fallen = [shot for shot in board.shots if shot.result is ShotResult.DESTROY]
    if len(fallen) > FLEET_PLANES or len(board.revealed) != len(fallen):
        raise malformed(f"{field}.revealed", "must be one for each plane that a shot brought down")
    for place, plane in enumerate(board.revealed):
        is_plane = plane.direction is None or fits(
            Plane(x=plane.x, y=plane.y, direction=plane.direction)
        )
        if not is_on_board(plane.x, plane.y) or not is_plane:
            raise malformed(f"{field}.revealed[{place}]", "leaves the board")
