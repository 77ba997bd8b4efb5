"""What one audience knows: the table, its own cards and what it is asked (RULES.md 8)."""

from dataclasses import dataclass, replace

from parlor.rules.doudizhu.bidding import HIGHEST_BID, lowest_bid
from parlor.rules.doudizhu.cards import in_display_order, without
from parlor.rules.doudizhu.chronicle import after
from parlor.rules.doudizhu.combos import Reading
from parlor.rules.doudizhu.config import Config
from parlor.rules.doudizhu.events import (
    Asked,
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
    Played,
    only_own,
)
from parlor.rules.doudizhu.scoring import Factor, factors, multiplier
from parlor.rules.doudizhu.state import Offer, State, with_hand
from parlor.rules.doudizhu.table import Phase, Question, Spring, Table
from parlor.rules.game import Audience, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the table asks the seat that holds the view."""

    question: Question
    decision: int
    """The number that the answer names."""
    due: int
    """When the default is taken, in ms of the server's clock."""
    lowest_bid: int = 0
    """The lowest bid that is no pass; 0 where no bid is asked for."""
    bids: tuple[int, ...] = ()
    """The bids that it may make, ascending, a pass among them; empty where no bid is asked for."""
    may_pass: bool = False
    """Whether the seat may pass instead of playing."""
    to_beat: Reading | None = None
    """The reading to beat; None where the seat leads or is asked something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one audience sees it."""

    config: Config
    seat: Audience
    table: Table
    hands: Hands
    """Known cards by seat, in display order; empty where hidden (`table.counts` always counts)."""
    decision: int = 0
    """Number of the newest question that the table put to this seat."""
    double: bool | None = None
    """This seat's own choice to double, once made."""
    offer: Offer | None = None
    """The open offer to surrender, for the peasants. Its decision is above 0 for the one to
    answer, who may be asked something by the table at the same time."""
    offered: bool = False
    """Whether the peasants have made their one offer, as far as this audience may know."""
    prompt: Prompt | None = None
    """What the table asks this seat now."""
    may_show: bool = False
    """Whether this seat may lay its hand open now."""
    may_surrender: bool = False
    """Whether this seat may surrender now, or ask the other peasant to."""
    surrender_needs_consent: bool = False
    """Whether the other peasant has to agree before this seat's surrender ends the game."""
    factors: tuple[Factor, ...] = ()
    """What multiplies the base score by now, in the order in which it is counted."""
    multiplier: int = 1
    """Their product."""


def view(state: State, audience: Audience) -> View:
    """All that `audience` may know."""
    in_side = audience is not None and audience != state.table.landlord
    offer = state.offer if in_side else None
    if offer is not None and offer.mate != audience:
        offer = replace(offer, decision=0)
    place = None if audience is None else state.places[audience]
    return _settled(
        View(
            config=state.config,
            seat=audience,
            table=state.table,
            hands=_known_hands(state, audience),
            decision=place.decision if place else 0,
            double=place.double if place else None,
            offer=offer,
            offered=state.offered and in_side,
        )
    )


def fold(seen: View, event: Event) -> View:
    """The view after an event that its audience observed."""
    seen = replace(seen, table=after(seen.table, event))
    match event:
        case Dealt():
            seen = replace(seen, hands=event.hands)
        case Asked():
            seen = replace(seen, decision=event.decision or seen.decision)
        case LandlordChosen():
            seen = _took_bottom(seen, event)
        case DoubleChosen():
            seen = replace(seen, double=event.double)
        case CardsShown():
            seen = replace(seen, hands=with_hand(seen.hands, event.seat, event.cards))
        case Played():
            hand = without(seen.hands[event.seat], event.cards)
            seen = replace(seen, hands=with_hand(seen.hands, event.seat, hand))
        case OfferMade():
            offer = Offer(seat=event.seat, mate=event.mate, decision=event.decision, due=event.due)
            seen = replace(seen, offer=offer, offered=True)
        case OfferRefused():
            seen = replace(seen, offer=None)
        case ClocksMoved():
            later = seen.offer and replace(seen.offer, due=seen.offer.due + event.lost_ms)
            seen = replace(seen, offer=later)
        case Ended():
            seen = replace(seen, hands=event.hands, offer=None)
        case _:
            pass
    return _settled(seen)


def _known_hands(state: State, audience: Audience) -> Hands:
    table = state.table
    if table.phase is Phase.OVER:
        return state.hands
    known = only_own(state.hands, audience)
    if table.shown and table.landlord is not None:
        known = with_hand(known, table.landlord, state.hands[table.landlord])
    return known


def _took_bottom(seen: View, event: LandlordChosen) -> View:
    """The landlord sees his twenty cards; for the others only the count has changed."""
    if seen.seat != event.seat:
        return seen
    hand = in_display_order(seen.hands[event.seat] + event.bottom)
    return replace(seen, hands=with_hand(seen.hands, event.seat, hand))


def _settled(seen: View) -> View:
    """The view with what follows from the rest of it."""
    may_surrender = _may_surrender(seen)
    ending = seen.table.ending
    found = factors(seen.config, seen.table, Spring.NONE if ending is None else ending.spring)
    return replace(
        seen,
        prompt=_prompt(seen),
        may_show=_may_show(seen),
        may_surrender=may_surrender,
        surrender_needs_consent=may_surrender and seen.table.landlord not in (None, seen.seat),
        factors=found,
        multiplier=multiplier(found),
    )


def _may_show(seen: View) -> bool:
    table, seat = seen.table, seen.seat
    if not seen.config.show_cards or table.phase is Phase.OVER or seat is None or table.left[seat]:
        return False
    return seat == table.landlord and not table.shown and table.plays[seat] == 0


def _may_surrender(seen: View) -> bool:
    table, seat = seen.table, seen.seat
    if not seen.config.surrender or table.phase is not Phase.PLAYING:
        return False
    if seat is None or table.left[seat]:
        return False
    return table.landlord in (None, seat) or not seen.offered


def _prompt(seen: View) -> Prompt | None:
    """What the table asks the view's seat, from what the view holds already."""
    asked = seen.table.deadline
    if asked is None or seen.seat is None or Seat(seen.seat) not in asked.seats:
        return None
    if asked.question is Question.DOUBLE and seen.double is not None:
        return None
    trick = seen.table.trick
    lowest = lowest_bid(seen.table) if asked.question is Question.BID else 0
    return Prompt(
        question=asked.question,
        decision=seen.decision,
        due=asked.due,
        lowest_bid=lowest,
        bids=(0, *range(lowest, HIGHEST_BID + 1)) if lowest else (),
        may_pass=asked.question is Question.PLAY and trick is not None,
        to_beat=trick.reading if asked.question is Question.PLAY and trick else None,
    )
