"""What happens in a game, and how much of it each audience sees (RULES.md 8).

A transition holds complete events; `observe` cuts each down to what an audience may know. The
state and every view follow the same events, the public part through `chronicle.after`.
"""

import enum
from dataclasses import dataclass, replace
from typing import assert_never

from parlor.rules.doudizhu.combos import Reading
from parlor.rules.doudizhu.table import Ending, Flags, Question
from parlor.rules.game import Audience, Seat

Hands = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Each seat's cards in display order; empty where the audience may not know them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """A new deal; what was bid in the one before is void."""

    deal: int
    first: Seat
    counts: tuple[int, int, int]
    hands: Hands
    bottom: tuple[int, ...] = ()
    """Never observed: the bottom cards become known with the landlord."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The table asks something and a limit begins."""

    question: Question
    seats: tuple[Seat, ...]
    at: int
    """When the limit began."""
    due: int
    """When the default is taken: sooner for a seat on autoplay."""
    numbers: tuple[int, ...] = ()
    """The decision of each seat in `seats`; empty once observed."""
    decision: int = 0
    """The observer's own decision; 0 for those who are not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BidMade:
    """A seat bid `bid`; 0 passed."""

    seat: Seat
    bid: int
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A seat called or declined."""

    seat: Seat
    call: bool
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Robbed:
    """A seat robbed or let it be."""

    seat: Seat
    rob: bool
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LandlordChosen:
    """The landlord takes the bottom cards, which are open from now on."""

    seat: Seat
    bid: int
    bottom: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleChosen:
    """A seat's own choice to double, which only that seat sees before all have chosen."""

    seat: Seat
    double: bool
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubled:
    """All have chosen; who doubled."""

    doubled: Flags


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsShown:
    """The landlord's hand lies open from now on."""

    seat: Seat
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Cards were played, in display order, with the reading that later plays must beat."""

    seat: Seat
    cards: tuple[int, ...]
    reading: Reading
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A seat passed."""

    seat: Seat
    auto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferMade:
    """A peasant asks the other to surrender with it; both see it and nobody else."""

    seat: Seat
    mate: Seat
    due: int
    decision: int
    """The mate's decision; 0 for the seat that made the offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRefused:
    """The offer is refused, by an answer or for want of one; both peasants see it."""

    seat: Seat
    mate: Seat
    auto: bool = False


class AutoplayCause(enum.Enum):
    """Why autoplay went on or off."""

    REQUEST = "REQUEST"
    TIMEOUT = "TIMEOUT"
    """Too many timeouts in a row, or one while offline."""
    LEFT = "LEFT"
    ACTED = "ACTED"
    """The seat acted by itself."""
    RETURNED = "RETURNED"
    """The seat's connection came back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoplayChanged:
    """A seat goes on or off autoplay."""

    seat: Seat
    on: bool
    cause: AutoplayCause
    at: int
    due: int | None = None
    """The table's new deadline where the seat is on turn; None where it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceChanged:
    """A seat's connection was lost or came back."""

    seat: Seat
    online: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """A player left the table for good; the seat plays on by itself."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksMoved:
    """Every running limit moved by a time in which nobody could act."""

    lost_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The game is over and the remaining hands are open."""

    ending: Ending
    hands: Hands


Event = (
    Dealt
    | Asked
    | BidMade
    | Called
    | Robbed
    | LandlordChosen
    | DoubleChosen
    | Doubled
    | CardsShown
    | Played
    | Passed
    | OfferMade
    | OfferRefused
    | AutoplayChanged
    | PresenceChanged
    | SeatLeft
    | ClocksMoved
    | Ended
)


def observe(event: Event, audience: Audience) -> Event | None:
    """`event` as `audience` sees it, or None where it sees nothing (RULES.md 8)."""
    match event:
        case Dealt():
            return replace(event, hands=only_own(event.hands, audience), bottom=())
        case Asked():
            return replace(event, numbers=(), decision=_own_decision(event, audience))
        case DoubleChosen():
            return event if audience == event.seat else None
        case OfferMade() | OfferRefused():
            return _within_the_side(event, audience)
        case (
            BidMade()
            | Called()
            | Robbed()
            | LandlordChosen()
            | Doubled()
            | CardsShown()
            | Played()
            | Passed()
            | AutoplayChanged()
            | PresenceChanged()
            | SeatLeft()
            | ClocksMoved()
            | Ended()
        ):
            return event
        case _:
            assert_never(event)


def only_own(hands: Hands, audience: Audience) -> Hands:
    """The hands with all but the audience's own hidden."""
    first, second, third = (hand if seat == audience else () for seat, hand in enumerate(hands))
    return first, second, third


def _own_decision(event: Asked, audience: Audience) -> int:
    """A decision's number stays with its seat: it would give away how many offers it has heard."""
    for seat, number in zip(event.seats, event.numbers, strict=True):
        if seat == audience:
            return number
    return 0


def _within_the_side(event: OfferMade | OfferRefused, audience: Audience) -> Event | None:
    if audience == event.mate:
        return event
    if audience != event.seat:
        return None
    return replace(event, decision=0) if isinstance(event, OfferMade) else event
