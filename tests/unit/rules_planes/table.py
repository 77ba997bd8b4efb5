"""Fleets in notation, and games set up with them.

A plane is a letter for its nose (`U`, `D`, `L`, `R`), the row and the column of its head: `U02 U07
D94` is a fleet. Cells are two digits, row and column.
"""

import pytest

from parlor.rules.chance import ScriptedChance
from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.planes import PLANES, Config, State
from parlor.rules.planes.actions import Action, Attack, Surrender
from parlor.rules.planes.attacks import plane_at
from parlor.rules.planes.board import Direction, Plane
from parlor.rules.planes.events import AttackExecuted, Event
from parlor.rules.planes.fleets import Fleet
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.table import ShotResult
from parlor.rules.reasons import Reason

BEGAN = 1_000_000

_NOSES = {direction.value[0]: direction for direction in Direction}

ABOVE = "U02 U07 D94"
"""Two planes side by side and one from below."""
ASIDE = "L20 R29 U54"
"""One from the left, one from the right, one below them."""


def planes(text: str) -> Fleet:
    """The planes of the notation, legal or not.

    >>> planes("R29")
    (Plane(x=2, y=9, direction=<Direction.RIGHT: 'RIGHT'>),)
    """
    return tuple(
        Plane(x=int(word[1]), y=int(word[2]), direction=_NOSES[word[0]]) for word in text.split()
    )


class Game:
    """A running game that a test drives by hand."""

    def __init__(self, config: Config | None = None, *, first: int = 0, fleet: int = 0) -> None:
        self.at = BEGAN
        script: dict[tuple[str | int, ...], list[int]] = {
            ("first",): [first],
            ("fleet", 0): [fleet],
            ("fleet", 1): [fleet],
        }
        step = PLANES.initial(config or Config(), ScriptedChance(script), BEGAN)
        self.state: State = step.state
        self.events: tuple[Event, ...] = step.events
        self.history: list[Event] = list(step.events)

    def take(self, step: Transition[State, Event]) -> tuple[Event, ...]:
        """Goes on from a step; gives its events."""
        self.state, self.events = step.state, step.events
        self.history += step.events
        return step.events

    def act(self, seat: int, action: Action) -> tuple[Event, ...]:
        """The seat acts."""
        return self.take(PLANES.apply(self.state, Seat(seat), action, self.at))

    def place(self, seat: int, text: str) -> tuple[Event, ...]:
        """The seat places a fleet."""
        return self.act(seat, placing_of(planes(text), self.state.decisions[seat]))

    def shot(self, seat: int, cell: str) -> Attack:
        """The seat's shot at a cell."""
        return Attack(decision=self.state.decisions[seat], x=int(cell[0]), y=int(cell[1]))

    def shoot(self, seat: int, cells: str) -> list[ShotResult]:
        """The seat's shots at cells; the other seat shoots at nothing in between, from the corners on."""
        results = []
        for cell in cells.split():
            events = self.act(seat, self.shot(seat, cell))
            results += [e.result for e in events if isinstance(e, AttackExecuted)]
            if PLANES.outcome(self.state) is None and cell != cells.split()[-1]:
                self.waste(1 - seat)
        return results

    def waste(self, seat: int) -> None:
        """The seat shoots at the first free cell that meets nothing."""
        board, fleet = self.state.table.boards[1 - seat], self.state.fleets[1 - seat]
        x, y = next((x, y) for x, y in open_cells(board) if plane_at(fleet, x, y) is None)
        self.act(seat, self.shot(seat, f"{x}{y}"))

    def surrender(self, seat: int) -> tuple[Event, ...]:
        """The seat gives up."""
        return self.act(seat, Surrender())

    def presence(self, seat: int, online: bool) -> tuple[Event, ...]:
        """The seat's connection is lost or comes back."""
        return self.take(PLANES.on_presence(self.state, Seat(seat), online, self.at))

    def wait(self, ms: int) -> list[Event]:
        """Lets time pass; gives what the clocks did on the way."""
        until, seen = self.at + ms, list[Event]()
        while (running := PLANES.clocks(self.state)) and running[0].due <= until:
            seen += self.take(PLANES.advance(self.state, until))
        self.at = until
        return seen

    def refusal(self, seat: int, action: Action) -> Reason:
        """Why the seat may not do that; nothing has changed."""
        before = self.state
        with pytest.raises(IllegalAction) as refused:
            PLANES.apply(self.state, Seat(seat), action, self.at)
        assert self.state == before
        return refused.value.reason


def battle(
    config: Config | None = None, *, first: int = 0, fleets: tuple[str, str] = (ABOVE, ASIDE)
) -> Game:
    """A game whose battle has begun."""
    game = Game(config, first=first)
    game.place(0, fleets[0])
    game.place(1, fleets[1])
    return game
