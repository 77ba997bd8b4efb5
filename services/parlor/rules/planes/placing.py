"""The beginning: both seats place in secret, then the battle starts (RULES.md 2 and 3)."""

from parlor.rules.chance import Chance
from parlor.rules.game import Seat, Transition
from parlor.rules.planes.config import Config
from parlor.rules.planes.ending import end
from parlor.rules.planes.events import (
    BattleStarted,
    GameStarted,
    PlacementCompleted,
    PlanePlaced,
)
from parlor.rules.planes.fleets import FLEETS, Fleet, nth_fleet
from parlor.rules.planes.state import State, Step, then
from parlor.rules.planes.table import BOTH, SEATS, EndReason
from parlor.rules.planes.turns import start_turn


def begin(config: Config, chance: Chance, at: int) -> Step:
    """The game as it begins: both seats are asked to place."""
    step: Step = Transition(state=State(config=config, chance=chance))
    return then(step, GameStarted(config=config, at=at, decision=1))


def place(step: Step, seat: Seat, fleet: Fleet, at: int, *, auto: bool = False) -> Step:
    """A seat's fleet; the battle starts with the second one."""
    placed = (
        PlanePlaced(seat=seat, number=number, plane=plane) for number, plane in enumerate(fleet)
    )
    step = then(step, *placed, PlacementCompleted(seat=seat, auto=auto))
    return _battle(step, at) if all(step.state.table.placed) else step


def close(step: Step, at: int) -> Step:
    """The limit of placing is over: the server places for one seat; two missing are a draw."""
    late = missing(step.state)
    if len(late) == SEATS:
        return end(step, EndReason.PLACEMENT_TIMEOUT, None, at)
    (seat,) = late
    return place(step, seat, _random_fleet(step.state.chance, seat), at, auto=True)


def missing(state: State) -> tuple[Seat, ...]:
    """The seats that have not placed, ascending."""
    return tuple(seat for seat in BOTH if not state.table.placed[seat])


def _random_fleet(chance: Chance, seat: Seat) -> Fleet:
    return nth_fleet(chance.below("fleet", seat, n=FLEETS))


def _battle(step: Step, at: int) -> Step:
    first = BOTH[step.state.chance.below("first", n=SEATS)]
    return start_turn(then(step, BattleStarted(seat=first)), first, at)
