"""The running limits, and what happens when one is over (RULES.md 5).

Of clocks due at the same instant the game's goes first, then placing, the turn, a pause's budget.
"""

from parlor.rules.game import Clock, Transition
from parlor.rules.planes import ending, placing, turns
from parlor.rules.planes.events import ClocksMoved, ResumeReason
from parlor.rules.planes.state import State, Step, then
from parlor.rules.planes.table import Phase, Table, Turn

GAME = "game"
PLACING = "placing"
TURN = "turn"
PAUSE = "pause"

_ORDER = (GAME, PLACING, TURN, PAUSE)


def clocks(state: State) -> tuple[Clock, ...]:
    """Every running clock, the earliest first.

    That of the game and a pause's budget wait for nobody: they name no seat and nothing moves them.
    """
    table = state.table
    if table.phase is Phase.OVER:
        return ()
    found = [Clock(kind=GAME, due=table.game_due, seats=())]
    if table.placing_due is not None:
        found.append(Clock(kind=PLACING, due=table.placing_due, seats=placing.missing(state)))
    if table.turn is not None:
        found.append(_turn_clock(table, table.turn))
    return tuple(sorted(found, key=lambda clock: (clock.due, _ORDER.index(clock.kind))))


def advance(state: State, at: int) -> Step:
    """What the earliest clock due by `at` does, dated at its due instant."""
    running = clocks(state)
    if not running or running[0].due > at:
        raise ValueError(f"no clock is due by {at}")
    clock = running[0]
    step: Step = Transition(state=state)
    if clock.kind == GAME:
        return ending.run_out(step, clock.due)
    if clock.kind == PLACING:
        return placing.close(step, clock.due)
    turn = state.table.turn
    assert turn is not None, "the other clocks are those of a turn"
    if clock.kind == TURN:
        return turns.time_out(step, turn, clock.due)
    return turns.resume(step, turn, ResumeReason.BUDGET, clock.due)


def on_outage(state: State, lost_ms: int) -> Step:
    """Moves the limits of placing and of a running turn; pauses and the game's limit run on."""
    step: Step = Transition(state=state)
    table = state.table
    runs = table.placing_due is not None or (table.turn is not None and not table.turn.paused)
    return then(step, ClocksMoved(lost_ms=lost_ms)) if lost_ms > 0 and runs else step


def _turn_clock(table: Table, turn: Turn) -> Clock:
    if turn.due is not None:
        return Clock(kind=TURN, due=turn.due, seats=(turn.seat,))
    budget = table.tallies[turn.seat].pause_budget_ms
    return Clock(kind=PAUSE, due=turn.since + budget, seats=())
