"""Whether an action is allowed, and the step it makes (RULES.md 2.3, 4.1, 6.1).

Checks come in a fixed order and the first that fails is the answer: is the decision still the
seat's newest, is it the time for such an action, is it the seat's turn, and then the action itself.
"""

from typing import assert_never

from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.planes.actions import Action, Attack, Place, Surrender
from parlor.rules.planes.attacks import attack, check_target
from parlor.rules.planes.ending import end
from parlor.rules.planes.events import Surrendered
from parlor.rules.planes.fleets import fleet_of
from parlor.rules.planes.placing import place
from parlor.rules.planes.state import State, Step, then
from parlor.rules.planes.table import BOTH, EndReason, Phase, opponent
from parlor.rules.reasons import Reason


def apply(state: State, seat: Seat, action: Action, at: int) -> Step:
    """The step that `seat` asks for; raises `IllegalAction` where the rules refuse it."""
    if seat not in BOTH:
        raise ValueError(f"no such seat: {seat}")
    step: Step = Transition(state=state)
    match action:
        case Place():
            _check_number(state, seat, action.decision)
            return _place(step, seat, action, at)
        case Attack():
            _check_number(state, seat, action.decision)
            return _attack(step, seat, action, at)
        case Surrender():
            return surrender(step, seat, at)
        case _:
            assert_never(action)


def surrender(step: Step, seat: Seat, at: int) -> Step:
    """Gives the game to the opponent; raises `IllegalAction` once it is over."""
    if step.state.table.phase is Phase.OVER:
        raise IllegalAction(Reason.WRONG_PHASE, "the game is over")
    step = then(step, Surrendered(seat=seat))
    return end(step, EndReason.SURRENDER, opponent(seat), at)


def leave(step: Step, seat: Seat, at: int) -> Step:
    """Who leaves a running game has surrendered."""
    return step if step.state.table.phase is Phase.OVER else surrender(step, seat, at)


def _place(step: Step, seat: Seat, action: Place, at: int) -> Step:
    _check_phase(step.state, Phase.PLACING)
    if step.state.table.placed[seat]:
        raise IllegalAction(Reason.ALREADY_PLACED, f"seat {seat} has placed")
    return place(step, seat, fleet_of(action.planes), at)


def _attack(step: Step, seat: Seat, action: Attack, at: int) -> Step:
    table = step.state.table
    _check_phase(step.state, Phase.BATTLING)
    if table.turn is None or table.turn.seat != seat:
        raise IllegalAction(Reason.NOT_YOUR_TURN, f"it is not the turn of seat {seat}")
    x, y = check_target(table.boards[opponent(seat)], action.x, action.y)
    return attack(step, seat, x, y, at)


def _check_number(state: State, seat: Seat, number: int) -> None:
    """An answer counts only for the newest question: a late click must not take the next turn."""
    newest = state.decisions[seat]
    if number != newest:
        raise IllegalAction(Reason.DECISION_OVER, f"decision {number}, the newest is {newest}")


def _check_phase(state: State, phase: Phase) -> None:
    if state.table.phase is not phase:
        raise IllegalAction(Reason.WRONG_PHASE, f"not in {state.table.phase.value}")
