"""Whether a hand of Jinxian Mahjong wins, for how much, and who pays."""

from parlor.engine.advice.checks import config_of, malformed, under
from parlor.engine.advice.jinxian_checks import (
    by_field,
    check_copies,
    check_kinds,
    check_size,
    jing_of_round,
    melds_of_hand,
)
from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.hands import Hand, Situation, Special, WinBy
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.payments import deltas, transfers
from parlor.rules.jinxian.scoring import Win, best_win
from parlor.rules.jinxian.tiles import SEATS, TILES, in_order
from parlor.v1 import jinxian_rules_service_pb2 as pb
from parlor.wire.jinxian import JINXIAN as WIRE
from parlor.wire.jinxian.records import transfer_to, win_to
from parlor.wire.jinxian.values import SPECIALS, WIN_BYS

Request = pb.JinxianRulesServiceCheckWinRequest
Response = pb.JinxianRulesServiceCheckWinResponse


def check_win(request: Request) -> Response:
    """Whether the tile completes the hand, with all that follows."""
    options = config_of(JINXIAN, WIRE, request.config).scoring
    jing = jing_of_round(request)
    hand, tile = _hand(request, options), request.tile
    situation = _situation(request)
    win = best_win(hand, tile, jing=jing, situation=situation, options=options)
    if win is None:
        return Response()
    return _paid(request, win, situation.by, options)


def _hand(request: Request, options: ScoringOptions) -> Hand:
    """The hand; refuses what nobody can hold."""
    melds = melds_of_hand(request.melds, options)
    check_size(request.hand, melds, "hand")
    check_kinds(request.hand, "hand")
    if not request.HasField("tile"):
        raise malformed("tile", "must be set")
    check_kinds([request.tile], "tile", is_one=True)
    check_kinds(request.discards, "discards", most=TILES)
    groups = {"hand": request.hand, **by_field(melds), "tile": (request.tile,)}
    check_copies({**groups, "discards": request.discards})
    return Hand(concealed=in_order(request.hand), melds=melds)


def _situation(request: Request) -> Situation:
    """How the hand was completed; refuses what does not go together."""
    with under("by"):
        by = WIN_BYS.member_or(request.by, "by", WinBy.SELF_DRAW)
    with under("special"):
        special = SPECIALS.member(request.special, "special") if request.special else None
    drawn = by is WinBy.SELF_DRAW
    if request.after_kong and not drawn:
        raise malformed("after_kong", "a replacement tile is drawn")
    for field in ("winner", "dealer", "loser"):
        if getattr(request, field) not in range(SEATS):
            raise malformed(field, f"must be 0..{SEATS - 1}, not {getattr(request, field)}")
    if request.HasField("loser") == drawn:
        raise malformed("loser", "must be set unless the tile was drawn, and only then")
    if not drawn and request.loser == request.winner:
        raise malformed("loser", "cannot be the winner")
    _check_first_turn(request, special, by)
    return Situation(
        by=by,
        after_kong=request.after_kong,
        special=special,
        others_hold_jing=not request.HasField("others_hold_jing") or request.others_hold_jing,
        discards=tuple(request.discards),
    )


def _check_first_turn(request: Request, special: Special | None, by: WinBy) -> None:
    is_dealer = request.winner == request.dealer
    match special:
        case Special.TIANHU if not is_dealer or by is not WinBy.SELF_DRAW:
            raise malformed("special", "TIANHU is the dealer's, with a drawn tile")
        case Special.DIHU if by is not WinBy.DISCARD or request.loser != request.dealer:
            raise malformed("special", "DIHU is another seat's, on the dealer's discard")
        case None | Special.TIANHU | Special.DIHU:
            pass
    if special and (request.melds or request.after_kong):
        raise malformed("special", "a win of the first turn has no melds and no kong")


def _paid(request: Request, win: Win, by: WinBy, options: ScoringOptions) -> Response:
    paid = transfers(
        win.pay_total,
        winner=Seat(request.winner),
        dealer=Seat(request.dealer),
        by=by,
        loser=Seat(request.loser) if request.HasField("loser") else None,
        options=options,
    )
    return Response(
        wins=True, win=win_to(win), transfers=map(transfer_to, paid), deltas=deltas(paid)
    )
