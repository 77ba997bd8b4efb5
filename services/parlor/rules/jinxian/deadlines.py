"""How long the table waits, and putting questions to it (RULES.md 11)."""

from collections.abc import Mapping

from parlor.rules.game import Seat
from parlor.rules.jinxian.config import PATIENCE, Config, claim_ms, turn_ms
from parlor.rules.jinxian.events import Ask, Asked, AutoplayCause, AutoplayChanged, Options
from parlor.rules.jinxian.state import State, Step, next_number, then
from parlor.rules.jinxian.table import Question

TURN_QUESTIONS = frozenset({Question.TURN, Question.DISCARD})

_REMINDERS = {Question.TURN: 2, Question.DISCARD: 2, Question.CLAIM: 1}
"""In standard mode; a claim window is silent between the first limit and the default."""

Times = tuple[int, int | None]
"""When the default is taken, and when the next reminder comes."""


def ask(
    step: Step, question: Question, options: Mapping[Seat, Options], at: int, *, pause_ms: int = 0
) -> Step:
    """Puts a question to the seats of `options`, each under a new number of its own.

    The limit begins after `pause_ms`.
    """
    seats = () if question is Question.CLAIM else tuple(sorted(options))
    step = _woken(step, seats, at)
    state, began = step.state, at + pause_ms
    due, remind = times(state, question, seats, began, at)
    asks = tuple(
        Ask(seat=seat, decision=next_number(state.places[seat]), options=offered)
        for seat, offered in options.items()
    )
    asked = Asked(question=question, seats=seats, due=due, remind=remind, began=began, asks=asks)
    return then(step, asked)


def times(state: State, question: Question, seats: tuple[Seat, ...], began: int, at: int) -> Times:
    """The times of a limit that began at `began`, seen from `at`: sooner for a turn on autoplay."""
    if question in TURN_QUESTIONS and state.table.autoplay[seats[0]]:
        return _hurried(state.config, question, began, began)
    return _limits(state.config, question, began, at)


def turn_times(state: State, seat: Seat, *, on: bool, at: int) -> Times | None:
    """The new times when `seat` goes on or off autoplay at `at`; None where it is not on turn."""
    running = state.table.deadline
    if running is None or running.question not in TURN_QUESTIONS or seat not in running.seats:
        return None
    if on:
        return _hurried(state.config, running.question, state.began, at)
    return _limits(state.config, running.question, state.began, at)


def next_reminder(state: State, at: int) -> int | None:
    """When the table reminds again after the reminder at `at`."""
    running = state.table.deadline
    if running is None:
        return None
    _, remind = _limits(state.config, running.question, state.began, at)
    return remind


def autoplay_answer_due(state: State, seat: Seat, limit: int) -> int:
    """When the server answers to the offered tile for a seat on autoplay."""
    since = max(state.began, state.places[seat].autoplay_since)
    return min(limit, since + state.config.autoplay_ms)


def is_on_autoplay(state: State, seat: Seat) -> bool:
    """Whether the server answers for the seat; a seat that woke is shown so and is not."""
    return state.table.autoplay[seat] and not state.places[seat].woke


def _hurried(config: Config, question: Question, began: int, since: int) -> Times:
    """The times of a turn on autoplay."""
    due, _ = _limits(config, question, began, began)
    return min(due, max(began, since) + config.autoplay_ms), None


def _limits(config: Config, question: Question, began: int, at: int) -> Times:
    if question is Question.CONTINUE:
        return began + config.settle_ms, None
    limit = claim_ms(config) if question is Question.CLAIM else turn_ms(config)
    if config.fast:
        return began + limit, None
    number = max(0, at - began) // limit + 1
    is_last = number > _REMINDERS[question]
    return began + PATIENCE * limit, None if is_last else began + number * limit


def _woken(step: Step, seats: tuple[Seat, ...], at: int) -> Step:
    """Takes seats off autoplay that have answered in secret since (RULES.md 12.4)."""
    for seat in seats:
        if step.state.places[seat].woke:
            changed = AutoplayChanged(seat=seat, on=False, cause=AutoplayCause.ACTED, at=at)
            step = then(step, changed)
    return step
