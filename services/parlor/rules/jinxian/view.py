"""What one audience knows: the table, its own tiles and what it is asked (RULES.md 12)."""

from dataclasses import dataclass, replace

from parlor.rules.game import Audience, Seat
from parlor.rules.jinxian.chronicle import after
from parlor.rules.jinxian.config import Config
from parlor.rules.jinxian.events import (
    Answer,
    Answered,
    Asked,
    ClocksMoved,
    Dealt,
    Discarded,
    Drawn,
    Event,
    Melded,
    Options,
    RoundEnded,
)
from parlor.rules.jinxian.state import State, from_hand
from parlor.rules.jinxian.table import Deadline, Phase, Question, Table, masked
from parlor.rules.jinxian.tiles import in_order, without


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the table asks the seat that holds the view."""

    question: Question
    decision: int
    """The number that the answer names."""
    due: int
    """When the default is taken, in ms of the server's clock."""
    options: Options
    """What it may do besides discarding on its turn, or passing on another's tile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one audience sees it."""

    config: Config
    seat: Audience
    table: Table
    """With the kinds of others' concealed kongs left out where they are hidden."""
    hand: tuple[int, ...] = ()
    """The seat's own concealed kinds, ascending; empty for spectators."""
    drawn: int | None = None
    """The kind that it has just drawn, which lies in its hand."""
    passed: int = 0
    """Total score of the win that locks it until it draws; 0 for no lock."""
    answer: Answer | None = None
    """Its own answer to the tile that is offered now."""
    prompt: Prompt | None = None
    """What the table asks this seat now."""
    began: int = 0
    """When the limit of the table's question began; 0 where it waits for nothing."""


def view(state: State, audience: Audience) -> View:
    """All that `audience` may know."""
    hidden = state.config.concealed_kong_hidden
    table = masked(state.table, audience, hidden=hidden)
    began = 0 if table.deadline is None else state.began
    if audience is None:
        return View(config=state.config, seat=None, table=table, began=began)
    place = state.places[audience]
    prompt = None
    if place.options is not None and _is_asked(table, audience):
        prompt = _prompt(table, place.decision, place.options)
    answered = table.phase is Phase.RESPONDING
    return _settled(
        View(
            config=state.config,
            seat=audience,
            table=table,
            hand=state.hands[audience],
            drawn=state.drawn if table.active == audience else None,
            passed=place.passed,
            answer=place.answer if answered else None,
            prompt=prompt,
            began=began,
        )
    )


def fold(seen: View, event: Event) -> View:
    """The view after an event that its audience observed."""
    table = after(seen.table, event)
    seen = replace(seen, table=table, began=_began(seen.began, table, event))
    seat = seen.seat
    if seat is None:
        return seen
    match event:
        case Dealt():
            seen = replace(seen, hand=event.hands[seat], drawn=event.drawn, passed=0)
        case Drawn() if event.seat == seat and event.tile is not None:
            hand = in_order((*seen.hand, event.tile))
            seen = replace(seen, hand=hand, drawn=event.tile, passed=0)
        case Asked():
            own = next((ask for ask in event.asks if ask.seat == seat), None)
            prompt = None if own is None else _prompt(seen.table, own.decision, own.options)
            seen = replace(seen, prompt=prompt, answer=None)
        case Discarded() if event.seat == seat:
            seen = replace(seen, hand=without(seen.hand, (event.tile,)), drawn=None)
        case Melded() if event.seat == seat:
            hand = without(seen.hand, from_hand(event.meld))
            seen = replace(seen, hand=hand, drawn=None)
        case Answered():
            passed = max(seen.passed, event.passed)
            seen = replace(seen, answer=event.answer, passed=passed)
        case RoundEnded():
            seen = replace(seen, hand=event.hands[seat], drawn=None)
        case _:
            pass
    return _settled(seen)


def _began(began: int, table: Table, event: Event) -> int:
    if table.deadline is None:
        return 0
    match event:
        case Asked():
            return event.began
        case ClocksMoved():
            return began + event.lost_ms
        case _:
            return began


def _prompt(table: Table, decision: int, options: Options) -> Prompt | None:
    asked = table.deadline
    if asked is None:
        return None
    return Prompt(question=asked.question, decision=decision, due=asked.due, options=options)


def _is_asked(table: Table, seat: Seat) -> bool:
    asked = table.deadline
    return asked is not None and (asked.question is Question.CLAIM or seat in asked.seats)


def _settled(seen: View) -> View:
    """The view without a prompt that is answered or over, else with the table's deadline in it."""
    if seen.table.phase is not Phase.RESPONDING and seen.answer is not None:
        seen = replace(seen, answer=None)
    prompt, asked = seen.prompt, seen.table.deadline
    if prompt is None:
        return seen
    if asked is None or _is_over(seen, asked):
        return replace(seen, prompt=None)
    return seen if prompt.due == asked.due else replace(seen, prompt=replace(prompt, due=asked.due))


def _is_over(seen: View, asked: Deadline) -> bool:
    if asked.question is Question.CLAIM:
        return seen.answer is not None
    return seen.seat not in asked.seats
