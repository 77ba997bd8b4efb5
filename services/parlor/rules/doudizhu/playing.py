"""The tricks (RULES.md 4): what a play is read as, and who comes next."""

from parlor.rules.doudizhu.actions import Claim
from parlor.rules.doudizhu.cards import (
    CARDS,
    VALUES,
    in_display_order,
    rank_counts,
    seat_after,
)
from parlor.rules.doudizhu.combos import ComboRules, Reading, beats, combo_rules
from parlor.rules.doudizhu.events import Ended, Passed, Played
from parlor.rules.doudizhu.readings import readings
from parlor.rules.doudizhu.scoring import dissolved, ending
from parlor.rules.doudizhu.state import Step, ask, then
from parlor.rules.doudizhu.table import EndReason, Question
from parlor.rules.game import IllegalAction, Seat
from parlor.rules.reasons import Reason


def play(
    step: Step,
    seat: Seat,
    cards: tuple[int, ...],
    reading: Reading,
    at: int,
    *,
    auto: bool = False,
) -> Step:
    """Cards on the table; the game ends at once when they were the last."""
    shown = in_display_order(cards)
    step = then(step, Played(seat=seat, cards=shown, reading=reading, auto=auto))
    if not step.state.hands[seat]:
        return end(step, EndReason.OUT, seat)
    return ask(step, Question.PLAY, (Seat(seat_after(seat)),), at)


def pass_turn(step: Step, seat: Seat, at: int, *, auto: bool = False) -> Step:
    """A pass."""
    step = then(step, Passed(seat=seat, auto=auto))
    return ask(step, Question.PLAY, (Seat(seat_after(seat)),), at)


def end(step: Step, reason: EndReason, seat: Seat) -> Step:
    """The end: `seat` went out or surrendered, and the remaining hands are shown."""
    state = step.state
    result = ending(state.config, state.table, reason, seat)
    return then(step, Ended(ending=result, hands=state.hands))


def dissolve(step: Step) -> Step:
    """The end by the players' vote; the remaining hands are shown."""
    return then(step, Ended(ending=dissolved(), hands=step.state.hands))


def check_cards(hand: tuple[int, ...], cards: tuple[int, ...]) -> None:
    """Raises `IllegalAction` unless `cards` are distinct cards of the hand (RULES.md 4.5)."""
    if not cards:
        raise IllegalAction(Reason.EMPTY)
    if any(card not in range(CARDS) for card in cards):
        raise IllegalAction(Reason.BAD_CARD, f"a card is 0..{CARDS - 1}: {cards}")
    if len(set(cards)) != len(cards):
        raise IllegalAction(Reason.DUPLICATE_CARD, f"a card occurs twice: {cards}")
    if not set(cards) <= set(hand):
        raise IllegalAction(Reason.NOT_IN_HAND, f"not all in hand: {cards}")


def read(
    cards: tuple[int, ...], claim: Claim | None, led: Reading | None, rules: ComboRules
) -> Reading:
    """What the cards are played as (RULES.md 2.3); raises `IllegalAction` where they cannot be."""
    possible = readings(rank_counts(cards), rules)
    if not possible:
        raise IllegalAction(Reason.NOT_A_COMBINATION, f"no combination: {cards}")
    if claim is not None:
        possible = tuple(reading for reading in possible if claim.names(reading))
        if not possible:
            raise IllegalAction(Reason.BAD_CLAIM, f"not to be read as {claim}: {cards}")
    # The order of `readings` is that of preference, also among those that beat the table.
    for reading in possible:
        if beats(reading, led):
            return reading
    raise IllegalAction(Reason.DOES_NOT_BEAT, f"does not beat {led}: {cards}")


def default_lead(hand: tuple[int, ...], rules: ComboRules) -> tuple[tuple[int, ...], Reading]:
    """The lead of a seat that does not choose: the whole hand if it is a combination, else the
    lowest card, the lowest index among equals (RULES.md 7.2).
    """
    whole = readings(rank_counts(hand), rules)
    if whole:
        return hand, whole[0]
    lowest = min(hand, key=lambda card: (VALUES[card], card))
    return (lowest,), readings(rank_counts((lowest,)), rules)[0]


def lead_or_pass(step: Step, seat: Seat, at: int) -> Step:
    """What the clock does for a seat on turn: passes where it may, else the default lead."""
    if step.state.table.trick is not None:
        return pass_turn(step, seat, at, auto=True)
    rules = combo_rules(step.state.config)
    cards, reading = default_lead(step.state.hands[seat], rules)
    return play(step, seat, cards, reading, at, auto=True)
