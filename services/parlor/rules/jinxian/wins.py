"""Which win a seat has on the tile in question (RULES.md 6.1, 6.4)."""

from parlor.rules.game import Seat
from parlor.rules.jinxian import scoring
from parlor.rules.jinxian.config import PassedWinLock
from parlor.rules.jinxian.hands import Hand, Situation, Special, WinBy
from parlor.rules.jinxian.jing import Jing, holds_jing
from parlor.rules.jinxian.options import Bawang
from parlor.rules.jinxian.state import ALL_SEATS, State
from parlor.rules.jinxian.table import Table
from parlor.rules.jinxian.tiles import without


def self_drawn(state: State) -> scoring.Win | None:
    """The win of the active seat with the tile that it has just drawn."""
    seat, tile = state.table.active, state.drawn
    if tile is None:
        return None
    hand = Hand(concealed=without(state.hands[seat], (tile,)), melds=state.table.melds[seat])
    return _win(state, seat, hand, tile, WinBy.SELF_DRAW)


def on_offered(state: State, seat: Seat) -> scoring.Win | None:
    """The win of `seat` with the offered tile; None also where it is locked (RULES.md 6.4)."""
    passed = state.places[seat].passed
    lock = state.config.passed_win_lock
    if passed and lock is PassedWinLock.UNTIL_DRAW:
        return None
    hand = Hand(concealed=state.hands[seat], melds=state.table.melds[seat])
    win = _win(state, seat, hand, offered_tile(state.table), offered_by(state.table))
    if win is not None and passed and lock is PassedWinLock.UNTIL_DRAW_UNLESS_HIGHER:
        return win if win.total > passed else None
    return win


def offered_tile(table: Table) -> int:
    """The kind that lies open to claims: the last discard, or the one added to a pong."""
    return table.river[-1].tile if table.adding is None else table.adding


def offered_by(table: Table) -> WinBy:
    """How a win on the offered tile comes about."""
    return WinBy.DISCARD if table.adding is None else WinBy.ROB_KONG


def special_of(table: Table, seat: Seat, by: WinBy) -> Special | None:
    """Whether a win would be one of the first turn (天胡, 地胡; WINNING.md 8)."""
    if any(meld.is_kong for melds in table.melds for meld in melds):
        return None
    if by is WinBy.SELF_DRAW and seat == table.dealer and not table.river:
        return Special.TIANHU
    if by is WinBy.DISCARD and len(table.river) == 1:
        return Special.DIHU
    return None


def jing_of_round(table: Table) -> Jing:
    """The jing, which is known before anybody may act."""
    assert table.jing is not None, "turned before the first turn"
    return table.jing


def _win(state: State, seat: Seat, hand: Hand, tile: int, by: WinBy) -> scoring.Win | None:
    jing, options = jing_of_round(state.table), state.config.scoring
    # Nearly every tile completes nothing, and this check is many times faster than the account.
    if not scoring.can_win(hand, tile, jing=jing, by=by, options=options):
        return None
    situation = Situation(
        by=by,
        after_kong=by is WinBy.SELF_DRAW and state.is_replacement,
        special=special_of(state.table, seat, by),
        others_hold_jing=options.bawang is not Bawang.OFF and _others_hold_jing(state, seat),
        discards=state.table.discards_of(seat),
    )
    return scoring.best_win(hand, tile, jing=jing, situation=situation, options=options)


def _others_hold_jing(state: State, seat: Seat) -> bool:
    """Whether another seat has a jing; a tile about to be robbed is no longer the konger's."""
    table, jing = state.table, jing_of_round(state.table)
    for other in ALL_SEATS:
        hand = state.hands[other]
        if table.adding is not None and other == table.active:
            hand = without(hand, (table.adding,))
        if other != seat and holds_jing(jing, hand, table.melds[other]):
            return True
    return False
