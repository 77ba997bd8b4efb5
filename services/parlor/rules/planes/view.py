"""What one audience knows: the table, its own fleet and what it is asked (RULES.md 8)."""

import enum
from dataclasses import dataclass, replace

from parlor.rules.game import Audience
from parlor.rules.planes.chronicle import after
from parlor.rules.planes.config import Config
from parlor.rules.planes.events import Ended, Event, GameStarted, PlanePlaced, TurnStarted
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.state import State
from parlor.rules.planes.table import BEFORE_START, BOTH, Phase, Table, with_item


class Question(enum.Enum):
    """What the table asks a seat."""

    PLACE = "PLACE"
    ATTACK = "ATTACK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the table asks the seat that holds the view."""

    question: Question
    decision: int
    """The number that the answer names."""
    due: int | None
    """When the limit is over, in ms of the server's clock; None while it stands still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one audience sees it."""

    config: Config
    seat: Audience
    table: Table = BEFORE_START
    fleets: tuple[Fleet, Fleet] = ((), ())
    """Known fleets by owner: the audience's own, at the end both; empty where hidden."""
    decision: int = 0
    """Number of the newest question that the table put to this seat."""
    prompt: Prompt | None = None
    """What the table asks this seat now."""
    may_surrender: bool = False
    """Whether this seat may surrender now."""


def before_start(config: Config, audience: Audience) -> View:
    """What is known before the first event of a game, to fold events over."""
    return View(config=config, seat=audience)


def view(state: State, audience: Audience) -> View:
    """All that `audience` may know."""
    return _prompted(
        View(
            config=state.config,
            seat=audience,
            table=state.table,
            fleets=_known_fleets(state, audience),
            decision=0 if audience is None else state.decisions[audience],
        )
    )


def fold(seen: View, event: Event) -> View:
    """The view after an event that its audience observed."""
    seen = replace(seen, table=after(seen.table, event))
    match event:
        case GameStarted():
            seen = replace(seen, config=event.config, fleets=((), ()), decision=event.decision)
        case PlanePlaced():
            fleet = (*seen.fleets[event.seat], event.plane)
            seen = replace(seen, fleets=with_item(seen.fleets, event.seat, fleet))
        case TurnStarted():
            seen = replace(seen, decision=event.decision or seen.decision)
        case Ended():
            seen = replace(seen, fleets=event.fleets)
        case _:
            pass
    return _prompted(seen)


def _known_fleets(state: State, audience: Audience) -> tuple[Fleet, Fleet]:
    if state.table.phase is Phase.OVER:
        return state.fleets
    first, second = (state.fleets[seat] if seat == audience else () for seat in BOTH)
    return first, second


def _prompted(seen: View) -> View:
    may_surrender = seen.seat is not None and seen.table.phase is not Phase.OVER
    return replace(seen, prompt=_prompt(seen), may_surrender=may_surrender)


def _prompt(seen: View) -> Prompt | None:
    """What the table asks the view's seat, from what the view holds already."""
    seat, table = seen.seat, seen.table
    if seat is None:
        return None
    if table.placing_due is not None and not table.placed[seat]:
        return Prompt(question=Question.PLACE, decision=seen.decision, due=table.placing_due)
    if table.turn is not None and table.turn.seat == seat:
        return Prompt(question=Question.ATTACK, decision=seen.decision, due=table.turn.due)
    return None
