"""What is to be done with a room: a step to commit, or nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from parlor.engine.record import Room
from parlor.engine.step import Step
from parlor.engine.store import Answered, Stored

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Generic[T]):
    """A step to commit, and what comes of it."""

    step: Step
    op: str
    result: Callable[[Room], T]
    """What the caller gets, from the room as it was committed."""
    player: str = ""
    answered: Callable[[T], tuple[Answered, ...]] | None = None
    """All that is remembered of `player` from then on."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[T]):
    """Nothing to commit; `certain` where even a room that has moved on could not change that."""

    result: T
    certain: bool


Propose = Callable[[Stored, int], Awaitable[Proposal[T] | Settled[T]]]
"""From the room as it stands and the instant, the step to take. Run again when its commit was lost."""
