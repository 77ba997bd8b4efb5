"""What the seat on turn does: discard, declare a kong, win by self-draw (RULES.md 5, 6)."""

from parlor.rules.game import Seat
from parlor.rules.jinxian import kongs
from parlor.rules.jinxian.events import Booked, Discarded, KongDeclared
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.payments import chaozhuang_payments
from parlor.rules.jinxian.responding import open_window
from parlor.rules.jinxian.settling import win_round
from parlor.rules.jinxian.state import Step, then
from parlor.rules.jinxian.table import PhaseReason, Table
from parlor.rules.jinxian.tiles import SEATS, seat_after, seats_apart
from parlor.rules.jinxian.turns import draw
from parlor.rules.jinxian.wins import self_drawn


def discard(step: Step, seat: Seat, tile: int, at: int, *, auto: bool = False) -> Step:
    """Lays the tile on the table; if nobody can take it, the next seat draws."""
    step = then(step, Discarded(seat=seat, tile=tile, auto=auto))
    if step.state.config.scoring.chaozhuang and is_chaozhuang(step.state.table):
        step = then(step, Booked(deltas=chaozhuang_payments(step.state.table.dealer)))
    opened = open_window(step, PhaseReason.DISCARD, at)
    return opened or draw(step, seat_after(seat), at)


def kong(step: Step, seat: Seat, tile: int, at: int) -> Step:
    """A kong on the own turn; an added one can be robbed by a win (抢杠) before it is complete."""
    if kongs.is_concealed(step.state, seat, tile):
        return kongs.concealed_kong(step, seat, tile, at)
    declared = then(step, KongDeclared(seat=seat, tile=tile))
    opened = open_window(declared, PhaseReason.ADDED_KONG, at)
    return opened or kongs.added_kong(declared, seat, tile, at)


def win(step: Step, seat: Seat, at: int) -> Step:
    """A win with the drawn tile (自摸)."""
    won = self_drawn(step.state)
    assert won is not None, "checked: the hand is complete"
    return win_round(step, seat, won, WinBy.SELF_DRAW, at)


def is_chaozhuang(table: Table) -> bool:
    """Whether the first four discards, the dealer's first and none claimed, are alike (抄庄)."""
    return len(table.river) == SEATS and all(
        discard.tile == table.river[0].tile
        and not discard.claimed
        and seats_apart(table.dealer, discard.seat) == place
        for place, discard in enumerate(table.river)
    )
