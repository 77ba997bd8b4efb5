"""Whether an action is allowed, and the step it makes (RULES.md 4 to 7).

Checks come in a fixed order and the first that fails is the answer: is the decision still the
seat's newest, is it the time for such an action, is it the seat's turn, and then the action itself.
A consent answers an offer and no question of the table: where there is none, its number is no matter.
"""

from typing import assert_never

from parlor.rules.doudizhu import bidding, doubling, playing
from parlor.rules.doudizhu import surrender as giving_up
from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Consent,
    Double,
    Pass,
    Play,
    Rob,
    SetAutoplay,
    Show,
    Surrender,
    TableAnswer,
)
from parlor.rules.doudizhu.autoplay import acted, set_autoplay
from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.combos import combo_rules
from parlor.rules.doudizhu.config import Bidding
from parlor.rules.doudizhu.dealing import is_classic
from parlor.rules.doudizhu.events import AutoplayCause, CardsShown
from parlor.rules.doudizhu.state import State, Step, then
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.reasons import Reason


def apply(state: State, seat: Seat, action: Action, at: int) -> Step:
    """The step that `seat` asks for; raises `IllegalAction` where the rules refuse it."""
    if not 0 <= seat < SEATS:
        raise ValueError(f"no such seat: {seat}")
    if state.table.left[seat]:
        raise IllegalAction(Reason.WRONG_PHASE, f"seat {seat} has left the table")
    step: Step = Transition(state=state)
    match action:
        case Bid() | Call() | Rob() | Double() | Play() | Pass():
            _check_number(action.decision, state.places[seat].decision)
            return _answer(step, seat, action, at)
        case Consent():
            return _consent(step, seat, action)
        case Show():
            return _show(step, seat, at)
        case Surrender():
            return _surrender(step, seat, at)
        case SetAutoplay():
            return _set_autoplay(step, seat, action, at)
        case _:
            assert_never(action)


def _answer(step: Step, seat: Seat, action: TableAnswer, at: int) -> Step:
    match action:
        case Bid():
            return _bid(step, seat, action.bid, at)
        case Call():
            _check_bidding(step.state, seat, Question.CALL)
            return bidding.call(acted(step, seat, at), seat, action.call, at)
        case Rob():
            _check_bidding(step.state, seat, Question.ROB)
            return bidding.rob(acted(step, seat, at), seat, action.rob, at)
        case Double():
            return _double(step, seat, action.double, at)
        case Play():
            return _play(step, seat, action, at)
        case Pass():
            _check_turn(step.state, seat, Phase.PLAYING)
            if step.state.table.trick is None:
                raise IllegalAction(Reason.MUST_LEAD, f"seat {seat} leads and must play")
            return playing.pass_turn(acted(step, seat, at), seat, at)
        case _:
            assert_never(action)


def _bid(step: Step, seat: Seat, number: int, at: int) -> Step:
    _check_bidding(step.state, seat, Question.BID)
    if not 0 <= number <= bidding.HIGHEST_BID:
        raise IllegalAction(Reason.BAD_BID, f"a bid is 0..{bidding.HIGHEST_BID}: {number}")
    lowest = bidding.lowest_bid(step.state.table)
    if 0 < number < lowest:
        raise IllegalAction(Reason.BID_TOO_LOW, f"bid {lowest} or more, or 0: {number}")
    return bidding.bid(acted(step, seat, at), seat, number, at)


def _double(step: Step, seat: Seat, wants: bool, at: int) -> Step:
    """Hidden from the others, so autoplay stays as it is until the choices are revealed."""
    _check_phase(step.state, Phase.DOUBLING)
    if step.state.places[seat].double is not None:
        raise IllegalAction(Reason.ALREADY_CHOSEN, f"seat {seat} has chosen")
    return doubling.double(step, seat, wants, at)


def _play(step: Step, seat: Seat, action: Play, at: int) -> Step:
    state = step.state
    _check_turn(state, seat, Phase.PLAYING)
    playing.check_cards(state.hands[seat], action.cards)
    trick = state.table.trick
    led = trick.reading if trick else None
    reading = playing.read(action.cards, action.claim, led, combo_rules(state.config))
    return playing.play(acted(step, seat, at), seat, action.cards, reading, at)


def _consent(step: Step, seat: Seat, action: Consent) -> Step:
    _check_phase(step.state, Phase.PLAYING)
    offer = step.state.offer
    if offer is None or offer.mate != seat:
        raise IllegalAction(Reason.NO_OFFER, f"nothing was offered to seat {seat}")
    _check_number(action.decision, offer.decision)
    return giving_up.consent(step, action.consent)


def _show(step: Step, seat: Seat, at: int) -> Step:
    table = step.state.table
    if not step.state.config.show_cards or is_classic(step.state.config):
        raise IllegalAction(Reason.DISABLED, "hands are not shown at this table")
    if seat != table.landlord:
        raise IllegalAction(Reason.NOT_LANDLORD, f"seat {seat} is not the landlord")
    if table.shown:
        raise IllegalAction(Reason.ALREADY_CHOSEN, "the hand lies open already")
    if table.phase is Phase.OVER or table.plays[seat]:
        raise IllegalAction(Reason.WRONG_PHASE, "only before the landlord's first play")
    step = acted(step, seat, at)
    return then(step, CardsShown(seat=seat, cards=step.state.hands[seat]))


def _surrender(step: Step, seat: Seat, at: int) -> Step:
    """A peasant's offer is hidden from the landlord, so it leaves autoplay as it is."""
    if not step.state.config.surrender:
        raise IllegalAction(Reason.DISABLED, "nobody surrenders at this table")
    _check_phase(step.state, Phase.PLAYING)
    if giving_up.needs_consent(step.state, seat) and step.state.offered:
        raise IllegalAction(Reason.ALREADY_CHOSEN, "the peasants have made their offer")
    return giving_up.surrender(step, seat, at)


def _set_autoplay(step: Step, seat: Seat, action: SetAutoplay, at: int) -> Step:
    if step.state.table.phase is Phase.OVER:
        raise IllegalAction(Reason.WRONG_PHASE, "the game is over")
    if step.state.table.autoplay[seat] == action.on:
        raise IllegalAction(Reason.ALREADY_CHOSEN, f"autoplay is {action.on} already")
    return set_autoplay(step, seat, action.on, AutoplayCause.REQUEST, at)


def _check_number(number: int, newest: int) -> None:
    """An answer counts only for the newest question: a late click must not answer the next one."""
    if number != newest:
        raise IllegalAction(Reason.DECISION_OVER, f"decision {number}, the newest is {newest}")


def _check_phase(state: State, phase: Phase) -> None:
    if state.table.phase is not phase:
        raise IllegalAction(
            Reason.WRONG_PHASE, f"for {phase.value}, and this is {state.table.phase.value}"
        )


def _check_turn(state: State, seat: Seat, phase: Phase) -> None:
    _check_phase(state, phase)
    asked = state.table.deadline
    if asked is None or seat not in asked.seats:
        raise IllegalAction(Reason.NOT_YOUR_TURN, f"it is not the turn of seat {seat}")


def _check_bidding(state: State, seat: Seat, question: Question) -> None:
    """Also refuses a word of the other way to bid, or of its other stage."""
    _check_turn(state, seat, Phase.BIDDING)
    asked = state.table.deadline
    if asked is None or asked.question is not question:
        way = Bidding.SCORE if question is Question.BID else Bidding.CALL
        raise IllegalAction(Reason.BAD_ACTION, f"not asked for a {question.value} ({way.value})")
