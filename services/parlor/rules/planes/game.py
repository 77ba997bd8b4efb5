"""Plane Battle (打飞机) as the engine hosts it."""

from collections.abc import Iterator

from parlor.rules.chance import Chance
from parlor.rules.game import Audience, Clock, Outcome, Seat, Side, Transition
from parlor.rules.planes import apply as applying
from parlor.rules.planes import clocks, config, ending, legal, placing, turns, view
from parlor.rules.planes.actions import Action
from parlor.rules.planes.config import Config
from parlor.rules.planes.events import Event, observe
from parlor.rules.planes.state import State
from parlor.rules.planes.table import SEATS, EndReason
from parlor.rules.planes.view import View


class Planes:
    """The game; `parlor.rules.game.Game` says what each method gives."""

    kind = "planes"
    rules = 1
    config_type = Config
    state_type = State
    silence_agrees = False
    bounds_waiting = False

    def seats(self, config: Config) -> int:
        """Two."""
        return SEATS

    def check_config(self, config_: Config) -> None:
        """RULES.md 9."""
        config.check_options(config_)

    def check_limits(self, config_: Config) -> None:
        """RULES.md 9."""
        config.check_limits(config_)

    def ready_ms(self, config: Config) -> int:
        """RULES.md 9."""
        return config.ready_ms

    def before(self, config: Config, audience: Audience) -> View:
        """Nothing is placed."""
        return view.before_start(config, audience)

    def initial(self, config: Config, chance: Chance, at: int) -> Transition[State, Event]:
        """Placing begins."""
        return placing.begin(config, chance, at)

    def apply(self, state: State, seat: Seat, action: Action, at: int) -> Transition[State, Event]:
        """RULES.md 2 to 4 and 6."""
        return applying.apply(state, seat, action, at)

    def legal_actions(self, state: State, seat: Seat) -> Iterator[Action]:
        """Each fleet once: the order of its planes never matters."""
        return legal.legal_actions(view.view(state, seat))

    def view(self, state: State, audience: Audience) -> View:
        """RULES.md 8."""
        return view.view(state, audience)

    def observe(self, event: Event, audience: Audience) -> Event | None:
        """RULES.md 8."""
        return observe(event, audience)

    def fold(self, seen: View, event: Event) -> View:
        """The next view."""
        return view.fold(seen, event)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """RULES.md 5."""
        return clocks.clocks(state)

    def advance(self, state: State, at: int) -> Transition[State, Event]:
        """RULES.md 5."""
        return clocks.advance(state, at)

    def on_presence(
        self, state: State, seat: Seat, online: bool, at: int
    ) -> Transition[State, Event]:
        """RULES.md 5.4."""
        return turns.presence(Transition(state=state), seat, online, at)

    def on_leave(self, state: State, seat: Seat, at: int) -> Transition[State, Event]:
        """A surrender (RULES.md 6.1)."""
        return applying.leave(Transition(state=state), seat, at)

    def on_outage(self, state: State, lost_ms: int, at: int) -> Transition[State, Event]:
        """RULES.md 5.8."""
        return clocks.on_outage(state, lost_ms)

    def dissolve(self, state: State, at: int) -> Transition[State, Event]:
        """RULES.md 6."""
        return ending.end(Transition(state=state), EndReason.DISSOLVED, None, at)

    def outcome(self, state: State) -> Outcome | None:
        """RULES.md 6."""
        result = state.table.ending
        return None if result is None else ending.outcome_of(result)

    def ladder(self, config: Config) -> str:
        """One for all."""
        return self.kind

    def standings(self, config: Config, outcome: Outcome) -> tuple[Side, ...]:
        """RULES.md 6."""
        return ending.standings(outcome)


PLANES = Planes()
