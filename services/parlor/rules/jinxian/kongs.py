"""Kongs (杠) of all kinds, once nobody can stop them (RULES.md 6.5, 6.6, 13.2)."""

from parlor.rules.game import Seat
from parlor.rules.jinxian.events import Booked, Melded, PhaseChanged
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.payments import kong_payments
from parlor.rules.jinxian.state import State, Step, then
from parlor.rules.jinxian.table import Phase, PhaseReason
from parlor.rules.jinxian.tiles import COPIES
from parlor.rules.jinxian.turns import draw_replacement


def is_concealed(state: State, seat: Seat, tile: int) -> bool:
    """Whether a kong of the kind on the own turn is a concealed one (暗杠), not added to a pong."""
    return state.hands[seat].count(tile) == COPIES


def concealed_kong(step: Step, seat: Seat, tile: int, at: int) -> Step:
    """Lays four of the hand on the table."""
    meld = Meld(type=MeldType.CONCEALED_KONG, kinds=(tile,) * COPIES)
    return _complete(step, seat, meld, at)


def exposed_kong(step: Step, seat: Seat, tile: int, at: int) -> Step:
    """Takes the discard to three of the hand (明杠)."""
    source = step.state.table.active
    meld = Meld(type=MeldType.KONG, kinds=(tile,) * COPIES, taken=tile, source=source)
    return _complete(step, seat, meld, at)


def added_kong(step: Step, seat: Seat, tile: int, at: int) -> Step:
    """Adds the fourth tile to the seat's pong (补杠); it was not robbed."""
    if step.state.table.phase is Phase.RESPONDING:
        step = then(step, PhaseChanged(phase=Phase.PLAYING, reason=PhaseReason.KONG_COMPLETED))
    pong = next(
        meld
        for meld in step.state.table.melds[seat]
        if meld.type is MeldType.PONG and meld.kinds[0] == tile
    )
    meld = Meld(
        type=MeldType.ADDED_KONG,
        kinds=(tile,) * COPIES,
        taken=pong.taken,
        source=pong.source,
    )
    return _complete(step, seat, meld, at)


def _complete(step: Step, seat: Seat, meld: Meld, at: int) -> Step:
    config = step.state.config
    hidden = meld.type is MeldType.CONCEALED_KONG and config.concealed_kong_hidden
    step = then(step, Melded(seat=seat, meld=meld, hidden=hidden))
    if config.scoring.kong_score:
        step = then(step, Booked(deltas=kong_payments(seat, meld.type)))
    return draw_replacement(step, seat, at)
