"""Hands in notation, and games set up with them."""

from dataclasses import replace
from typing import Any

import pytest

from parlor.rules.chance import ScriptedChance
from parlor.rules.doudizhu import DOUDIZHU, Config, State
from parlor.rules.doudizhu.actions import Action, Bid, Call, Double, Pass, Play, Rob
from parlor.rules.doudizhu.cards import CARDS, LETTERS, LOWEST, VALUES, in_display_order
from parlor.rules.doudizhu.combos import ComboRules, Reading, combo_rules
from parlor.rules.doudizhu.config import RuleSet, RunTop, Wings
from parlor.rules.doudizhu.events import Event
from parlor.rules.doudizhu.playing import read
from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.reasons import Reason

OPEN = combo_rules(Config())
STRICT = combo_rules(Config(wings=Wings.STRICT))
TO_JOKER = combo_rules(Config(rule_set=RuleSet.CLASSIC))
TO_TWO = combo_rules(Config(rule_set=RuleSet.CLASSIC, run_top=RunTop.TWO))
TO_ACE = combo_rules(Config(rule_set=RuleSet.CLASSIC, run_top=RunTop.ACE))

BEGAN = 1_000_000


def cards(ranks: str, *, taken: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The cards of lowest index with these ranks that are not taken yet.

    >>> cards("33R")
    (2, 15, 53)
    """
    chosen: list[int] = []
    for letter in ranks:
        value = LETTERS.index(letter) + LOWEST
        chosen.append(
            next(
                card
                for card in range(CARDS)
                if VALUES[card] == value and card not in chosen and card not in taken
            )
        )
    return tuple(chosen)


def reading(ranks: str, rules: ComboRules = OPEN) -> Reading:
    """What these ranks are led as."""
    return read(cards(ranks), None, None, rules)


def deal(*hands: str, bottom: str = "") -> list[int]:
    """A pack in which the seats get these cards, the bottom is as given, and the rest is anything.

    Each hand is filled up to its size.
    """
    size = 17 if bottom else 18
    taken: tuple[int, ...] = ()
    dealt: list[tuple[int, ...]] = []
    for ranks in (*hands, bottom):
        dealt.append(cards(ranks, taken=taken))
        taken += dealt[-1]
    last = dealt.pop()
    rest = [card for card in range(CARDS) if card not in taken]
    dealt += [()] * (3 - len(dealt))
    pack: list[int] = []
    for hand in dealt:
        pack += [*hand, *(rest.pop(0) for _ in range(size - len(hand)))]
    return pack + list(last) + rest


class Game:
    """A running game that a test drives by hand, one millisecond per action."""

    def __init__(self, config: Config | None = None, *, first: int = 0, **draws: Any) -> None:
        self.at = BEGAN
        script: dict[tuple[str | int, ...], list[int]] = {("first",): [first]}
        for name, pack in draws.items():
            script["deal", int(name.removeprefix("deal_"))] = pack
        step = DOUDIZHU.initial(config or Config(), ScriptedChance(script), BEGAN)
        self.state: State = step.state
        self.events: tuple[Event, ...] = step.events

    def take(self, step: Transition[State, Event]) -> tuple[Event, ...]:
        """Goes on from a step; gives its events."""
        self.state, self.events = step.state, step.events
        return step.events

    def act(self, seat: int, action: Action) -> tuple[Event, ...]:
        """The seat acts."""
        self.at += 1
        return self.take(DOUDIZHU.apply(self.state, Seat(seat), action, self.at))

    def number(self, seat: int) -> int:
        """The seat's newest decision."""
        return self.state.places[seat].decision

    def bid(self, seat: int, number: int) -> tuple[Event, ...]:
        """The seat bids."""
        return self.act(seat, Bid(decision=self.number(seat), bid=number))

    def call(self, seat: int, wants: bool) -> tuple[Event, ...]:
        """The seat calls or declines."""
        return self.act(seat, Call(decision=self.number(seat), call=wants))

    def rob(self, seat: int, wants: bool) -> tuple[Event, ...]:
        """The seat robs or does not."""
        return self.act(seat, Rob(decision=self.number(seat), rob=wants))

    def double(self, seat: int, wants: bool) -> tuple[Event, ...]:
        """The seat doubles or does not."""
        return self.act(seat, Double(decision=self.number(seat), double=wants))

    def play(self, seat: int, ranks: str) -> tuple[Event, ...]:
        """The seat plays cards of these ranks from its hand."""
        missing = tuple(set(range(CARDS)) - set(self.state.hands[seat]))
        chosen = cards(ranks, taken=missing)
        return self.act(seat, Play(decision=self.number(seat), cards=chosen))

    def pass_turn(self, seat: int) -> tuple[Event, ...]:
        """The seat passes."""
        return self.act(seat, Pass(decision=self.number(seat)))

    def clock(self, kind: str) -> tuple[Event, ...]:
        """The earliest clock is of this kind, and runs out."""
        earliest = DOUDIZHU.clocks(self.state)[0]
        assert earliest.kind == kind, earliest
        self.at = earliest.due
        return self.take(DOUDIZHU.advance(self.state, self.at))

    def presence(self, seat: int, online: bool) -> tuple[Event, ...]:
        """The seat's connection is lost or comes back."""
        self.at += 1
        return self.take(DOUDIZHU.on_presence(self.state, Seat(seat), online, self.at))

    def refusal(self, seat: int, action: Action) -> Reason:
        """Why the seat may not do that."""
        with pytest.raises(IllegalAction) as refused:
            DOUDIZHU.apply(self.state, Seat(seat), action, self.at)
        return refused.value.reason


def hold(game: Game, seat: int, ranks: str) -> None:
    """Leaves the seat with a hand of these ranks, wherever they were before."""
    hands = list(game.state.hands)
    hands[seat] = in_display_order(cards(ranks))
    counts = [len(hand) for hand in hands]
    game.state = replace(
        game.state,
        hands=(hands[0], hands[1], hands[2]),
        table=replace(game.state.table, counts=(counts[0], counts[1], counts[2])),
    )
