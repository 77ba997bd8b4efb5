"""Jinxian Mahjong (进贤麻将) as the engine hosts it."""

from collections.abc import Iterator

from parlor.rules.chance import Chance
from parlor.rules.game import Audience, Clock, Outcome, Seat, Side, Transition
from parlor.rules.jinxian import apply as applying
from parlor.rules.jinxian import autoplay, clocks, config, legal, rounds, settling, view
from parlor.rules.jinxian.actions import Action
from parlor.rules.jinxian.config import Config
from parlor.rules.jinxian.events import Event, observe
from parlor.rules.jinxian.state import ALL_SEATS, State
from parlor.rules.jinxian.table import EndReason, Phase, Table
from parlor.rules.jinxian.tiles import SEATS
from parlor.rules.jinxian.view import View


class Jinxian:
    """The game; `parlor.rules.game.Game` says what each method gives."""

    kind = "jinxian"
    rules = 1
    config_type = Config
    state_type = State
    silence_agrees = True
    bounds_waiting = True

    def seats(self, config: Config) -> int:
        """Four."""
        return SEATS

    def check_config(self, config_: Config) -> None:
        """RULES.md 1."""
        config.check_options(config_)

    def check_limits(self, config_: Config) -> None:
        """RULES.md 1."""
        config.check_limits(config_)

    def ready_ms(self, config: Config) -> int:
        """RULES.md 11.11."""
        return config.ready_ms

    def before(self, config: Config, audience: Audience) -> View:
        """Nothing is dealt."""
        return View(config=config, seat=audience, table=Table())

    def initial(self, config: Config, chance: Chance, at: int) -> Transition[State, Event]:
        """The first dealer, the deal, the jing and the first question."""
        return rounds.begin(config, chance, at)

    def apply(self, state: State, seat: Seat, action: Action, at: int) -> Transition[State, Event]:
        """RULES.md 5, 6 and 10."""
        return applying.apply(state, seat, action, at)

    def legal_actions(self, state: State, seat: Seat) -> Iterator[Action]:
        """Each kind once: copies never matter."""
        return legal.legal_actions(view.view(state, seat))

    def view(self, state: State, audience: Audience) -> View:
        """RULES.md 12."""
        return view.view(state, audience)

    def observe(self, event: Event, audience: Audience) -> Event | None:
        """RULES.md 12."""
        return observe(event, audience)

    def fold(self, seen: View, event: Event) -> View:
        """The next view."""
        return view.fold(seen, event)

    def clocks(self, state: State) -> tuple[Clock, ...]:
        """RULES.md 11."""
        return clocks.clocks(state)

    def advance(self, state: State, at: int) -> Transition[State, Event]:
        """RULES.md 11."""
        return clocks.advance(state, at)

    def on_presence(
        self, state: State, seat: Seat, online: bool, at: int
    ) -> Transition[State, Event]:
        """RULES.md 11.6."""
        return autoplay.presence(Transition(state=state), seat, online, at)

    def on_leave(self, state: State, seat: Seat, at: int) -> Transition[State, Event]:
        """RULES.md 11.6."""
        return autoplay.leave(Transition(state=state), seat, at)

    def on_outage(self, state: State, lost_ms: int, at: int) -> Transition[State, Event]:
        """RULES.md 11.8."""
        return clocks.on_outage(state, lost_ms)

    def dissolve(self, state: State, at: int) -> Transition[State, Event]:
        """The game as the players' vote ends it: the totals of the finished rounds stand.

        For the room, which takes the vote (RULES.md 11.7).
        """
        step: Transition[State, Event] = Transition(state=state)
        if state.table.phase is Phase.GAME_END:
            return step
        return settling.end_game(step, EndReason.DISSOLVED)

    def outcome(self, state: State) -> Outcome | None:
        """RULES.md 10.6; without winners where all are even."""
        ending = state.table.ending
        if ending is None:
            return None
        first = tuple(seat for seat in ALL_SEATS if ending.ranks[seat] == 1)
        winners = first if len(first) < SEATS else ()
        return Outcome(reason=ending.reason.value, winners=winners, scores=ending.scores)

    def ladder(self, config: Config) -> str:
        """One for all."""
        return self.kind

    def standings(self, config: Config, outcome: Outcome) -> tuple[Side, ...]:
        """By the total scores (RULES.md 10.6); a dissolved game ranks nobody."""
        if outcome.reason == EndReason.DISSOLVED.value:
            return ()
        first, second, third, fourth = outcome.scores
        ranks = settling.ranks((first, second, third, fourth))
        sides = (Side(seats=(seat,), rank=ranks[seat]) for seat in ALL_SEATS)
        return tuple(sorted(sides, key=lambda side: side.rank))


JINXIAN = Jinxian()
