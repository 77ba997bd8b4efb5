"""The end of a round and of the game (RULES.md 9, 10 and 13)."""

from dataclasses import dataclass, replace

from parlor.rules.game import Seat
from parlor.rules.jinxian import scoring
from parlor.rules.jinxian.deadlines import ask
from parlor.rules.jinxian.events import Ended, Options, PhaseChanged, RoundEnded
from parlor.rules.jinxian.hands import Special, WinBy
from parlor.rules.jinxian.jing import Jing, jing_points
from parlor.rules.jinxian.options import JingSettlement, JingZones
from parlor.rules.jinxian.payments import (
    NOTHING,
    Deltas,
    Transfer,
    add,
    deltas,
    jing_settlement,
    transfers,
)
from parlor.rules.jinxian.state import ALL_SEATS, State, Step, then
from parlor.rules.jinxian.table import (
    Ending,
    EndReason,
    FourOf,
    Hands,
    Phase,
    PhaseReason,
    Question,
    RoundRecord,
    RoundResult,
    with_item,
)
from parlor.rules.jinxian.tiles import without
from parlor.rules.jinxian.wins import jing_of_round, special_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Won:
    """Who won, how, and against whom."""

    winner: Seat
    loser: Seat | None
    by: WinBy
    special: Special | None
    win: scoring.Win


def win_round(step: Step, winner: Seat, win: scoring.Win, by: WinBy, at: int) -> Step:
    """Ends the round with a win on the tile in question."""
    table = step.state.table
    won = _Won(
        winner=winner,
        loser=None if by is WinBy.SELF_DRAW else table.active,
        by=by,
        special=special_of(table, winner, by),
        win=win,
    )
    step = then(step, PhaseChanged(phase=Phase.ROUND_END, reason=PhaseReason.WIN))
    return _end_round(step, won, at)


def draw_round(step: Step, at: int) -> Step:
    """Ends the round without a winner (流局)."""
    step = then(step, PhaseChanged(phase=Phase.ROUND_END, reason=PhaseReason.DRAW))
    return _end_round(step, None, at)


def end_game(step: Step, reason: EndReason) -> Step:
    """Ends the game with the totals of the finished rounds; a round that runs is void."""
    scores = step.state.table.scores
    return then(
        step,
        PhaseChanged(phase=Phase.GAME_END, reason=PhaseReason[reason.name]),
        Ended(ending=Ending(reason=reason, scores=scores, ranks=ranks(scores))),
    )


def ranks(scores: Deltas) -> FourOf[int]:
    """The rank of each seat, from 1; equal scores share it.

    >>> ranks((5, -3, 5, -7))
    (1, 3, 1, 4)
    """
    first, second, third, fourth = (1 + sum(other > s for other in scores) for s in scores)
    return first, second, third, fourth


def _end_round(step: Step, won: _Won | None, at: int) -> Step:
    state = step.state
    hands = _final_hands(state, won)
    record = _record(state, won, hands)
    step = then(step, RoundEnded(record=record, hands=hands, melds=state.table.melds))
    # After the last round nothing is left to wait for.
    if record.number >= state.config.total_rounds:
        return end_game(step, EndReason.ALL_ROUNDS_COMPLETE)
    return ask(step, Question.CONTINUE, dict.fromkeys(ALL_SEATS, Options()), at)


def _final_hands(state: State, won: _Won | None) -> Hands:
    """The hands, from which a robbed tile is gone."""
    if won is None or won.by is not WinBy.ROB_KONG or won.loser is None:
        return state.hands
    return with_item(state.hands, won.loser, without(state.hands[won.loser], (won.win.tile,)))


def _record(state: State, won: _Won | None, hands: Hands) -> RoundRecord:
    table = state.table
    extras = add(table.booked, _jing_paid(state, won, hands))
    drawn = RoundRecord(
        number=table.round,
        dealer=table.dealer,
        dice=table.dice,
        jing=jing_of_round(table),
        result=RoundResult.DRAW,
        extras=extras,
        deltas=extras,
    )
    if won is None:
        return drawn
    paid = _transfers(state, won)
    return replace(
        drawn,
        result=RoundResult.WIN,
        winner=won.winner,
        loser=won.loser,
        by=won.by,
        special=won.special,
        win=won.win,
        transfers=paid,
        deltas=add(deltas(paid), extras),
    )


def _transfers(state: State, won: _Won) -> tuple[Transfer, ...]:
    return transfers(
        won.win.pay_total,
        winner=won.winner,
        dealer=state.table.dealer,
        by=won.by,
        loser=won.loser,
        options=state.config.scoring,
    )


def _jing_paid(state: State, won: _Won | None, hands: Hands) -> Deltas:
    """What the jing of all seats pay where the options say so (RULES.md 13.3 and 13.4)."""
    table, options = state.table, state.config.scoring
    if options.jing_settlement is not JingSettlement.ALL_PLAYERS:
        return NOTHING
    kinds = [_counted(state, won, hands, seat) for seat in ALL_SEATS]
    pairs: list[Jing] = [jing_of_round(table)]
    if table.lower_jing is not None:
        pairs.append(table.lower_jing)
    paid = NOTHING
    for jing in pairs:
        paid = add(paid, jing_settlement([jing_points(jing, own) for own in kinds]))
    return paid


def _counted(state: State, won: _Won | None, hands: Hands, seat: Seat) -> list[int]:
    """The kinds of a seat that count for jing points, the winning tile with its winner."""
    zones, table = state.config.scoring.jing_zones, state.table
    kinds = list(hands[seat])
    if won is not None and won.winner == seat and won.by is not WinBy.SELF_DRAW:
        kinds.append(won.win.tile)
    if zones is not JingZones.HAND:
        kinds += (kind for meld in table.melds[seat] for kind in meld.kinds)
    if zones is JingZones.HAND_MELDS_DISCARDS:
        kinds += table.discards_of(seat)
        if won is not None and won.by is WinBy.DISCARD and won.loser == seat:
            kinds.remove(won.win.tile)
    return kinds
