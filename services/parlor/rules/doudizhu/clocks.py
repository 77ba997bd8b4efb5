"""The running limits, and what happens when one is over (RULES.md 7).

Of clocks due at the same instant the table's question goes first, then seats on autoplay in
ascending order, then the offer.
"""

from parlor.rules.doudizhu import autoplay, bidding, doubling, surrender
from parlor.rules.doudizhu.events import ClocksMoved
from parlor.rules.doudizhu.playing import lead_or_pass
from parlor.rules.doudizhu.state import State, Step, due_for, limit_ms, then
from parlor.rules.doudizhu.table import Deadline, Phase, Question
from parlor.rules.game import Clock, Seat, Transition

TURN = "turn"
DOUBLING = "doubling"
AUTOPLAY = "autoplay"
CONSENT = "consent"

_ORDER = (TURN, DOUBLING, AUTOPLAY, CONSENT)


def clocks(state: State) -> tuple[Clock, ...]:
    """Every running clock, the earliest first; those of hidden answers are among them."""
    running = state.table.deadline
    if running is None:
        return ()
    found = _table_clocks(state, running)
    if state.offer is not None:
        offer = state.offer
        found.append(Clock(kind=CONSENT, due=offer.due, seats=(offer.mate,)))
    return tuple(sorted(found, key=lambda c: (c.due, _ORDER.index(c.kind), c.seats)))


def advance(state: State, at: int) -> Step:
    """What the earliest clock due by `at` does, dated at its due instant."""
    running = clocks(state)
    if not running or running[0].due > at:
        raise ValueError(f"no clock is due by {at}")
    clock = running[0]
    step: Step = Transition(state=state)
    match clock.kind:
        case "consent":
            return surrender.refuse_late(step)
        case "doubling":
            return _doubling_over(step, clock)
        case _:
            (seat,) = clock.seats
            return _act_for(step, seat, clock.due)


def on_outage(state: State, lost_ms: int) -> Step:
    """Moves every limit, those of autoplay too: else the next one would begin in the outage."""
    step: Step = Transition(state=state)
    if lost_ms <= 0 or state.table.phase is Phase.OVER:
        return step
    return then(step, ClocksMoved(lost_ms=lost_ms))


def _table_clocks(state: State, running: Deadline) -> list[Clock]:
    question = running.question
    if question is not Question.DOUBLE:
        (seat,) = running.seats
        kind = AUTOPLAY if state.table.autoplay[seat] else TURN
        return [Clock(kind=kind, due=due_for(state, seat, question), seats=(seat,))]
    limit = state.began + limit_ms(state.config, question)
    waiting = doubling.undecided(state)
    return [
        Clock(kind=DOUBLING, due=limit, seats=waiting),
        *(
            Clock(kind=AUTOPLAY, due=due_for(state, seat, question), seats=(seat,))
            for seat in waiting
            if state.table.autoplay[seat]
        ),
    ]


def _doubling_over(step: Step, clock: Clock) -> Step:
    """All who were late have not doubled; who was offline as well goes on autoplay."""
    step = doubling.close(step, clock.due)
    for seat in clock.seats:
        if not step.state.table.online[seat]:
            step = autoplay.timed_out(step, seat, clock.due)
    return step


def _act_for(step: Step, seat: Seat, at: int) -> Step:
    """The default answer of a seat, whether it let its limit run out or is on autoplay."""
    running = step.state.table.deadline
    assert running is not None, "the table's clock runs only while it asks something"
    match running.question:
        case Question.BID:
            step = bidding.bid(step, seat, 0, at, auto=True)
        case Question.CALL:
            step = bidding.call(step, seat, False, at, auto=True)
        case Question.ROB:
            step = bidding.rob(step, seat, False, at, auto=True)
        case Question.DOUBLE:
            step = doubling.double(step, seat, False, at, auto=True)
        case Question.PLAY:
            step = lead_or_pass(step, seat, at)
    if step.state.table.phase is Phase.OVER:
        return step
    return autoplay.timed_out(step, seat, at)
