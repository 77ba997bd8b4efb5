"""The whole state of a game, hidden parts included, and how it follows its events."""

from dataclasses import dataclass, replace

from parlor.rules.chance import Chance
from parlor.rules.game import Seat, Transition
from parlor.rules.jinxian.chronicle import FROM_HAND, after
from parlor.rules.jinxian.config import Config
from parlor.rules.jinxian.events import (
    Answer,
    Answered,
    Asked,
    AutoplayChanged,
    ClocksMoved,
    Dealt,
    Discarded,
    Drawn,
    Event,
    Melded,
    Options,
    PresenceChanged,
    RoundEnded,
)
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.table import NO_HANDS, FourOf, Hands, Table, with_item
from parlor.rules.jinxian.tiles import SEATS, in_order, without

ALL_SEATS = tuple(Seat(seat) for seat in range(SEATS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What the game keeps about one seat and tells nobody else."""

    decision: int = 0
    """Number of the newest question that the table put to it."""
    options: Options | None = None
    """What it may answer to the newest question; None where that was put to others."""
    answer: Answer | None = None
    """Its answer to the offered tile, once given."""
    passed: int = 0
    """Total score of the win that locks it (过胡); 0 for no lock."""
    timeouts: int = 0
    """Turns in a row that ended by the clock."""
    autoplay_since: int = 0
    """When its autoplay began; means nothing while it is off."""
    offline_since: int = 0
    """When its connection was lost; means nothing while it is online."""
    woke: bool = False
    """It answered by itself in secret while on autoplay, which ends at its next open question."""


_TABLE = Table()
_PLACES: FourOf[Place] = (Place(), Place(), Place(), Place())


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A game."""

    config: Config
    chance: Chance
    table: Table = _TABLE
    hands: Hands = NO_HANDS
    wall: bytes = b""
    """The round's kinds in draw order, drawn ones included."""
    drawn: int | None = None
    """The kind that the active seat has just drawn, which lies in its hand."""
    is_replacement: bool = False
    """Whether that tile came from the tail."""
    began: int = 0
    """When the limit of the table's question began."""
    places: FourOf[Place] = _PLACES


Step = Transition[State, Event]


def then(step: Step, *events: Event) -> Step:
    """The step with more events behind it."""
    state = step.state
    for event in events:
        state = evolve(state, event)
    return Transition(state=state, events=step.events + events)


def evolve(state: State, event: Event) -> State:
    """The state once the complete `event` has happened."""
    state = replace(state, table=after(state.table, event))
    match event:
        case Dealt():
            return _dealt(state, event)
        case Drawn():
            return _drawn(state, event)
        case Asked():
            return _asked(state, event)
        case Discarded():
            hand = without(state.hands[event.seat], (event.tile,))
            return _with_hand(state, event.seat, hand)
        case Melded():
            taken = from_hand(event.meld)
            return _with_hand(state, event.seat, without(state.hands[event.seat], taken))
        case RoundEnded():
            return replace(state, hands=event.hands, drawn=None, is_replacement=False)
        case Answered():
            place = state.places[event.seat]
            passed = max(place.passed, event.passed)
            answered = replace(place, answer=event.answer, passed=passed)
            return with_place(state, event.seat, answered)
        case AutoplayChanged():
            return _autoplay_changed(state, event)
        case PresenceChanged():
            place = replace(state.places[event.seat], offline_since=event.at, woke=False)
            return with_place(state, event.seat, place)
        case ClocksMoved():
            return _clocks_moved(state, event.lost_ms)
        case _:
            return state


def from_hand(meld: Meld) -> tuple[int, ...]:
    """The kinds that the meld takes from its seat's hand."""
    if meld.type is MeldType.CHOW and meld.taken is not None:
        return without(meld.kinds, (meld.taken,))
    return meld.kinds[: FROM_HAND[meld.type]]


def with_place(state: State, seat: Seat, place: Place) -> State:
    """The state with what it keeps about `seat` replaced."""
    return replace(state, places=with_item(state.places, seat, place))


def next_number(place: Place) -> int:
    """The number of the next decision put to the seat; counts are per seat so that none leaks."""
    return place.decision + 1


def _with_hand(state: State, seat: Seat, hand: tuple[int, ...]) -> State:
    """A hand that has given tiles away: what was drawn is no longer told from the rest."""
    return replace(
        state, hands=with_item(state.hands, seat, hand), drawn=None, is_replacement=False
    )


def _dealt(state: State, event: Dealt) -> State:
    first, second, third, fourth = (
        replace(place, passed=0, options=None, answer=None) for place in state.places
    )
    return replace(
        state,
        hands=event.hands,
        wall=event.wall,
        drawn=event.drawn,
        is_replacement=False,
        places=(first, second, third, fourth),
    )


def _drawn(state: State, event: Drawn) -> State:
    """A draw ends the lock of a declined win (RULES.md 6.4)."""
    assert event.tile is not None, "complete events name the tile"
    hand = in_order((*state.hands[event.seat], event.tile))
    state = replace(
        state,
        hands=with_item(state.hands, event.seat, hand),
        drawn=event.tile,
        is_replacement=event.replacement,
    )
    place = state.places[event.seat]
    return with_place(state, event.seat, replace(place, passed=0)) if place.passed else state


def _asked(state: State, event: Asked) -> State:
    asked = {ask.seat: ask for ask in event.asks}
    places = [_unasked(place) for place in state.places]
    for seat, ask in asked.items():
        places[seat] = replace(places[seat], decision=ask.decision, options=ask.options)
    return replace(state, began=event.began, places=(places[0], places[1], places[2], places[3]))


def _unasked(place: Place) -> Place:
    if place.options is None:
        return place
    return replace(place, options=None, answer=None)


def _autoplay_changed(state: State, event: AutoplayChanged) -> State:
    place = replace(state.places[event.seat], autoplay_since=event.at, woke=False, timeouts=0)
    if not event.on:
        # Who acts while offline is there after all: the limit of being away begins anew.
        place = replace(place, offline_since=event.at)
    return with_place(state, event.seat, place)


def _clocks_moved(state: State, lost_ms: int) -> State:
    first, second, third, fourth = (
        replace(
            place,
            autoplay_since=place.autoplay_since + lost_ms,
            offline_since=place.offline_since + lost_ms,
        )
        for place in state.places
    )
    places = (first, second, third, fourth)
    return replace(state, began=state.began + lost_ms, places=places)
