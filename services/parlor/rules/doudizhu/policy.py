"""How a seat is best played, from its own view alone: a bot's policy and an engine's advice.

The hand is split into the fewest plays (`decomposition`), the cards out of sight are counted
(`unseen`, `opposition`), and of the plays (`candidates`) the one that leaves the best chances is
taken (`tactics`).
"""

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
from parlor.rules.doudizhu.table import Question
from parlor.rules.doudizhu.tactics import Judge
from parlor.rules.doudizhu.view import Prompt, View
from parlor.rules.game import Seat

_BID_FROM: Final = (-2.5, -0.8, 0.6)
"""The strength from which on a hand bids 1, 2 and 3: low, since a landlord who was chosen by these
bids wins three of five games among seats that play like this one."""
_CALL_FROM: Final = -1.8
_ROB_FROM: Final = -0.8
_DOUBLE_FROM: Final = 1.2
_MOOD: Final = 0.4
"""So much the same hand may be felt stronger or weaker."""

_HIGHS: Final = {BIG: 1.5, SMALL: 1.0, TWO: 0.5}
_BOMB: Final = 1.0
"""What high cards and bombs decide beyond the split of the hand."""


class Taste(Protocol):
    """What varies a decision that is a matter of taste; a `random.Random` is one."""

    def uniform(self, a: float, b: float) -> float:
        """A number between `a` and `b`."""


def decide(seen: View, taste: Taste) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    An offer to surrender is answered first. The same view and the same taste give the same answer.
    """
    if seen.seat is None:
        return None
    seat = Seat(seen.seat)
    if seen.offer is not None and seen.offer.decision:
        consent = Judge(seen, seat).is_hopeless()
        return Consent(decision=seen.offer.decision, consent=consent)
    if seen.prompt is None:
        return None
    if seen.prompt.question is Question.PLAY:
        return _move(seen, seen.prompt, seat)
    return _word(seen.prompt, strength(seen, seat) + taste.uniform(-_MOOD, _MOOD))


def strength(seen: View, seat: Seat) -> float:
    """What the seat's hand is worth before the play: few weak plays, high cards, bombs."""
    counts = rank_counts(seen.hands[seat])
    highs = sum(worth * counts[value] for value, worth in _HIGHS.items())
    bombs = _BOMB * sum(count == 4 for count in counts)
    return highs + bombs - Judge(seen, seat).hand_cost


def _word(prompt: Prompt, confidence: float) -> Action:
    """What is said before the play."""
    match prompt.question:
        case Question.BID:
            bid = sum(confidence >= least for least in _BID_FROM)
            return Bid(decision=prompt.decision, bid=bid if bid >= prompt.lowest_bid else 0)
        case Question.CALL:
            return Call(decision=prompt.decision, call=confidence >= _CALL_FROM)
        case Question.ROB:
            return Rob(decision=prompt.decision, rob=confidence >= _ROB_FROM)
        case Question.DOUBLE:
            return Double(decision=prompt.decision, double=confidence >= _DOUBLE_FROM)
        case Question.PLAY:
            raise AssertionError("answered with cards")


def _move(seen: View, prompt: Prompt, seat: Seat) -> Action:
    """Cards, or a pass: the whole hand if it goes at once, else what serves best."""
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
