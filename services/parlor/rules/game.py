"""What a game is: a pure state machine that the engine hosts.

State is a frozen dataclass; every step returns a new state with the events it caused. Time enters
as data: `at` and `due` are milliseconds of the server's clock (Redis TIME), recorded in the log.
Chance enters in `initial` as a `Chance` that the state keeps.

An audience is a seat or, as `None`, the spectators.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, NewType, Protocol, TypeVar

from parlor.rules.chance import Chance
from parlor.rules.reasons import Reason

Seat = NewType("Seat", int)
"""A place at the table, 0..n-1, counted in the order of turns."""

Audience = Seat | None
"""Who receives a view or an event: one seat, or the spectators."""

Config = TypeVar("Config")
State = TypeVar("State")
Action = TypeVar("Action")
Event = TypeVar("Event")
View = TypeVar("View")


class IllegalAction(ValueError):
    """An action that the rules refuse; the state is as it was.

    Caught by the engine, which answers the sender with `reason`. Anything else that a game raises
    is a bug in the game.
    """

    def __init__(self, reason: Reason, message: str = "") -> None:
        super().__init__(message or reason.value)
        self.reason = reason


class InvalidConfig(ValueError):
    """A game configuration outside its bounds; `field` names the offender."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition(Generic[State, Event]):
    """A step: the next state and what happened, in order."""

    state: State
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """One running limit of a game."""

    kind: str
    """What runs: `turn`, `doubling`, `consent`, `autoplay`, …"""
    due: int
    """The instant at which `advance` acts, in ms of the server's clock."""
    seats: tuple[Seat, ...]
    """The seats it waits for, ascending; empty for a limit that waits for nobody, such as that of a whole game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Why a game ended and what it gave."""

    reason: str
    """The rule book's name of the end, such as `OUT` or `SURRENDER`."""
    winners: tuple[Seat, ...]
    """The seats that won, ascending; empty for a draw."""
    scores: tuple[int, ...]
    """By seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Seats that won or lost together, and their place among the sides of their game."""

    seats: tuple[Seat, ...]
    """Ascending."""
    rank: int
    """From 1, the best; sides that came out even share it."""


class Game(Protocol[Config, State, Action, Event, View]):
    """A game as the engine sees it. Every method is pure."""

    kind: str
    """The name in room ids, keys, logs and messages: `doudizhu`, `jinxian`, `planes`."""
    rules: int
    """Version of the rules; raised when the same log would give another state."""
    config_type: type[Config]
    state_type: type[State]
    silence_agrees: bool
    """Whether a vote on ending the game passes unless somebody refuses in time, and waits for nobody who is offline;
    else all who sit there have to agree.
    """
    bounds_waiting: bool
    """Whether the time of `ready_ms` runs also before the first game, for each seat from sitting down or from taking
    its declaration back, and a room closes in which nobody comes or goes; else a table gathers for as long as it likes.
    """

    def seats(self, config: Config) -> int:
        """How many seats the table has."""

    def check_config(self, config: Config) -> None:
        """Raises `InvalidConfig` when an option has a value that the rules do not know."""

    def check_limits(self, config: Config) -> None:
        """Raises `InvalidConfig` when a limit is outside what players may choose.

        Apart from `check_config` so that tests and operators can run games as fast as they like.
        """

    def ready_ms(self, config: Config) -> int:
        """How long seats have to declare ready for the next game once one has ended; see also `bounds_waiting`."""

    def before(self, config: Config, audience: Audience) -> View:
        """The view before the first event, for a client to fold `initial`'s events over."""

    def initial(self, config: Config, chance: Chance, at: int) -> Transition[State, Event]:
        """The first transition. Dealing is seen, so it has events."""

    def apply(self, state: State, seat: Seat, action: Action, at: int) -> Transition[State, Event]:
        """The step that `seat` asks for; raises `IllegalAction` and changes nothing otherwise."""

    def legal_actions(self, state: State, seat: Seat) -> Iterator[Action]:
        """Lazily, what `apply` would accept from `seat`; empty when the seat may not act."""

    def view(self, state: State, audience: Audience) -> View:
        """All that `audience` may know, with the prompt of the decision it faces, if any."""

    def observe(self, event: Event, audience: Audience) -> Event | None:
        """`event` as `audience` sees it, or None where it sees nothing."""

    def fold(self, view: View, event: Event) -> View:
        """The view after an observed event. Equals `view` of the next state once all are folded."""

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """Every running clock, the earliest first; empty once there is an outcome."""

    def advance(self, state: State, at: int) -> Transition[State, Event]:
        """The transition of the earliest clock due by `at`, dated at its due instant.

        Raises `ValueError` when nothing is due: the caller looks at `clocks` first.
        """

    def on_presence(
        self, state: State, seat: Seat, online: bool, at: int
    ) -> Transition[State, Event]:
        """What a lost or regained connection changes. Repeats change nothing."""

    def on_leave(self, state: State, seat: Seat, at: int) -> Transition[State, Event]:
        """What leaving the table for good changes."""

    def on_outage(self, state: State, lost_ms: int, at: int) -> Transition[State, Event]:
        """Every clock that waits for a player moved by the time in which nobody could act."""

    def dissolve(self, state: State, at: int) -> Transition[State, Event]:
        """The end that the players voted for: its outcome has the reason `DISSOLVED` and nobody as winner, unless
        the rules keep what was won so far.
        """

    def outcome(self, state: State) -> Outcome | None:
        """Why it ended and the scores; None while it runs."""

    def ladder(self, config: Config) -> str:
        """The ladder on which such games are rated: the kind, with the rule set where there are several."""

    def standings(self, config: Config, outcome: Outcome) -> tuple[Side, ...]:
        """All seats by sides, the best first; empty for an end that says nothing of anybody's play."""


AnyGame = Game[Any, Any, Any, Any, Any]
"""A game whose types the caller does not look into, as the engine holds it."""
