"""Giving up (RULES.md 5.4 and 6.3): at once by a single seat, by consent of both peasants."""

from parlor.rules.doudizhu.events import OfferMade, OfferRefused
from parlor.rules.doudizhu.playing import end
from parlor.rules.doudizhu.state import ALL_SEATS, State, Step, next_number, then
from parlor.rules.doudizhu.table import EndReason
from parlor.rules.game import Seat


def needs_consent(state: State, seat: Seat) -> bool:
    """Whether the seat is a peasant, who cannot give up alone."""
    return state.table.landlord is not None and seat != state.table.landlord


def surrender(step: Step, seat: Seat, at: int) -> Step:
    """Ends the game, or asks the other peasant."""
    if not needs_consent(step.state, seat):
        return end(step, EndReason.SURRENDER, seat)
    mate = _mate(step.state, seat)
    step = then(
        step,
        OfferMade(
            seat=seat,
            mate=mate,
            due=at + step.state.config.consent_ms,
            decision=next_number(step.state.places[mate]),
        ),
    )
    return refuse_unattended(step)


def consent(step: Step, agrees: bool) -> Step:
    """The other peasant's answer to the open offer."""
    offer = step.state.offer
    assert offer is not None, "checked: an offer is open"
    if agrees:
        return end(step, EndReason.SURRENDER, offer.seat)
    return then(step, OfferRefused(seat=offer.seat, mate=offer.mate))


def refuse_unattended(step: Step) -> Step:
    """Refuses the open offer when the one to answer is offline or on autoplay."""
    offer = step.state.offer
    table = step.state.table
    if offer is None or (table.online[offer.mate] and not table.autoplay[offer.mate]):
        return step
    return refuse_late(step)


def refuse_late(step: Step) -> Step:
    """Refuses the open offer because nobody has answered it."""
    offer = step.state.offer
    assert offer is not None, "an offer's clock runs only while it is open"
    return then(step, OfferRefused(seat=offer.seat, mate=offer.mate, auto=True))


def _mate(state: State, peasant: Seat) -> Seat:
    (mate,) = (seat for seat in ALL_SEATS if seat not in (peasant, state.table.landlord))
    return mate
