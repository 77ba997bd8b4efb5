"""The running limits, and what happens when one is over (RULES.md 11).

Of clocks due at the same instant the table's question goes first, then answers of seats on
autoplay in ascending order, reminders, connections, and the abandoned game.
"""

from parlor.rules.game import Clock, Seat, Transition
from parlor.rules.jinxian import autoplay, responding, rounds
from parlor.rules.jinxian.claims import pending
from parlor.rules.jinxian.deadlines import TURN_QUESTIONS, autoplay_answer_due, next_reminder
from parlor.rules.jinxian.events import AutoplayCause, ClocksMoved, Reminded
from parlor.rules.jinxian.settling import end_game
from parlor.rules.jinxian.state import ALL_SEATS, State, Step, then
from parlor.rules.jinxian.table import Deadline, EndReason, Phase, Question

TURN = "turn"
CLAIM = "claim"
CONTINUE = "continue"
AUTOPLAY = "autoplay"
REMINDER = "reminder"
OFFLINE = "offline"
ABANDONED = "abandoned"

_ORDER = (TURN, CLAIM, CONTINUE, AUTOPLAY, REMINDER, OFFLINE, ABANDONED)


def clocks(state: State) -> tuple[Clock, ...]:
    """Every running clock, the earliest first; those of hidden answers are among them."""
    running = state.table.deadline
    if running is None:
        return ()
    found = [*_table_clocks(state, running), *_connection_clocks(state)]
    return tuple(sorted(found, key=lambda c: (c.due, _ORDER.index(c.kind), c.seats)))


def advance(state: State, at: int) -> Step:
    """What the earliest clock due by `at` does, dated at its due instant."""
    running = clocks(state)
    if not running or running[0].due > at:
        raise ValueError(f"no clock is due by {at}")
    clock = running[0]
    step: Step = Transition(state=state)
    match clock.kind:
        case "turn":
            (seat,) = clock.seats
            return autoplay.late(autoplay.default_move(step, seat, clock.due), seat, clock.due)
        case "claim":
            return responding.close(step, clock.due)
        case "continue":
            return rounds.next_round(step, clock.due)
        case "autoplay":
            (seat,) = clock.seats
            return _act_for(step, seat, clock.due)
        case "reminder":
            return then(step, Reminded(remind=next_reminder(state, clock.due)))
        case "offline":
            (seat,) = clock.seats
            return autoplay.set_autoplay(step, seat, True, AutoplayCause.OFFLINE, clock.due)
        case _:
            return end_game(step, EndReason.DISSOLVED)


def on_outage(state: State, lost_ms: int) -> Step:
    """Moves every limit: all of them wait for somebody who could not act."""
    step: Step = Transition(state=state)
    if lost_ms <= 0 or state.table.phase is Phase.GAME_END:
        return step
    return then(step, ClocksMoved(lost_ms=lost_ms))


def _table_clocks(state: State, running: Deadline) -> list[Clock]:
    """The limit of the table's question, its reminder, and seats on autoplay in a window."""
    found = []
    if running.question in TURN_QUESTIONS:
        kind = AUTOPLAY if state.table.autoplay[running.seats[0]] else TURN
        found.append(Clock(kind=kind, due=running.due, seats=running.seats))
    elif running.question is Question.CLAIM:
        found.append(Clock(kind=CLAIM, due=running.due, seats=pending(state)))
        found += (
            Clock(kind=AUTOPLAY, due=autoplay_answer_due(state, seat, running.due), seats=(seat,))
            for seat in responding.on_autoplay(state)
        )
    else:
        found.append(Clock(kind=CONTINUE, due=running.due, seats=running.seats))
    if running.remind is not None:
        seats = running.seats or pending(state)
        found.append(Clock(kind=REMINDER, due=running.remind, seats=seats))
    return found


def _connection_clocks(state: State) -> list[Clock]:
    """When seats that are away go on autoplay, and when a game that all have left is dissolved."""
    table, config = state.table, state.config
    away = {seat: state.places[seat].offline_since for seat in ALL_SEATS if not table.online[seat]}
    found = [
        Clock(kind=OFFLINE, due=since + config.offline_ms, seats=(seat,))
        for seat, since in away.items()
        if not table.autoplay[seat]
    ]
    if len(away) == len(ALL_SEATS):
        due = max(away.values()) + config.abandoned_ms
        found.append(Clock(kind=ABANDONED, due=due, seats=ALL_SEATS))
    return found


def _act_for(step: Step, seat: Seat, at: int) -> Step:
    """What a seat on autoplay does on its turn or in a claim window."""
    if step.state.table.phase is not Phase.RESPONDING:
        return autoplay.default_move(step, seat, at)
    given = responding.default_answer(step.state, seat)
    return responding.answer(step, seat, given, at, auto=True)
