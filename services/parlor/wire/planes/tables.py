"""What is public about a game."""

from parlor.rules.planes.table import Board, Shot, Table, Tally, Turn
from parlor.v1 import planes_pb2 as pb
from parlor.wire.planes.values import (
    PHASES,
    RESULTS,
    ending_from,
    ending_to,
    revealed_from,
    revealed_to,
    seat_of,
    two,
)
from parlor.wire.times import duration, instant, milliseconds, timestamp


def table_to(table: Table) -> pb.PlanesTable:
    """The public side."""
    placing_due = table.placing_due
    return pb.PlanesTable(
        phase=PHASES.number(table.phase),
        start_time=timestamp(table.started),
        placing_expire_time=None if placing_due is None else timestamp(placing_due),
        game_expire_time=timestamp(table.game_due),
        placed=table.placed,
        auto_placed=table.auto_placed,
        online=table.online,
        first=table.first,
        turn=None if table.turn is None else _turn_to(table.turn),
        boards=[_board_to(board) for board in table.boards],
        tallies=[_tally_to(tally) for tally in table.tallies],
        ending=None if table.ending is None else ending_to(table.ending),
    )


def table_from(message: pb.PlanesTable) -> Table:
    """The public side."""
    has = message.HasField
    first, second = two(message.boards, "table.boards")
    ours, theirs = two(message.tallies, "table.tallies")
    return Table(
        phase=PHASES.member(message.phase, "table.phase"),
        started=instant(message.start_time),
        placing_due=instant(message.placing_expire_time) if has("placing_expire_time") else None,
        game_due=instant(message.game_expire_time),
        placed=two(message.placed, "table.placed"),
        auto_placed=two(message.auto_placed, "table.auto_placed"),
        online=two(message.online, "table.online"),
        first=seat_of(message.first, "table.first") if has("first") else None,
        turn=_turn_from(message.turn) if has("turn") else None,
        boards=(_board_from(first), _board_from(second)),
        tallies=(_tally_from(ours), _tally_from(theirs)),
        ending=ending_from(message.ending) if has("ending") else None,
    )


def _turn_to(turn: Turn) -> pb.PlanesTurn:
    return pb.PlanesTurn(
        seat=turn.seat,
        limit=duration(turn.limit_ms),
        remaining=duration(turn.remaining_ms),
        change_time=timestamp(turn.since),
        paused=turn.paused,
    )


def _turn_from(message: pb.PlanesTurn) -> Turn:
    return Turn(
        seat=seat_of(message.seat, "turn.seat"),
        limit_ms=milliseconds(message.limit, "turn.limit"),
        remaining_ms=milliseconds(message.remaining, "turn.remaining"),
        since=instant(message.change_time),
        paused=message.paused,
    )


def _board_to(board: Board) -> pb.PlanesBoard:
    shots = [
        pb.PlanesShot(x=shot.x, y=shot.y, result=RESULTS.number(shot.result))
        for shot in board.shots
    ]
    return pb.PlanesBoard(shots=shots, revealed=[revealed_to(seen) for seen in board.revealed])


def _board_from(message: pb.PlanesBoard) -> Board:
    return Board(
        shots=tuple(
            Shot(shot.x, shot.y, RESULTS.member(shot.result, "board.shots.result"))
            for shot in message.shots
        ),
        revealed=tuple(revealed_from(seen, "board.revealed") for seen in message.revealed),
    )


def _tally_to(tally: Tally) -> pb.PlanesTally:
    return pb.PlanesTally(
        attacks=tally.attacks,
        hits=tally.hits,
        destroyed=tally.destroyed,
        accuracy=tally.accuracy,
        time_used=duration(tally.time_used_ms),
        timeouts=tally.timeouts,
        consecutive_timeouts=tally.consecutive,
        pause_budget=duration(tally.pause_budget_ms),
    )


def _tally_from(message: pb.PlanesTally) -> Tally:
    return Tally(
        attacks=message.attacks,
        hits=message.hits,
        destroyed=message.destroyed,
        accuracy=message.accuracy,
        time_used_ms=milliseconds(message.time_used, "tally.time_used"),
        timeouts=message.timeouts,
        consecutive=message.consecutive_timeouts,
        pause_budget_ms=milliseconds(message.pause_budget, "tally.pause_budget"),
    )
