"""Dou Dizhu (斗地主) as the engine hosts it."""

from collections.abc import Iterator

from parlor.rules.chance import Chance
from parlor.rules.doudizhu.actions import Action
from parlor.rules.doudizhu.apply import apply
from parlor.rules.doudizhu.autoplay import leave, presence
from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.clocks import advance, clocks, on_outage
from parlor.rules.doudizhu.config import Config, check_limits, check_options
from parlor.rules.doudizhu.dealing import first_deal, is_classic
from parlor.rules.doudizhu.events import Event, observe
from parlor.rules.doudizhu.legal import legal_actions
from parlor.rules.doudizhu.playing import dissolve
from parlor.rules.doudizhu.standings import standings
from parlor.rules.doudizhu.state import State
from parlor.rules.doudizhu.table import Phase, Table
from parlor.rules.doudizhu.view import View, fold, view
from parlor.rules.game import Audience, Clock, Outcome, Seat, Side, Transition


class DouDizhu:
    """The game; `parlor.rules.game.Game` says what each method gives."""

    kind = "doudizhu"
    rules = 1
    config_type = Config
    state_type = State
    silence_agrees = False
    bounds_waiting = False

    def seats(self, config: Config) -> int:
        """Three."""
        return SEATS

    def check_config(self, config: Config) -> None:
        """RULES.md 9."""
        check_options(config)

    def check_limits(self, config: Config) -> None:
        """RULES.md 9."""
        check_limits(config)

    def ready_ms(self, config: Config) -> int:
        """RULES.md 7.1."""
        return config.ready_ms

    def before(self, config: Config, audience: Audience) -> View:
        """Nothing is dealt."""
        phase = Phase.PLAYING if is_classic(config) else Phase.BIDDING
        return View(config=config, seat=audience, table=Table(phase=phase), hands=((), (), ()))

    def initial(self, config: Config, chance: Chance, at: int) -> Transition[State, Event]:
        """The deal and the first question."""
        return first_deal(config, chance, at)

    def apply(self, state: State, seat: Seat, action: Action, at: int) -> Transition[State, Event]:
        """RULES.md 4 to 6."""
        return apply(state, seat, action, at)

    def legal_actions(self, state: State, seat: Seat) -> Iterator[Action]:
        """Each rank multiset once per reading: suits never matter."""
        return legal_actions(view(state, seat))

    def view(self, state: State, audience: Audience) -> View:
        """RULES.md 8."""
        return view(state, audience)

    def observe(self, event: Event, audience: Audience) -> Event | None:
        """RULES.md 8."""
        return observe(event, audience)

    def fold(self, view: View, event: Event) -> View:
        """The next view."""
        return fold(view, event)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """RULES.md 7."""
        return clocks(state)

    def advance(self, state: State, at: int) -> Transition[State, Event]:
        """RULES.md 7."""
        return advance(state, at)

    def on_presence(
        self, state: State, seat: Seat, online: bool, at: int
    ) -> Transition[State, Event]:
        """RULES.md 7.3."""
        return presence(Transition(state=state), seat, online, at)

    def on_leave(self, state: State, seat: Seat, at: int) -> Transition[State, Event]:
        """RULES.md 7.3."""
        return leave(Transition(state=state), seat, at)

    def on_outage(self, state: State, lost_ms: int, at: int) -> Transition[State, Event]:
        """RULES.md 7.4."""
        return on_outage(state, lost_ms)

    def dissolve(self, state: State, at: int) -> Transition[State, Event]:
        """RULES.md 4.6."""
        return dissolve(Transition(state=state))

    def outcome(self, state: State) -> Outcome | None:
        """RULES.md 5.5 and 6.4."""
        ending = state.table.ending
        if ending is None:
            return None
        return Outcome(reason=ending.reason.value, winners=ending.winners, scores=ending.scores)

    def ladder(self, config: Config) -> str:
        """One per rule set."""
        return f"{self.kind}-{config.rule_set.value.lower()}"

    def standings(self, config: Config, outcome: Outcome) -> tuple[Side, ...]:
        """RULES.md 5.5 and 6.4."""
        return standings(config, outcome)


DOUDIZHU = DouDizhu()
