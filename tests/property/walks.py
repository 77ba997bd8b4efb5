"""Random games: every step with what led to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from parlor.rules.chance import Chance
from parlor.rules.game import AnyGame, Seat, Transition
from tests.property.adapters import Adapter

LONGEST = 1_500


@dataclass(frozen=True, kw_only=True)
class Act:
    """A seat acts."""

    seat: Seat
    action: Any


@dataclass(frozen=True, kw_only=True)
class Presence:
    """A connection is lost or comes back."""

    seat: Seat
    online: bool


@dataclass(frozen=True, kw_only=True)
class Leave:
    """A player leaves for good."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class Outage:
    """Nobody could act for a while, which ends now."""

    lost_ms: int


@dataclass(frozen=True, kw_only=True)
class Tick:
    """The earliest clock is due."""


Input = Act | Presence | Leave | Outage | Tick


@dataclass(frozen=True, kw_only=True)
class Step:
    """One input and what it did."""

    before: Any
    input: Input
    at: int
    transition: Transition[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A game from its deal on, to its end unless it was cut short."""

    adapter: Adapter
    config: Any
    chance: Chance
    began: int
    first: Transition[Any, Any]
    steps: tuple[Step, ...]

    def states(self) -> Iterator[Any]:
        """Every state, the first included."""
        yield self.first.state
        for step in self.steps:
            yield step.transition.state


def walk(adapter: Adapter, config: Any, seed: int) -> Walk:
    """A random game: mostly legal actions, now and then a late clock or a lost connection."""
    rng = Random(seed)
    chance = Chance(seed=rng.randbytes(32), entropy=rng.randbytes(32))
    began = at = 1_700_000_000_000
    first = adapter.game.initial(config, chance, at)
    steps: list[Step] = []
    state = first.state
    while adapter.game.outcome(state) is None:
        assert len(steps) < LONGEST, "the game does not end"
        at += rng.choice((0, 40, 300, 2_000, 9_000))
        for input_, when in _inputs(adapter, config, state, at, rng):
            step = Step(
                before=state,
                input=input_,
                at=when,
                transition=do(adapter.game, state, input_, when),
            )
            at = max(at, when)
            state = step.transition.state
            steps.append(step)
    return Walk(
        adapter=adapter, config=config, chance=chance, began=began, first=first, steps=tuple(steps)
    )


def do(game: AnyGame, state: Any, input_: Input, at: int) -> Transition[Any, Any]:
    """What the game makes of an input."""
    match input_:
        case Act():
            return game.apply(state, input_.seat, input_.action, at)
        case Presence():
            return game.on_presence(state, input_.seat, input_.online, at)
        case Leave():
            return game.on_leave(state, input_.seat, at)
        case Outage():
            return game.on_outage(state, input_.lost_ms, at)
        case Tick():
            return game.advance(state, at)


def _inputs(
    adapter: Adapter, config: Any, state: Any, at: int, rng: Random
) -> Iterator[tuple[Input, int]]:
    """What comes next: the clocks due by `at`, or else one thing that happens at `at`."""
    clocks = adapter.game.clocks(state)
    if clocks and clocks[0].due <= at:
        yield Tick(), clocks[0].due
        return
    seats = adapter.game.seats(config)
    seat = Seat(rng.randrange(seats))
    chosen = rng.random()
    if chosen < 0.03:
        yield Presence(seat=seat, online=rng.random() < 0.6), at
    elif chosen < 0.032:
        yield Leave(seat=seat), at
    elif chosen < 0.04:
        lost_ms = rng.randrange(1, 9_000)
        yield Outage(lost_ms=lost_ms), at + lost_ms
    elif (act := _act(adapter, seats, state, rng)) is not None:
        yield act, at


def _act(adapter: Adapter, seats: int, state: Any, rng: Random) -> Act | None:
    """Something legal, whoever may do it; None where nothing is worth doing."""
    legal = [
        Act(seat=Seat(seat), action=action)
        for seat in range(seats)
        for action in adapter.game.legal_actions(state, Seat(seat))
    ]
    weights = [adapter.weigh(act.action) for act in legal]
    return rng.choices(legal, weights)[0] if sum(weights) else None
