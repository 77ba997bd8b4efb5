"""How a seat is best played, from its own view alone: a bot's policy and an engine's advice.

The hand is split into the fewest plays (`decomposition`), the cards out of sight are counted
(`unseen`), and of the plays (`candidates`) the one that leaves the best chances is taken
(`tactics`).
"""

from collections.abc import Iterable
from typing import Final, Protocol

from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Claim,
    Consent,
    Double,
    Pass,
    Play,
    Rob,
)
from parlor.rules.doudizhu.candidates import cards_of
from parlor.rules.doudizhu.cards import BIG, SMALL, TWO, rank_counts
from parlor.rules.doudizhu.combos import beats, combo_rules
from parlor.rules.doudizhu.readings import readings
from parlor.rules.doudizhu.tactics import Judge
from parlor.rules.doudizhu.table import Question
from parlor.rules.doudizhu.view import Prompt, View
from parlor.rules.game import Seat


class Taste(Protocol):
    """What varies a decision that is a matter of taste; a `random.Random` is one."""

    def uniform(self, a: float, b: float) -> float:
        """A number between `a` and `b`."""


def decide(seen: View, taste: Taste) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    The same view and the same taste give the same answer.
    """
    if seen.offer is not None and seen.offer.decision and seen.seat is not None:
        return Consent(decision=seen.offer.decision, consent=False)
    if seen.prompt is None or seen.seat is None:
        return None
    return _answer(seen, seen.prompt, Seat(seen.seat), taste)


def _answer(seen: View, prompt: Prompt, seat: Seat, taste: Taste) -> Action:
    match prompt.question:
        case Question.BID:
            return Bid(decision=prompt.decision, bid=0)
        case Question.CALL:
            return Call(decision=prompt.decision, call=False)
        case Question.ROB:
            return Rob(decision=prompt.decision, rob=False)
        case Question.DOUBLE:
            return Double(decision=prompt.decision, double=False)
        case Question.PLAY:
            return _move(seen, prompt, seat)


def _move(seen: View, prompt: Prompt, seat: Seat) -> Action:
    hand = seen.hands[seat]
    rules = combo_rules(seen.config)
    for reading in readings(rank_counts(hand), rules):
        if beats(reading, prompt.to_beat):
            claim = Claim(shape=reading.shape, value=reading.value)
            return Play(decision=prompt.decision, cards=hand, claim=claim)
    choice = Judge(seen, seat).best()
    if choice is None:
        return Pass(decision=prompt.decision)
    reading = choice.candidate.reading
    return Play(
        decision=prompt.decision,
        cards=cards_of(hand, choice.candidate.part, choice.wings),
        claim=Claim(shape=reading.shape, value=reading.value),
    )
