"""Who may claim an offered tile, and whose claim takes it (RULES.md 6.1 to 6.4)."""

from parlor.rules.game import Seat
from parlor.rules.jinxian.config import PassedWinLock
from parlor.rules.jinxian.events import Answer, Claim, Options
from parlor.rules.jinxian.melds import can_kong, can_pong, chows
from parlor.rules.jinxian.state import ALL_SEATS, State
from parlor.rules.jinxian.tiles import seat_after, seats_apart
from parlor.rules.jinxian.wins import offered_tile, on_offered

Rank = tuple[int, int]
"""Kind of the claim and distance from the seat that offers; the lowest takes the tile."""

_LEVELS = {Claim.WIN: 0, Claim.KONG: 1, Claim.PONG: 2, Claim.CHOW: 3}


def claimants(state: State) -> dict[Seat, Options]:
    """The seats that may claim the offered tile, with what each may do."""
    offering = state.table.active
    found = {seat: _options(state, seat) for seat in ALL_SEATS if seat != offering}
    return {seat: options for seat, options in found.items() if options}


def pending(state: State) -> tuple[Seat, ...]:
    """The seats whose answer to the offered tile is still out, ascending."""
    return tuple(
        seat
        for seat in ALL_SEATS
        if state.places[seat].options is not None and state.places[seat].answer is None
    )


def best_claim(state: State) -> tuple[Seat, Answer] | None:
    """The claim that takes the tile, of those that were made; None while all have passed."""
    made = [
        (rank, seat, place.answer)
        for seat, place in zip(ALL_SEATS, state.places, strict=True)
        if place.answer is not None and (rank := _rank(state, seat, place.answer.claim)) is not None
    ]
    if not made:
        return None
    _, seat, answer = min(made)
    return seat, answer


def is_decided(state: State) -> bool:
    """Whether no answer that is still out could change who takes the tile."""
    best = best_claim(state)
    if best is None:
        return not pending(state)
    taken = _rank(state, best[0], best[1].claim)
    assert taken is not None, "the best claim is no pass"
    return not any(rank < taken for seat in pending(state) for rank in _possible(state, seat))


def passed_win(state: State, seat: Seat, claim: Claim) -> int:
    """The total of the win that an answer declines, which locks the seat; 0 where it does not."""
    options = state.places[seat].options
    if options is None or claim is Claim.WIN:
        return 0
    return 0 if state.config.passed_win_lock is PassedWinLock.OFF else options.win


def is_offered(options: Options, answer: Answer) -> bool:
    """Whether the answer is among what the seat may do."""
    match answer.claim:
        case Claim.WIN:
            return options.win > 0
        case Claim.KONG:
            return bool(options.kongs)
        case Claim.PONG:
            return options.pong
        case Claim.CHOW:
            return answer.chow in options.chows
        case Claim.PASS:
            return True


def _options(state: State, seat: Seat) -> Options:
    table, hand, tile = state.table, state.hands[seat], offered_tile(state.table)
    win = on_offered(state, seat)
    total = win.total if win else 0
    # A kong can only be robbed, and at the end of the wall a discard only be won on.
    if table.adding is not None or table.drawable == 0:
        return Options(win=total)
    honour_chow = state.config.scoring.honour_chow
    is_next = seat == seat_after(table.active)
    return Options(
        win=total,
        kongs=(tile,) if can_kong(hand, tile) else (),
        pong=can_pong(hand, tile),
        chows=chows(hand, tile, honour_chow=honour_chow) if is_next else (),
    )


def _rank(state: State, seat: Seat, claim: Claim) -> Rank | None:
    if claim is Claim.PASS:
        return None
    return _LEVELS[claim], seats_apart(state.table.active, seat)


def _possible(state: State, seat: Seat) -> list[Rank]:
    """The ranks of what the seat could still claim."""
    options = state.places[seat].options or Options()
    offered = {
        Claim.WIN: options.win > 0,
        Claim.KONG: bool(options.kongs),
        Claim.PONG: options.pong,
        Claim.CHOW: bool(options.chows),
    }
    distance = seats_apart(state.table.active, seat)
    return [(_LEVELS[claim], distance) for claim, may in offered.items() if may]
