"""How a bot plays Dou Dizhu: from its own view alone, one move ahead.

It leads the combination that sheds the most, the lowest of equals; it follows with the cheapest that
beats, keeps its bombs until somebody is about to go out, and lets its partner's plays stand.
"""

import random
from collections.abc import Iterable
from typing import Final

from parlor.rules.doudizhu.actions import Action, Bid, Call, Consent, Double, Pass, Play, Rob
from parlor.rules.doudizhu.cards import BIG, SMALL, TWO, VALUES, rank_counts
from parlor.rules.doudizhu.combos import Reading
from parlor.rules.doudizhu.legal import legal_plays
from parlor.rules.doudizhu.table import Question
from parlor.rules.doudizhu.view import Prompt, View
from parlor.rules.game import Seat

ALMOST_OUT: Final = 4
"""An opponent with so few cards has to be stopped."""

_BID_FROM: Final = (3, 5, 7)
"""The strength from which on a hand bids 1, 2 and 3."""

_MOOD: Final = 1.0

_WORTH: Final = {BIG: 3.0, SMALL: 2.0, TWO: 1.0}
_BOMB_WORTH: Final = 2.0

Choice = tuple[Play, Reading]


def decide(seen: View, chance: random.Random) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    `chance` varies what is a matter of taste: the same view and seed give the same answer.
    """
    if seen.offer is not None and seen.offer.decision:
        return Consent(decision=seen.offer.decision, consent=False)
    if seen.prompt is None or seen.seat is None:
        return None
    return _answer(seen, seen.prompt, Seat(seen.seat), chance)


def strength(hand: Iterable[int]) -> float:
    """What a hand is worth as a landlord's: jokers, twos and bombs.

    >>> strength([52, 53, 1, 2, 15, 28, 41])
    8.0
    """
    counts = rank_counts(hand)
    high = sum(worth * counts[value] for value, worth in _WORTH.items())
    return high + _BOMB_WORTH * sum(count == 4 for count in counts)


def _answer(seen: View, prompt: Prompt, seat: Seat, chance: random.Random) -> Action:
    hand = seen.hands[seat]
    confidence = strength(hand) + chance.uniform(-_MOOD, _MOOD)
    match prompt.question:
        case Question.BID:
            bid = sum(confidence >= least for least in _BID_FROM)
            return Bid(decision=prompt.decision, bid=bid if bid >= prompt.lowest_bid else 0)
        case Question.CALL:
            return Call(decision=prompt.decision, call=confidence >= _BID_FROM[0])
        case Question.ROB:
            return Rob(decision=prompt.decision, rob=confidence >= _BID_FROM[1])
        case Question.DOUBLE:
            return Double(decision=prompt.decision, double=confidence >= _BID_FROM[2])
        case Question.PLAY:
            return _move(seen, prompt, seat)


def _move(seen: View, prompt: Prompt, seat: Seat) -> Action:
    choices = list(legal_plays(seen))
    last = [play for play, _ in choices if len(play.cards) == len(seen.hands[seat])]
    if last:
        return last[0]
    if prompt.to_beat is None:
        return _lead(seen, seat, choices)
    answer = None if _is_partners(seen, seat) else _follow(seen, seat, choices)
    return answer or Pass(decision=prompt.decision)


def _lead(seen: View, seat: Seat, choices: list[Choice]) -> Play:
    """The lowest combination that sheds the most without breaking or spending a bomb."""
    bombs = _bomb_values(seen.hands[seat])

    def cost(choice: Choice) -> tuple[bool, float, int]:
        play, reading = choice
        return _spends(play, bombs), reading.value - 2.0 * len(play.cards), _high(play)

    return min(choices, key=cost)[0]


def _follow(seen: View, seat: Seat, choices: list[Choice]) -> Play | None:
    """The cheapest play that beats; a bomb only to stop who is almost out."""
    bombs = _bomb_values(seen.hands[seat])
    must_stop = any(seen.table.counts[other] <= ALMOST_OUT for other in _opponents(seen, seat))
    fit = [choice for choice in choices if must_stop or not _spends(choice[0], bombs)]
    if not fit:
        return None
    return min(fit, key=lambda c: (_spends(c[0], bombs), c[1].value, _high(c[0])))[0]


def _bomb_values(hand: tuple[int, ...]) -> frozenset[int]:
    """The values whose cards are a bomb or the rocket."""
    counts = rank_counts(hand)
    fours = {value for value, count in enumerate(counts) if count == 4}
    return frozenset(fours | {SMALL, BIG} if counts[SMALL] and counts[BIG] else fours)


def _spends(play: Play, bombs: frozenset[int]) -> bool:
    """Whether the play is a bomb, or takes cards out of one."""
    return bool(bombs) and any(VALUES[card] in bombs for card in play.cards)


def _high(play: Play) -> int:
    """The sum of the cards' values: what a play costs beside its body."""
    return sum(VALUES[card] for card in play.cards)


def _is_partners(seen: View, seat: Seat) -> bool:
    """Whether the play to beat is the other peasant's."""
    trick = seen.table.trick
    return trick is not None and trick.seat not in (seat, *_opponents(seen, seat))


def _opponents(seen: View, seat: Seat) -> tuple[int, ...]:
    """The seats that win when this one loses."""
    landlord = seen.table.landlord
    if landlord is None or landlord == seat:
        return tuple(other for other in range(len(seen.table.counts)) if other != seat)
    return (landlord,)
