"""What cards, readings and views of Dou Dizhu must be like."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from parlor.engine.advice.checks import Refused, malformed
from parlor.rules.doudizhu.cards import BIG, CARDS, LOWEST, SEATS
from parlor.rules.doudizhu.combos import Reading
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.table import Question
from parlor.rules.doudizhu.view import Prompt, View
from parlor.rules.game import Seat

MOST_CARDS: Final = 20
"""The landlord's hand."""
_LONGEST: Final = 14
"""Groups in the longest run of any rule set."""


def check_cards(cards: Sequence[int], field: str) -> None:
    """Refuses what is no hand or part of one: 1 to 20 cards, each once."""
    if not cards:
        raise Refused("EMPTY", field, "must have 1 card or more")
    if len(cards) > MOST_CARDS:
        raise malformed(field, f"must have {MOST_CARDS} cards at most, not {len(cards)}")
    _check_known(cards, field)
    _check_distinct(cards, field)


def check_reading(reading: Reading, field: str) -> None:
    """Refuses a reading that no cards have."""
    if reading.value not in range(LOWEST, BIG + 1):
        raise malformed(f"{field}.value", f"must be {LOWEST}..{BIG}, not {reading.value}")
    if reading.length not in range(1, _LONGEST + 1):
        raise malformed(f"{field}.length", f"must be 1..{_LONGEST}, not {reading.length}")


def check_view(view: View) -> None:
    """Refuses a view that no seat could have received, as far as advice looks at it."""
    _check_hands(view)
    table = view.table
    _check_known(table.bottom, "view.table.bottom")
    if table.trick is not None:
        check_reading(table.trick.reading, "view.table.trick.reading")
        check_cards(table.trick.cards, "view.table.trick.cards")
    for place, entry in enumerate(table.history):
        _check_known(entry.cards, f"view.table.history[{place}].cards")
    if view.prompt is not None:
        if view.seat is None:
            raise malformed("view.prompt", "spectators are asked nothing")
        _check_prompt(view, view.prompt, Seat(view.seat))


def _check_hands(view: View) -> None:
    for seat, hand in enumerate(view.hands):
        field = f"view.hands[{seat}].cards"
        if len(hand) > MOST_CARDS:
            raise malformed(field, f"must have {MOST_CARDS} cards at most, not {len(hand)}")
        _check_known(hand, field)
        if (hand or seat == view.seat) and len(hand) != view.table.counts[seat]:
            raise malformed(field, f"must be {view.table.counts[seat]} cards, as in table.counts")
    _check_distinct(tuple(chain.from_iterable(view.hands)), "view.hands")
    for seat, count in enumerate(view.table.counts):
        if count not in range(MOST_CARDS + 1):
            raise malformed(f"view.table.counts[{seat}]", f"must be 0..{MOST_CARDS}, not {count}")


def _check_prompt(view: View, prompt: Prompt, seat: Seat) -> None:
    if prompt.lowest_bid not in range(4):
        raise malformed("view.prompt.lowest_bid", f"must be 0..3, not {prompt.lowest_bid}")
    if not view.hands[seat]:
        raise malformed(f"view.hands[{seat}].cards", "a seat that is asked holds cards")
    if prompt.question is not Question.PLAY:
        return
    trick = view.table.trick
    if view.config.rule_set is RuleSet.STANDARD and view.table.landlord is None:
        raise malformed("view.table.landlord", "must be set while cards are played")
    if prompt.to_beat != (trick.reading if trick else None):
        raise malformed("view.prompt.to_beat", "must be the reading of table.trick")
    if prompt.may_pass != (trick is not None):
        raise malformed("view.prompt.may_pass", "must say whether there is a table.trick")
    if not all(view.table.counts):
        raise malformed("view.table.counts", f"{SEATS} hands hold cards while cards are played")


def _check_known(cards: Sequence[int], field: str) -> None:
    for place, card in enumerate(cards):
        if card not in range(CARDS):
            raise Refused("BAD_CARD", f"{field}[{place}]", f"a card is 0..{CARDS - 1}: {card}")


def _check_distinct(cards: Sequence[int], field: str) -> None:
    seen = set()
    for card in cards:
        if card in seen:
            raise Refused("DUPLICATE_CARD", field, f"card {card} occurs twice")
        seen.add(card)
