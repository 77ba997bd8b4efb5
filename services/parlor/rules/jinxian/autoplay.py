"""Seats that the server plays (托管): their moves, when that begins and ends (RULES.md 11)."""

from dataclasses import replace

from parlor.rules.game import Seat
from parlor.rules.jinxian import playing
from parlor.rules.jinxian.deadlines import turn_times
from parlor.rules.jinxian.events import (
    AutoplayCause,
    AutoplayChanged,
    PresenceChanged,
    SeatLeft,
)
from parlor.rules.jinxian.state import State, Step, then, with_place
from parlor.rules.jinxian.table import Phase
from parlor.rules.jinxian.wins import jing_of_round

LATE_TURNS = 2
"""In standard mode so many late turns in a row put a seat on autoplay."""


def default_move(step: Step, seat: Seat, at: int) -> Step:
    """What the clock does for the seat on turn: a win where the options take it, else a discard."""
    state = step.state
    options = state.places[seat].options
    if options is not None and options.win and state.config.auto_win:
        return playing.win(step, seat, at)
    return playing.discard(step, seat, default_discard(state, seat), at, auto=True)


def default_discard(state: State, seat: Seat) -> int:
    """The drawn tile unless it is a jing, else the highest kind that is none, else the highest."""
    jing, drawn = jing_of_round(state.table), state.drawn
    if drawn is not None and drawn not in jing:
        return drawn
    hand = state.hands[seat]
    return max((kind for kind in hand if kind not in jing), default=hand[-1])


def set_autoplay(step: Step, seat: Seat, on: bool, cause: AutoplayCause, at: int) -> Step:
    """Puts the seat on or off autoplay; as it already is, nothing happens."""
    if step.state.table.autoplay[seat] == on:
        return step
    times = turn_times(step.state, seat, on=on, at=at)
    due, remind = times or (None, None)
    changed = AutoplayChanged(seat=seat, on=on, cause=cause, at=at, due=due, remind=remind)
    return then(step, changed)


def acted(step: Step, seat: Seat, at: int) -> Step:
    """A seat that acts by itself in the open is off autoplay and has not been late."""
    step = set_autoplay(step, seat, False, AutoplayCause.ACTED, at)
    return _late(step, seat, 0)


def late(step: Step, seat: Seat, at: int) -> Step:
    """A seat let its turn run out: autoplay at once in fast mode, else after two in a row."""
    if step.state.table.phase is Phase.GAME_END:
        return step
    turns = step.state.places[seat].timeouts + 1
    if step.state.config.fast or turns >= LATE_TURNS:
        return set_autoplay(step, seat, True, AutoplayCause.TIMEOUT, at)
    return _late(step, seat, turns)


def presence(step: Step, seat: Seat, online: bool, at: int) -> Step:
    """A connection was lost or came back; coming back ends autoplay."""
    table = step.state.table
    if table.online[seat] == online or table.left[seat] or table.phase is Phase.GAME_END:
        return step
    step = then(step, PresenceChanged(seat=seat, online=online, at=at))
    if not online:
        return step
    return set_autoplay(step, seat, False, AutoplayCause.RETURNED, at)


def leave(step: Step, seat: Seat, at: int) -> Step:
    """A player left for good: as a connection that never comes back (RULES.md 11.6)."""
    table = step.state.table
    if table.left[seat] or table.phase is Phase.GAME_END:
        return step
    return then(presence(step, seat, False, at), SeatLeft(seat=seat))


def _late(step: Step, seat: Seat, turns: int) -> Step:
    place = replace(step.state.places[seat], timeouts=turns)
    return replace(step, state=with_place(step.state, seat, place))
