"""Whether an action is allowed, and the step it makes (RULES.md 5, 6, 10).

Checks come in a fixed order and the first that fails is the answer: is the decision still the
seat's newest, is it the time for such an action, is the seat asked, and then the action itself.
"""

from typing import assert_never

from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.jinxian import playing, responding, rounds
from parlor.rules.jinxian.actions import (
    Action,
    Chow,
    ClaimAction,
    Continue,
    Discard,
    Kong,
    Pass,
    Pong,
    StopAutoplay,
    TurnAction,
    Win,
)
from parlor.rules.jinxian.autoplay import acted
from parlor.rules.jinxian.claims import is_offered
from parlor.rules.jinxian.events import Answer, Claim, Options
from parlor.rules.jinxian.state import State, Step
from parlor.rules.jinxian.table import Phase, Question
from parlor.rules.jinxian.tiles import KINDS, SEATS, in_order
from parlor.rules.jinxian.wins import offered_tile
from parlor.rules.reasons import Reason


def apply(state: State, seat: Seat, action: Action, at: int) -> Step:
    """The step that `seat` asks for; raises `IllegalAction` where the rules refuse it."""
    if not 0 <= seat < SEATS:
        raise ValueError(f"no such seat: {seat}")
    if state.table.left[seat]:
        raise IllegalAction(Reason.WRONG_PHASE, f"seat {seat} has left the table")
    if state.table.phase is Phase.GAME_END:
        raise IllegalAction(Reason.WRONG_PHASE, "the game is over")
    step: Step = Transition(state=state)
    if isinstance(action, StopAutoplay):
        return _stop_autoplay(step, seat, at)
    newest = state.places[seat].decision
    if action.decision != newest:
        raise IllegalAction(
            Reason.DECISION_OVER, f"decision {action.decision}, the newest is {newest}"
        )
    return _answer(step, seat, action, at)


def _answer(step: Step, seat: Seat, action: TurnAction | ClaimAction | Continue, at: int) -> Step:
    match action:
        case Continue():
            _check_phase(step.state, Phase.ROUND_END)
            if not _is_asked(step.state, seat):
                raise IllegalAction(Reason.ALREADY_CHOSEN, f"seat {seat} is ready already")
            return rounds.continue_round(acted(step, seat, at), seat, at)
        case Discard():
            return _turn(step, seat, action, at)
        case Chow() | Pong() | Pass():
            return _claim(step, seat, action, at)
        case Win() | Kong():
            if step.state.table.phase is Phase.RESPONDING:
                return _claim(step, seat, action, at)
            return _turn(step, seat, action, at)
        case _:
            assert_never(action)


def _turn(step: Step, seat: Seat, action: TurnAction, at: int) -> Step:
    _check_phase(step.state, Phase.PLAYING)
    if not _is_asked(step.state, seat):
        raise IllegalAction(Reason.NOT_YOUR_TURN, f"it is not the turn of seat {seat}")
    match action:
        case Discard():
            _check_tile(action.tile)
            if action.tile not in step.state.hands[seat]:
                raise IllegalAction(Reason.NOT_IN_HAND, f"seat {seat} lacks {action.tile}")
            return playing.discard(acted(step, seat, at), seat, action.tile, at)
        case Kong():
            _check_own_kong(step.state, seat, action.tile)
            return playing.kong(acted(step, seat, at), seat, action.tile, at)
        case Win():
            _check_may_more(step.state)
            if not _options(step.state, seat).win:
                raise IllegalAction(Reason.NOT_A_WIN, f"the hand of seat {seat} is no win")
            return playing.win(acted(step, seat, at), seat, at)
        case _:
            assert_never(action)


def _claim(step: Step, seat: Seat, action: ClaimAction, at: int) -> Step:
    """Hidden from the others, so autoplay stays as it is for now (RULES.md 12.4)."""
    _check_phase(step.state, Phase.RESPONDING)
    place = step.state.places[seat]
    if place.options is None:
        raise IllegalAction(Reason.NOT_YOUR_TURN, f"seat {seat} has no claim")
    if place.answer is not None:
        raise IllegalAction(Reason.ALREADY_CHOSEN, f"seat {seat} has answered")
    given = _given(step.state, action)
    if not is_offered(place.options, given):
        raise IllegalAction(_refusal(step.state, seat, given), f"{given.claim} is not offered")
    return responding.answer(step, seat, given, at)


def _given(state: State, action: ClaimAction) -> Answer:
    match action:
        case Win():
            return Answer(Claim.WIN)
        case Kong():
            _check_tile(action.tile)
            if action.tile != offered_tile(state.table):
                raise IllegalAction(Reason.CANNOT_CLAIM, f"{action.tile} is not offered")
            return Answer(Claim.KONG)
        case Pong():
            return Answer(Claim.PONG)
        case Chow():
            first, second = in_order(action.tiles)
            _check_tile(first)
            _check_tile(second)
            return Answer(Claim.CHOW, (first, second))
        case Pass():
            return Answer(Claim.PASS)
        case _:
            assert_never(action)


def _refusal(state: State, seat: Seat, given: Answer) -> Reason:
    """Why an answer is not among what was offered to the seat."""
    if given.claim is not Claim.WIN:
        return Reason.WALL_SPENT if state.table.drawable == 0 else Reason.CANNOT_CLAIM
    return Reason.WIN_LOCKED if state.places[seat].passed else Reason.NOT_A_WIN


def _stop_autoplay(step: Step, seat: Seat, at: int) -> Step:
    if not step.state.table.autoplay[seat]:
        raise IllegalAction(Reason.ALREADY_CHOSEN, f"seat {seat} is not on autoplay")
    return acted(step, seat, at)


def _check_phase(state: State, phase: Phase) -> None:
    if state.table.phase is not phase:
        raise IllegalAction(Reason.WRONG_PHASE, f"not in {state.table.phase.value}")


def _is_asked(state: State, seat: Seat) -> bool:
    asked = state.table.deadline
    return asked is not None and seat in asked.seats


def _check_tile(tile: int) -> None:
    if not 0 <= tile < KINDS:
        raise IllegalAction(Reason.BAD_TILE, f"a kind is 0..{KINDS - 1}: {tile}")


def _check_own_kong(state: State, seat: Seat, tile: int) -> None:
    _check_tile(tile)
    _check_may_more(state)
    if state.table.drawable == 0:
        raise IllegalAction(Reason.WALL_SPENT, "no tile is left to replace a kong")
    if tile not in _options(state, seat).kongs:
        raise IllegalAction(Reason.NOT_A_KONG, f"seat {seat} has no kong of {tile}")


def _check_may_more(state: State) -> None:
    """After a chow or pong a seat may only discard (RULES.md 5.3)."""
    asked = state.table.deadline
    if asked is not None and asked.question is Question.DISCARD:
        raise IllegalAction(Reason.MUST_DISCARD, "after a chow or pong comes a discard")


def _options(state: State, seat: Seat) -> Options:
    return state.places[seat].options or Options()
