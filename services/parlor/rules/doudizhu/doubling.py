"""Doubling the stake, chosen in secret by all seats at once (RULES.md 6.2)."""

from parlor.rules.doudizhu.events import (
    AutoplayCause,
    AutoplayChanged,
    DoubleChosen,
    Doubled,
)
from parlor.rules.doudizhu.state import ALL_SEATS, State, Step, ask, then
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.game import Seat


def undecided(state: State) -> tuple[Seat, ...]:
    """The seats that have yet to choose, ascending; empty outside doubling."""
    if state.table.phase is not Phase.DOUBLING:
        return ()
    return tuple(seat for seat in ALL_SEATS if state.places[seat].double is None)


def double(step: Step, seat: Seat, wants: bool, at: int, *, auto: bool = False) -> Step:
    """A seat's choice, which shows only when it is the last."""
    step = then(step, DoubleChosen(seat=seat, double=wants, auto=auto))
    return step if undecided(step.state) else _reveal(step, at)


def close(step: Step, at: int) -> Step:
    """The limit is over: those who have not chosen do not double."""
    late = undecided(step.state)
    for seat in late:
        step = double(step, seat, False, at, auto=True)
    return step


def _reveal(step: Step, at: int) -> Step:
    """Shows the choices, and what they changed about autoplay only now (RULES.md 8.2)."""
    first, second, third = (place.double is True for place in step.state.places)
    step = then(step, Doubled(doubled=(first, second, third)))
    for seat in ALL_SEATS:
        if step.state.places[seat].woke:
            step = then(
                step,
                AutoplayChanged(seat=seat, on=False, cause=AutoplayCause.ACTED, at=at),
            )
    landlord = step.state.table.landlord
    assert landlord is not None, "doubling follows the choice of the landlord"
    return ask(step, Question.PLAY, (landlord,), at)
