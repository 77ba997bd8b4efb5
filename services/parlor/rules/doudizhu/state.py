"""The whole state of a game, hidden parts included, and how it follows its events."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from parlor.rules.chance import Chance
from parlor.rules.doudizhu.cards import SEATS, in_display_order, without
from parlor.rules.doudizhu.chronicle import after
from parlor.rules.doudizhu.config import Config
from parlor.rules.doudizhu.events import (
    Asked,
    AutoplayCause,
    AutoplayChanged,
    BidMade,
    Called,
    CardsShown,
    ClocksMoved,
    Dealt,
    DoubleChosen,
    Ended,
    Event,
    Hands,
    LandlordChosen,
    OfferMade,
    OfferRefused,
    Passed,
    Played,
    Robbed,
)
from parlor.rules.doudizhu.table import Question, Table
from parlor.rules.game import Seat, Transition

ALL_SEATS = tuple(Seat(seat) for seat in range(SEATS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What the game keeps about one seat and tells nobody else."""

    decision: int = 0
    """Number of the newest question that the table put to it."""
    consent: int = 0
    """Number of the newest offer that it was to answer, from the same count."""
    timeouts: int = 0
    """In a row, without an action of its own in between."""
    autoplay_since: int = 0
    """When its autoplay began; means nothing while it is off."""
    double: bool | None = None
    """Its choice to double, once made."""
    woke: bool = False
    """It chose by itself while on autoplay, which ends when the choices are revealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A peasant's open offer to surrender."""

    seat: Seat
    mate: Seat
    decision: int
    """The mate's decision; 0 in the view of the seat that offered."""
    due: int
    """When silence refuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A game of either rule set."""

    config: Config
    chance: Chance
    table: Table
    hands: Hands
    bottom: tuple[int, ...]
    """The bottom cards until the landlord takes them."""
    places: tuple[Place, Place, Place]
    began: int = 0
    """When the limit of the table's question began."""
    offer: Offer | None = None
    offered: bool = False
    """Whether the peasants have made their one offer."""


Step = Transition[State, Event]


def then(step: Step, *events: Event) -> Step:
    """The step with more events behind it."""
    state = step.state
    for event in events:
        state = evolve(state, event)
    return Transition(state=state, events=step.events + events)


def limit_ms(config: Config, question: Question) -> int:
    """How long a seat has for an answer (RULES.md 7.1)."""
    match question:
        case Question.PLAY:
            return config.play_ms
        case Question.DOUBLE:
            return config.double_ms
        case _:
            return config.bid_ms


def due_for(state: State, seat: Seat, question: Question) -> int:
    """When the default is taken for `seat`, asked at `state.began`: sooner on autoplay."""
    limit = state.began + limit_ms(state.config, question)
    if not state.table.autoplay[seat]:
        return limit
    since = max(state.began, state.places[seat].autoplay_since)
    return min(limit, since + state.config.autoplay_ms)


def ask(step: Step, question: Question, seats: tuple[Seat, ...], at: int) -> Step:
    """Puts a question to `seats`, each under a new number of its own."""
    began = replace(step.state, began=at)
    places = began.places
    return then(
        step,
        Asked(
            question=question,
            seats=seats,
            at=at,
            # Who answers in secret is on no public clock of its own, so autoplay does not show.
            due=at + limit_ms(began.config, question)
            if question is Question.DOUBLE
            else min(due_for(began, seat, question) for seat in seats),
            numbers=tuple(next_number(places[seat]) for seat in seats),
        ),
    )


def next_number(place: Place) -> int:
    """The number of the next decision put to the seat; counts are per seat so that none leaks."""
    return max(place.decision, place.consent) + 1


def evolve(state: State, event: Event) -> State:
    """The state once the complete `event` has happened."""
    state = replace(state, table=after(state.table, event))
    match event:
        case Dealt():
            return replace(state, hands=event.hands, bottom=event.bottom)
        case Asked():
            return _asked(state, event)
        case LandlordChosen():
            hand = in_display_order(state.hands[event.seat] + event.bottom)
            return replace(state, hands=with_hand(state.hands, event.seat, hand), bottom=())
        case BidMade() | Called() | Robbed() | Passed():
            return _answered(state, event.seat, event.auto)
        case Played():
            return _played(state, event)
        case DoubleChosen():
            return _double_chosen(state, event)
        case CardsShown():
            return _answered(state, event.seat, auto=False)
        case OfferMade():
            return _offered(state, event)
        case OfferRefused() | Ended():
            return replace(state, offer=None)
        case AutoplayChanged():
            return _autoplay_changed(state, event)
        case ClocksMoved():
            return _clocks_moved(state, event.lost_ms)
        case _:
            return state


def with_hand(hands: Hands, seat: Seat, cards: tuple[int, ...]) -> Hands:
    """The hands with that of `seat` replaced."""
    first, second, third = (cards if place == seat else hand for place, hand in enumerate(hands))
    return first, second, third


def with_place(state: State, seat: Seat, place: Place) -> State:
    """The state with what it keeps about `seat` replaced."""
    first, second, third = (place if s == seat else old for s, old in enumerate(state.places))
    return replace(state, places=(first, second, third))


def _asked(state: State, event: Asked) -> State:
    for seat, number in zip(event.seats, event.numbers, strict=True):
        state = with_place(state, seat, replace(state.places[seat], decision=number))
    return replace(state, began=event.at)


def _answered(state: State, seat: Seat, auto: bool) -> State:
    """Counts the timeouts in a row; a seat on autoplay does not time out."""
    place = state.places[seat]
    if not auto:
        return with_place(state, seat, replace(place, timeouts=0))
    if state.table.autoplay[seat]:
        return state
    return with_place(state, seat, replace(place, timeouts=place.timeouts + 1))


def _played(state: State, event: Played) -> State:
    hand = without(state.hands[event.seat], event.cards)
    state = replace(state, hands=with_hand(state.hands, event.seat, hand))
    return _answered(state, event.seat, event.auto)


def _double_chosen(state: State, event: DoubleChosen) -> State:
    place = replace(state.places[event.seat], double=event.double)
    if not event.auto:
        place = replace(place, timeouts=0, woke=state.table.autoplay[event.seat])
    return with_place(state, event.seat, place)


def _offered(state: State, event: OfferMade) -> State:
    place = replace(state.places[event.mate], consent=event.decision)
    offer = Offer(seat=event.seat, mate=event.mate, decision=event.decision, due=event.due)
    return replace(with_place(state, event.mate, place), offer=offer, offered=True)


def _autoplay_changed(state: State, event: AutoplayChanged) -> State:
    place = replace(state.places[event.seat], autoplay_since=event.at, woke=False)
    if event.cause in (AutoplayCause.REQUEST, AutoplayCause.ACTED):
        place = replace(place, timeouts=0)
    return with_place(state, event.seat, place)


def _clocks_moved(state: State, lost_ms: int) -> State:
    for seat in ALL_SEATS:
        place = state.places[seat]
        moved = replace(place, autoplay_since=place.autoplay_since + lost_ms)
        state = with_place(state, seat, moved)
    offer = state.offer and replace(state.offer, due=state.offer.due + lost_ms)
    return replace(state, began=state.began + lost_ms, offer=offer)


def seats_where(flags: Iterable[bool]) -> tuple[Seat, ...]:
    """The seats whose flag is set, ascending."""
    return tuple(Seat(seat) for seat, flag in enumerate(flags) if flag)
