"""Who pays what (WINNING.md 9 and 13). Every payment is one transfer, so sums are zero."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from parlor.rules.game import Seat
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.options import RobKongPays, ScoringOptions
from parlor.rules.jinxian.tiles import SEATS

Deltas = tuple[int, int, int, int]
"""What each seat gains."""

NOTHING: Deltas = (0, 0, 0, 0)

CONCEALED_KONG = 2
OTHER_KONG = 1
CHAOZHUANG = 5

JING_SQUARED_FROM = 5
"""Jing points from which a settlement of all players grows faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """An amount that goes from one seat to another."""

    payer: Seat
    payee: Seat
    amount: int
    """1 or more."""


def payments(
    pay_total: int,
    *,
    winner: Seat,
    dealer: Seat,
    by: WinBy,
    loser: Seat | None,
    options: ScoringOptions,
) -> Deltas:
    """What a win changes; the arguments as in `transfers`."""
    return deltas(
        transfers(pay_total, winner=winner, dealer=dealer, by=by, loser=loser, options=options)
    )


def transfers(
    pay_total: int,
    *,
    winner: Seat,
    dealer: Seat,
    by: WinBy,
    loser: Seat | None,
    options: ScoringOptions,
) -> tuple[Transfer, ...]:
    """The payments of a win, by ascending payer.

    `loser` discarded the tile or lost the kong to it; None for a tile that was drawn.
    """
    shares = _self_draw_shares(pay_total, winner, dealer)
    if loser is None:
        amounts = shares
    elif by is WinBy.ROB_KONG and options.rob_kong_pays is RobKongPays.ALL:
        amounts = {loser: sum(shares.values())}
    else:
        all_pay = winner == dealer or options.bystanders_pay
        amounts = dict(_discard_shares(shares, loser, all_pay=all_pay))
    return tuple(
        Transfer(payer=seat, payee=winner, amount=amounts[seat])
        for seat in _others(winner)
        if amounts.get(seat)
    )


def _self_draw_shares(total: int, winner: Seat, dealer: Seat) -> dict[Seat, int]:
    """The total where the dealer wins or pays, half of it between two other seats."""
    return {seat: total if dealer in (winner, seat) else total // 2 for seat in _others(winner)}


def _discard_shares(
    shares: dict[Seat, int], loser: Seat, *, all_pay: bool
) -> Iterator[tuple[Seat, int]]:
    """The loser's whole share, and half shares of the others where they pay at all."""
    for seat, share in shares.items():
        if seat == loser:
            yield seat, share
        elif all_pay:
            yield seat, share // 2


def kong_payments(seat: Seat, type: MeldType) -> Deltas:  # noqa: A002
    """What a completed kong pays at once under `kong_score`."""
    each = CONCEALED_KONG if type is MeldType.CONCEALED_KONG else OTHER_KONG
    return deltas(Transfer(payer=other, payee=seat, amount=each) for other in _others(seat))


def jing_settlement(points: Sequence[int]) -> Deltas:
    """What the jing of all seats pay at the end of a round, from their points by seat.

    >>> jing_settlement([5, 2, 0, 1])
    (27, -5, -13, -9)
    """
    alone = sum(point > 0 for point in points) == 1
    worth = [_settled(point) * (2 if alone else 1) for point in points]
    return deltas(
        Transfer(payer=other, payee=Seat(seat), amount=amount)
        for seat, amount in enumerate(worth)
        if amount
        for other in _others(Seat(seat))
    )


def _settled(points: int) -> int:
    return points * (points - 3) if points >= JING_SQUARED_FROM else points


def chaozhuang_payments(dealer: Seat) -> Deltas:
    """What the dealer pays for four discards alike (抄庄)."""
    return deltas(
        Transfer(payer=dealer, payee=other, amount=CHAOZHUANG) for other in _others(dealer)
    )


def deltas(paid: Iterable[Transfer]) -> Deltas:
    """What the transfers change, by seat."""
    gains = [0] * SEATS
    for transfer in paid:
        gains[transfer.payer] -= transfer.amount
        gains[transfer.payee] += transfer.amount
    first, second, third, fourth = gains
    return first, second, third, fourth


def add(some: Deltas, more: Deltas) -> Deltas:
    """Both changes together."""
    first, second, third, fourth = (one + two for one, two in zip(some, more, strict=True))
    return first, second, third, fourth


def _others(seat: Seat) -> tuple[Seat, ...]:
    return tuple(Seat(other) for other in range(SEATS) if other != seat)
