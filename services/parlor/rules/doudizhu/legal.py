"""What a seat may do, from its view alone: the same list for the engine, a bot and a browser."""

from collections.abc import Iterator

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
    SetAutoplay,
    Show,
    Surrender,
)
from parlor.rules.doudizhu.cards import VALUES, rank_counts
from parlor.rules.doudizhu.combos import Reading, combo_rules
from parlor.rules.doudizhu.plays import Ranks, plays
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.doudizhu.view import Prompt, View
from parlor.rules.game import Seat


def legal_actions(seen: View) -> Iterator[Action]:
    """Lazily, every action that the view's seat may take, answers to the table first.

    Suits never matter, so each rank multiset stands for all the cards that make it up: it is listed
    once per reading, with the cards of lowest index. Each play names its reading.
    """
    seat = seen.seat
    if seat is None or seen.table.phase is Phase.OVER or seen.table.left[seat]:
        return
    if seen.prompt is not None:
        yield from _answers(seen, seen.prompt, seat)
    if seen.offer is not None and seen.offer.decision:
        yield Consent(decision=seen.offer.decision, consent=True)
        yield Consent(decision=seen.offer.decision, consent=False)
    yield from _requests(seen, seat)


def legal_plays(seen: View) -> Iterator[tuple[Play, Reading]]:
    """Lazily, the plays among `legal_actions` with what each is read as."""
    prompt, seat = seen.prompt, seen.seat
    if prompt is None or seat is None or seen.table.left[seat]:
        return
    if prompt.question is Question.PLAY:
        yield from _plays(seen, prompt, seat)


def _answers(seen: View, prompt: Prompt, seat: Seat) -> Iterator[Action]:
    number = prompt.decision
    match prompt.question:
        case Question.BID:
            for bid in prompt.bids:
                yield Bid(decision=number, bid=bid)
        case Question.CALL:
            yield Call(decision=number, call=True)
            yield Call(decision=number, call=False)
        case Question.ROB:
            yield Rob(decision=number, rob=True)
            yield Rob(decision=number, rob=False)
        case Question.DOUBLE:
            yield Double(decision=number, double=True)
            yield Double(decision=number, double=False)
        case Question.PLAY:
            if prompt.may_pass:
                yield Pass(decision=number)
            for play, _ in _plays(seen, prompt, seat):
                yield play


def _plays(seen: View, prompt: Prompt, seat: Seat) -> Iterator[tuple[Play, Reading]]:
    hand = seen.hands[seat]
    held: dict[int, list[int]] = {}
    for card in sorted(hand):
        held.setdefault(VALUES[card], []).append(card)
    rules = combo_rules(seen.config)
    for ranks, reading in plays(rank_counts(hand), rules, prompt.to_beat):
        yield (
            Play(
                decision=prompt.decision,
                cards=_cards(held, ranks),
                claim=Claim(shape=reading.shape, value=reading.value),
            ),
            reading,
        )


def _cards(held: dict[int, list[int]], ranks: Ranks) -> tuple[int, ...]:
    """The cards of lowest index that make up the multiset, in its order; `held` by value."""
    taken: dict[int, int] = {}
    cards = []
    for value in ranks:
        place = taken.get(value, 0)
        cards.append(held[value][place])
        taken[value] = place + 1
    return tuple(cards)


def _requests(seen: View, seat: Seat) -> Iterator[Action]:
    """What a seat may ask for whether or not it is its turn."""
    if seen.may_show:
        yield Show()
    if seen.may_surrender:
        yield Surrender()
    yield SetAutoplay(on=not seen.table.autoplay[seat])
