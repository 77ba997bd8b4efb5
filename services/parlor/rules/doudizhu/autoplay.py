"""Seats that the server plays (托管): when that begins and when it ends (RULES.md 7.3)."""

from parlor.rules.doudizhu.events import (
    AutoplayCause,
    AutoplayChanged,
    PresenceChanged,
    SeatLeft,
)
from parlor.rules.doudizhu.state import Step, limit_ms, then
from parlor.rules.doudizhu.surrender import refuse_unattended
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.game import Seat


def set_autoplay(step: Step, seat: Seat, on: bool, cause: AutoplayCause, at: int) -> Step:
    """Puts the seat on or off autoplay; as it already is, nothing happens."""
    if step.state.table.autoplay[seat] == on:
        return step
    due = _deadline(step, seat, on, at)
    step = then(step, AutoplayChanged(seat=seat, on=on, cause=cause, at=at, due=due))
    return refuse_unattended(step)


def acted(step: Step, seat: Seat, at: int) -> Step:
    """A seat that acts by itself in the open is off autoplay."""
    return set_autoplay(step, seat, False, AutoplayCause.ACTED, at)


def timed_out(step: Step, seat: Seat, at: int) -> Step:
    """Puts a seat on autoplay whose limits ran out too often, or that cannot know of them."""
    often = step.state.places[seat].timeouts >= step.state.config.autoplay_after
    if often or not step.state.table.online[seat]:
        return set_autoplay(step, seat, True, AutoplayCause.TIMEOUT, at)
    return step


def presence(step: Step, seat: Seat, online: bool, at: int) -> Step:
    """A connection was lost or came back; coming back ends autoplay."""
    table = step.state.table
    if table.online[seat] == online:
        return step
    step = then(step, PresenceChanged(seat=seat, online=online))
    if table.phase is Phase.OVER:
        return step
    if online and not table.left[seat]:
        return set_autoplay(step, seat, False, AutoplayCause.RETURNED, at)
    return refuse_unattended(step)


def leave(step: Step, seat: Seat, at: int) -> Step:
    """A player left for good; his seat is played until the end."""
    table = step.state.table
    if table.left[seat] or table.phase is Phase.OVER:
        return step
    step = then(step, SeatLeft(seat=seat))
    return set_autoplay(step, seat, True, AutoplayCause.LEFT, at)


def _deadline(step: Step, seat: Seat, on: bool, at: int) -> int | None:
    """The table's deadline when `seat` goes on or off; None where it stays as it is."""
    state = step.state
    running = state.table.deadline
    if running is None or running.question is Question.DOUBLE or seat not in running.seats:
        return None
    limit = state.began + limit_ms(state.config, running.question)
    return min(limit, max(state.began, at) + state.config.autoplay_ms) if on else limit
