"""Turns and their clock: who is on turn, and when the clock stands still (RULES.md 3.4 and 5)."""

from parlor.rules.game import Seat
from parlor.rules.planes.ending import end
from parlor.rules.planes.events import (
    PresenceChanged,
    ResumeReason,
    TurnPaused,
    TurnResumed,
    TurnStarted,
    TurnTimedOut,
)
from parlor.rules.planes.state import Step, next_number, then
from parlor.rules.planes.table import EndReason, Phase, Table, Turn, opponent


def start_turn(step: Step, seat: Seat, at: int) -> Step:
    """A seat is on turn with its whole limit, which stands still at once where it is offline."""
    state = step.state
    return then(
        step,
        TurnStarted(
            seat=seat,
            at=at,
            remaining_ms=state.config.turn_ms,
            paused=_may_pause(state.table, seat),
            decision=next_number(state, seat),
        ),
    )


def time_out(step: Step, turn: Turn, at: int) -> Step:
    """The turn ran out: it passes, or the game ends where that came too often (RULES.md 5.3)."""
    seat, most = turn.seat, step.state.config.max_timeouts
    consecutive = step.state.table.tallies[seat].consecutive + 1
    step = then(step, TurnTimedOut(seat=seat, consecutive=consecutive))
    if consecutive < most:
        return start_turn(step, opponent(seat), at)
    if step.state.table.tallies[opponent(seat)].consecutive >= most - 1:
        # Both are away: else the seat that happened to move first would lose.
        return end(step, EndReason.BOTH_ABSENT, None, at)
    return end(step, EndReason.TIMEOUT_FORFEIT, opponent(seat), at)


def resume(step: Step, turn: Turn, reason: ResumeReason, at: int) -> Step:
    """The clock runs on from where it stood."""
    return then(
        step,
        TurnResumed(seat=turn.seat, at=at, remaining_ms=turn.remaining_ms, reason=reason),
    )


def presence(step: Step, seat: Seat, online: bool, at: int) -> Step:
    """A connection was lost or came back; only that of the seat on turn moves a clock."""
    table = step.state.table
    if table.phase is Phase.OVER or table.online[seat] == online:
        return step
    step = then(step, PresenceChanged(seat=seat, online=online))
    turn = table.turn
    if turn is None or turn.seat != seat:
        return step
    if turn.paused:
        return resume(step, turn, ResumeReason.RECONNECT, at)
    if _may_pause(step.state.table, seat):
        return then(step, TurnPaused(seat=seat, at=at, remaining_ms=turn.left_at(at)))
    return step


def _may_pause(table: Table, seat: Seat) -> bool:
    """Whether a turn of the seat stands still now: it is offline and has pauses left."""
    return not table.online[seat] and table.tallies[seat].pause_budget_ms > 0
