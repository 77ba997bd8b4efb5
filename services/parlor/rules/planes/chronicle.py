"""How the public side of a game follows its events.

The one place where an event becomes a public fact: the state and every audience's view go through
`after`, so that events and views cannot drift apart.
"""

from dataclasses import replace
from typing import assert_never

from parlor.rules.game import Seat
from parlor.rules.planes.accuracy import accuracy
from parlor.rules.planes.events import (
    AttackExecuted,
    BattleStarted,
    ClocksMoved,
    Ended,
    Event,
    GameStarted,
    PlacementCompleted,
    PlaneDestroyed,
    PlanePlaced,
    PresenceChanged,
    Surrendered,
    TurnPaused,
    TurnResumed,
    TurnStarted,
    TurnTimedOut,
)
from parlor.rules.planes.table import (
    Phase,
    Shot,
    ShotResult,
    Table,
    Tally,
    Turn,
    opponent,
    with_item,
)


def after(table: Table, event: Event) -> Table:
    """The table once `event` has happened; complete and observed events give the same."""
    match event:
        case GameStarted():
            return _started(event)
        case PlanePlaced() | Surrendered():
            return table
        case PlacementCompleted():
            return replace(
                table,
                placed=with_item(table.placed, event.seat, True),
                auto_placed=with_item(table.auto_placed, event.seat, event.auto),
            )
        case BattleStarted():
            return replace(table, phase=Phase.BATTLING, placing_due=None, first=event.seat)
        case TurnStarted():
            return replace(table, turn=_turn(event))
        case AttackExecuted():
            return _attacked(table, event)
        case PlaneDestroyed():
            return _destroyed(table, event)
        case TurnTimedOut():
            return _timed_out(table, event)
        case TurnPaused() | TurnResumed():
            return _paused_or_resumed(table, event)
        case PresenceChanged():
            return replace(table, online=with_item(table.online, event.seat, event.online))
        case ClocksMoved():
            return _moved(table, event.lost_ms)
        case Ended():
            settled = _pause_settled(table, event.at)
            return replace(
                settled, phase=Phase.OVER, placing_due=None, turn=None, ending=event.ending
            )
        case _:
            assert_never(event)


def _started(event: GameStarted) -> Table:
    config = event.config
    tally = Tally(pause_budget_ms=config.pause_budget_ms)
    return Table(
        started=event.at,
        placing_due=event.at + config.placing_ms,
        game_due=event.at + config.game_ms,
        tallies=(tally, tally),
    )


def _turn(event: TurnStarted) -> Turn:
    return Turn(
        seat=event.seat,
        limit_ms=event.remaining_ms,
        remaining_ms=event.remaining_ms,
        since=event.at,
        paused=event.paused,
    )


def _attacked(table: Table, event: AttackExecuted) -> Table:
    table = _pause_settled(table, event.at)
    owner = opponent(event.seat)
    board = table.boards[owner]
    shots = (*board.shots, Shot(event.x, event.y, event.result))
    tally = table.tallies[event.seat]
    attacks = tally.attacks + 1
    hits = tally.hits + (event.result is not ShotResult.MISS)
    tally = replace(
        tally,
        attacks=attacks,
        hits=hits,
        accuracy=accuracy(hits, attacks),
        time_used_ms=tally.time_used_ms + _used(table.turn, event.at),
        consecutive=0,
    )
    return replace(
        table,
        turn=None,
        boards=with_item(table.boards, owner, replace(board, shots=shots)),
        tallies=with_item(table.tallies, event.seat, tally),
    )


def _used(turn: Turn | None, at: int) -> int:
    return 0 if turn is None else turn.limit_ms - turn.left_at(at)


def _destroyed(table: Table, event: PlaneDestroyed) -> Table:
    board = table.boards[event.seat]
    # Two planes never share a head, so that directions need no order.
    revealed = tuple(sorted((*board.revealed, event.revealed), key=lambda seen: seen[:2]))
    tally = table.tallies[event.attacker]
    return replace(
        table,
        boards=with_item(table.boards, event.seat, replace(board, revealed=revealed)),
        tallies=with_item(
            table.tallies, event.attacker, replace(tally, destroyed=tally.destroyed + 1)
        ),
    )


def _timed_out(table: Table, event: TurnTimedOut) -> Table:
    tally = table.tallies[event.seat]
    whole = 0 if table.turn is None else table.turn.limit_ms
    tally = replace(
        tally,
        time_used_ms=tally.time_used_ms + whole,
        timeouts=tally.timeouts + 1,
        consecutive=event.consecutive,
    )
    return replace(table, turn=None, tallies=with_item(table.tallies, event.seat, tally))


def _paused_or_resumed(table: Table, event: TurnPaused | TurnResumed) -> Table:
    table = _pause_settled(table, event.at)
    if table.turn is None:
        return table
    turn = replace(
        table.turn,
        remaining_ms=event.remaining_ms,
        since=event.at,
        paused=isinstance(event, TurnPaused),
    )
    return replace(table, turn=turn)


def _pause_settled(table: Table, at: int) -> Table:
    """The table with the time of a running pause taken off its seat's budget."""
    turn = table.turn
    if turn is None or not turn.paused:
        return table
    return replace(table, tallies=_spent(table, turn.seat, turn.paused_for(at)))


def _spent(table: Table, seat: Seat, spent_ms: int) -> tuple[Tally, Tally]:
    tally = table.tallies[seat]
    left = max(0, tally.pause_budget_ms - spent_ms)
    return with_item(table.tallies, seat, replace(tally, pause_budget_ms=left))


def _moved(table: Table, lost_ms: int) -> Table:
    """A turn that stands still has nothing to move: its budget and the game's limit run on."""
    placing_due = None if table.placing_due is None else table.placing_due + lost_ms
    turn = table.turn
    if turn is not None and not turn.paused:
        turn = replace(turn, since=turn.since + lost_ms)
    return replace(table, placing_due=placing_due, turn=turn)
