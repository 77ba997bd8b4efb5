"""The whole state of a game, hidden parts included, and how it follows its events."""

from dataclasses import dataclass, replace

from parlor.rules.chance import Chance
from parlor.rules.game import Seat, Transition
from parlor.rules.planes.chronicle import after
from parlor.rules.planes.config import Config
from parlor.rules.planes.events import Event, GameStarted, PlanePlaced, TurnStarted
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.table import BEFORE_START, Table, with_item


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A game of either rule."""

    config: Config
    chance: Chance
    table: Table = BEFORE_START
    fleets: tuple[Fleet, Fleet] = ((), ())
    """By owner, whole even when planes have fallen."""
    decisions: tuple[int, int] = (0, 0)
    """Number of the newest question put to each seat."""


Step = Transition[State, Event]


def then(step: Step, *events: Event) -> Step:
    """The step with more events behind it."""
    state = step.state
    for event in events:
        state = evolve(state, event)
    return Transition(state=state, events=step.events + events)


def next_number(state: State, seat: Seat) -> int:
    """The number of the next decision put to the seat."""
    return state.decisions[seat] + 1


def evolve(state: State, event: Event) -> State:
    """The state once the complete `event` has happened."""
    state = replace(state, table=after(state.table, event))
    match event:
        case GameStarted():
            return replace(state, decisions=(event.decision, event.decision))
        case PlanePlaced():
            fleet = (*state.fleets[event.seat], event.plane)
            return replace(state, fleets=with_item(state.fleets, event.seat, fleet))
        case TurnStarted():
            return replace(state, decisions=with_item(state.decisions, event.seat, event.decision))
        case _:
            return state
