"""Finding the landlord (RULES.md 6.1).

The functions take an answer that has been checked and give what follows from it.
"""

from parlor.rules.doudizhu.cards import seat_after
from parlor.rules.doudizhu.dealing import FIRST_QUESTIONS, deal_again
from parlor.rules.doudizhu.events import BidMade, Called, LandlordChosen, Robbed
from parlor.rules.doudizhu.state import ALL_SEATS, Step, ask, then
from parlor.rules.doudizhu.table import Question, Table
from parlor.rules.game import Seat

HIGHEST_BID = 3


def bid(step: Step, seat: Seat, number: int, at: int, *, auto: bool = False) -> Step:
    """A bid; the highest number ends the bidding at once."""
    step = then(step, BidMade(seat=seat, bid=number, auto=auto))
    if number == HIGHEST_BID:
        return _landlord(step, seat, number, at)
    return _go_on(step, seat, at)


def call(step: Step, seat: Seat, wants: bool, at: int, *, auto: bool = False) -> Step:
    """A call or its refusal."""
    return _go_on(then(step, Called(seat=seat, call=wants, auto=auto)), seat, at)


def rob(step: Step, seat: Seat, wants: bool, at: int, *, auto: bool = False) -> Step:
    """A rob or its refusal."""
    return _go_on(then(step, Robbed(seat=seat, rob=wants, auto=auto)), seat, at)


def lowest_bid(table: Table) -> int:
    """The lowest number that is a bid and no pass."""
    return table.bid + 1


def _go_on(step: Step, seat: Seat, at: int) -> Step:
    table = step.state.table
    is_call = FIRST_QUESTIONS[step.state.config.bidding] is Question.CALL
    following = _next_to_rob(table, seat) if is_call else _next_to_speak(table, seat)
    if following is not None:
        question = Question.BID
        if is_call:
            question = Question.CALL if table.bidder is None else Question.ROB
        return ask(step, question, (following,), at)
    if table.bidder is not None:
        return _landlord(step, table.bidder, table.bid, at)
    if table.deal < step.state.config.max_passed_deals:
        return deal_again(step, at)
    return _landlord(step, table.first, 1, at)


def _next_to_speak(table: Table, seat: Seat) -> Seat | None:
    """The next seat in turn that has not had its last word."""
    following = Seat(seat_after(seat))
    while following != seat and table.spoken[following]:
        following = Seat(seat_after(following))
    return None if table.spoken[following] else following


def _next_to_rob(table: Table, seat: Seat) -> Seat | None:
    """As above, but the caller, who comes last, is asked again only if somebody has robbed."""
    following = _next_to_speak(table, seat)
    return None if table.robs == 0 and following == table.bidder else following


def _landlord(step: Step, seat: Seat, number: int, at: int) -> Step:
    """The landlord takes the bottom cards; doubling follows where it is played, else his lead."""
    step = then(step, LandlordChosen(seat=seat, bid=number, bottom=step.state.bottom))
    if step.state.config.doubling:
        return ask(step, Question.DOUBLE, ALL_SEATS, at)
    return ask(step, Question.PLAY, (seat,), at)
