"""The cards: one pack of 54, each card an index (RULES.md 1).

0..51 are `suit * 13 + column` with the columns A 2 3 … 9 10 J Q K, 52 is the small joker (小王) and
53 the big one (大王). Only a card's value counts in play: 3..K are 2..12, A is 13, 2 is 14 and the
jokers are 15 and 16. Suits never matter.
"""

from collections.abc import Iterable, Sequence

CARDS = 54
SEATS = 3
SMALL_JOKER = 52
BIG_JOKER = 53

LOWEST = 2
"""The value of a 3."""
ACE = 13
TWO = 14
SMALL = 15
BIG = 16

RANKS = range(LOWEST, BIG + 1)
LETTERS = "3456789TJQKA2BR"
"""The letter of each value in notation, lowest first."""

Counts = tuple[int, ...]
"""How many cards of each value, indexed by value: 17 numbers, of which 0 and 1 stay unused."""


def _value(card: int) -> int:
    if card >= SMALL_JOKER:
        return card - SMALL_JOKER + SMALL
    column = card % 13
    return column + 13 if column < 2 else column


VALUES = tuple(_value(card) for card in range(CARDS))


def in_display_order(cards: Iterable[int]) -> tuple[int, ...]:
    """The cards as a hand is held: the highest value first, equal values by ascending index."""
    return tuple(sorted(cards, key=lambda card: (-VALUES[card], card)))


def rank_counts(cards: Iterable[int]) -> Counts:
    """How many of each value.

    >>> rank_counts([2, 15, 53])[2], rank_counts([2, 15, 53])[16]
    (2, 1)
    """
    counts = [0] * (BIG + 1)
    for card in cards:
        counts[VALUES[card]] += 1
    return tuple(counts)


def without(hand: Sequence[int], cards: Iterable[int]) -> tuple[int, ...]:
    """The hand after `cards` have left it, its order kept."""
    gone = frozenset(cards)
    return tuple(card for card in hand if card not in gone)


def text(cards: Iterable[int]) -> str:
    """The ranks in notation, lowest first.

    >>> text([53, 2, 0, 15])
    '33AR'
    """
    return "".join(LETTERS[value - LOWEST] for value in sorted(VALUES[card] for card in cards))


def seat_after(seat: int) -> int:
    """The next seat in the order of turns, the neighbour to the right."""
    return (seat + 1) % SEATS
