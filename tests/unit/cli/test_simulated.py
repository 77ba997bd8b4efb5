"""A simulated player finds its own answers again in what the game says, and no others."""

import random
from collections import Counter
from typing import Any

import pytest

from parlor.cli.history import History
from parlor.cli.simulated import GAMES as TABLES
from parlor.client.games import config_message, seats_of
from parlor.rules.catalog import GAMES
from parlor.rules.chance import Chance
from parlor.rules.doudizhu.config import Bidding
from parlor.rules.doudizhu.config import Config as DouDizhuConfig
from parlor.rules.game import Seat, Transition
from parlor.v1 import room_pb2
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event
from parlor.wire.catalog import WIRE
from tests.unit.cli.frames import leaks, view

SEED = bytes(32)

KINDS_AND_RULES = [(kind, rules) for kind in TABLES for rules in TABLES[kind].rule_sets]


def config_of(kind: str, rule_set: str, **limits: int) -> Any:
    message = getattr(TABLES[kind].config(rule_set, **limits), kind)
    return WIRE[kind].config_from(message)


class Game:
    """A game that its seats play by chance, and that a clock plays now and then."""

    def __init__(self, kind: str, config: Any) -> None:
        self.kind, self.rules, self.table = kind, GAMES[kind], TABLES[kind]
        self.seats = [Seat(seat) for seat in range(self.rules.seats(config))]
        self.histories = [History() for _ in self.seats]
        self.frames: list[list[ServerFrame]] = [[] for _ in self.seats]
        self.done: list[Counter[str]] = [Counter() for _ in self.seats]
        self.seqs = [0] * len(self.seats)
        first = self.rules.initial(config, Chance(seed=SEED, entropy=b""), 1_000)
        self.take(first, Event(game_started=room_pb2.GameStarted(game_no=1)))

    def take(self, step: Transition[Any, Any], *before: Event) -> None:
        """Goes on to the step's state, and tells each seat what it observes."""
        self.state = step.state
        for seat, history in zip(self.seats, self.histories, strict=True):
            seen = [self.rules.observe(event, seat) for event in step.events]
            events = [*before, *(self.message(event) for event in seen if event is not None)]
            if events:
                self.seqs[seat] += 1
                frame = ServerFrame(entry=Entry(seq=self.seqs[seat], events=events))
                self.frames[seat].append(frame)
                history.hear(frame)

    def message(self, event: Any) -> Event:
        return Event(**{self.kind: WIRE[self.kind].event_to(event)})

    def view(self, seat: Seat) -> Any:
        return self.rules.view(self.state, seat)

    def play(self, chance: random.Random) -> None:
        """To the end."""
        while self.rules.outcome(self.state) is None:
            due = self.rules.clocks(self.state)[0].due
            asked = [seat for seat in self.seats if self.table.decision(self.view(seat))]
            if not asked or chance.random() < 0.1:
                self.take(self.rules.advance(self.state, due))
                continue
            seat = chance.choice(asked)
            action = self.table.choose(self.view(seat), chance)
            self.take(self.rules.apply(self.state, seat, action, due - 1))
            self.done[seat][self.table.mark(action)] += 1


CONFIGS = {
    **{f"{kind}-{rules}": (kind, config_of(kind, rules)) for kind, rules in KINDS_AND_RULES},
    "doudizhu-called": ("doudizhu", DouDizhuConfig(bidding=Bidding.CALL)),
    "doudizhu-doubled": ("doudizhu", DouDizhuConfig(doubling=True)),
}


@pytest.mark.parametrize(("kind", "config"), CONFIGS.values(), ids=CONFIGS)
def test_what_a_seat_did_itself_is_its_record(kind: str, config: Any) -> None:
    for seed in range(3):
        game = Game(kind, config)
        game.play(random.Random(seed))
        for seat, history in zip(game.seats, game.histories, strict=True):
            assert history.is_whole
            assert game.table.record(game.view(seat), seat, history) == game.done[seat]


@pytest.mark.parametrize(("kind", "config"), CONFIGS.values(), ids=CONFIGS)
def test_a_seat_that_hears_what_another_does_is_shown_too_much(kind: str, config: Any) -> None:
    game = Game(kind, config)
    game.play(random.Random(1))
    options = config_message(kind, config)
    for seat in game.seats:
        for other in game.seats:
            shown = leaks(view(options, seat), *game.frames[other])
            assert bool(shown) == (other != seat)


def test_a_few_games_of_jinxian_show_every_kind_of_answer() -> None:
    wanted = {"discard", "kong", "win", "chow", "pong", "pass", "continue"}
    for seed in range(20):
        game = Game("jinxian", config_of("jinxian", "fast"))
        game.play(random.Random(seed))
        wanted -= {mark.split()[0] for done in game.done for mark in done}
        if not wanted:
            break
    assert not wanted


@pytest.mark.parametrize(("kind", "rules"), KINDS_AND_RULES)
def test_the_shortest_limits_are_those_that_players_may_choose(kind: str, rules: str) -> None:
    config = config_of(kind, rules)
    GAMES[kind].check_config(config)
    GAMES[kind].check_limits(config)


def test_each_game_has_its_own_number_of_seats() -> None:
    seats = {kind: seats_of(table.config(table.rule_sets[0])) for kind, table in TABLES.items()}
    assert seats == {"doudizhu": 3, "jinxian": 4, "planes": 2}
