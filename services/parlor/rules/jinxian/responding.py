"""The claim window: hidden answers to an offered tile, and what comes of them (RULES.md 6).

An answer is an event for its seat alone. The table hears of a window only that it opens, until
when, and what took the tile when it closes.
"""

from dataclasses import replace
from typing import assert_never

from parlor.rules.game import Seat
from parlor.rules.jinxian import kongs
from parlor.rules.jinxian.claims import best_claim, claimants, is_decided, passed_win, pending
from parlor.rules.jinxian.deadlines import ask, is_on_autoplay
from parlor.rules.jinxian.events import Answer, Answered, Claim, Melded, Options, PhaseChanged
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.settling import win_round
from parlor.rules.jinxian.state import State, Step, then, with_place
from parlor.rules.jinxian.table import Phase, PhaseReason, Question
from parlor.rules.jinxian.tiles import in_order, seat_after
from parlor.rules.jinxian.turns import ask_discard, draw
from parlor.rules.jinxian.wins import offered_by, offered_tile, on_offered


def open_window(step: Step, reason: PhaseReason, at: int) -> Step | None:
    """Asks who wants the offered tile; None where no seat could take it."""
    options = claimants(step.state)
    if not options:
        return None
    step = then(step, PhaseChanged(phase=Phase.RESPONDING, reason=reason))
    return ask(step, Question.CLAIM, options, at)


def answer(step: Step, seat: Seat, given: Answer, at: int, *, auto: bool = False) -> Step:
    """A seat's answer, which has been checked; the last that matters closes the window."""
    passed = passed_win(step.state, seat, given.claim)
    if not auto and step.state.table.autoplay[seat]:
        step = _woke(step, seat)
    step = then(step, Answered(seat=seat, answer=given, passed=passed, auto=auto))
    return _resolve(step, at) if is_decided(step.state) else step


def close(step: Step, at: int) -> Step:
    """The limit is over: the default answers for all that are still out."""
    for seat in pending(step.state):
        given = default_answer(step.state, seat)
        passed = passed_win(step.state, seat, given.claim)
        step = then(step, Answered(seat=seat, answer=given, passed=passed, auto=True))
    return _resolve(step, at)


def default_answer(state: State, seat: Seat) -> Answer:
    """A win where the options take it, else a pass (RULES.md 11.2)."""
    options = state.places[seat].options or Options()
    return Answer(Claim.WIN if options.win and state.config.auto_win else Claim.PASS)


def on_autoplay(state: State) -> tuple[Seat, ...]:
    """The seats whose answer is out and comes from the server."""
    return tuple(seat for seat in pending(state) if is_on_autoplay(state, seat))


def _woke(step: Step, seat: Seat) -> Step:
    """Remembers that the seat is back; that it was asked at all is not for the others to see."""
    place = replace(step.state.places[seat], woke=True)
    return replace(step, state=with_place(step.state, seat, place))


def _resolve(step: Step, at: int) -> Step:
    best = best_claim(step.state)
    if best is None:
        return _unclaimed(step, at)
    seat, given = best
    tile = offered_tile(step.state.table)
    if given.claim is Claim.WIN:
        win = on_offered(step.state, seat)
        assert win is not None, "offered to the seat when the window opened"
        return win_round(step, seat, win, offered_by(step.state.table), at)
    step = then(step, PhaseChanged(phase=Phase.PLAYING, reason=PhaseReason.CLAIM_TAKEN))
    match given.claim:
        case Claim.KONG:
            return kongs.exposed_kong(step, seat, tile, at)
        case Claim.PONG:
            return _laid(step, seat, MeldType.PONG, (tile, tile), at)
        case Claim.CHOW:
            return _laid(step, seat, MeldType.CHOW, given.chow or (), at)
        case Claim.PASS:
            raise AssertionError("a pass takes nothing")
        case _:
            assert_never(given.claim)


def _unclaimed(step: Step, at: int) -> Step:
    """The kong is completed, or the next seat draws."""
    table = step.state.table
    if table.adding is not None:
        return kongs.added_kong(step, table.active, table.adding, at)
    step = then(step, PhaseChanged(phase=Phase.PLAYING, reason=PhaseReason.ALL_PASSED))
    return draw(step, seat_after(table.active), at)


def _laid(step: Step, seat: Seat, kind: MeldType, own: tuple[int, ...], at: int) -> Step:
    """A chow or pong with two tiles of the hand; the seat must discard next (RULES.md 5.3)."""
    table = step.state.table
    tile = offered_tile(table)
    meld = Meld(type=kind, kinds=in_order((*own, tile)), taken=tile, source=table.active)
    return ask_discard(then(step, Melded(seat=seat, meld=meld)), at)
