"""Finished rounds with the full scoring of their wins."""

from parlor.rules.jinxian.patterns import Pattern
from parlor.rules.jinxian.payments import Transfer
from parlor.rules.jinxian.scoring import Factor, FactorName, Score, Win
from parlor.rules.jinxian.table import RoundRecord, RoundResult
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.enums import EnumNumbers
from parlor.wire.jinxian.values import (
    SPECIALS,
    WIN_BYS,
    dice_from,
    dice_to,
    four,
    jing_from,
    jing_to,
    seat,
)

PATTERNS = EnumNumbers(Pattern, lambda name: pb.JinxianPattern.Value(f"JINXIAN_PATTERN_{name}"))
FACTOR_NAMES = EnumNumbers(
    FactorName, lambda name: pb.JinxianFactorName.Value(f"JINXIAN_FACTOR_NAME_{name}")
)
RESULTS = EnumNumbers(
    RoundResult, lambda name: pb.JinxianRoundResult.Value(f"JINXIAN_ROUND_RESULT_{name}")
)


def record_to(record: RoundRecord) -> pb.JinxianRoundRecord:
    """One finished round."""
    message = pb.JinxianRoundRecord(
        number=record.number,
        dealer=record.dealer,
        dice=dice_to(record.dice),
        jing=jing_to(record.jing),
        result=RESULTS.number(record.result),
        winner=record.winner,
        loser=record.loser,
        win=None if record.win is None else win_to(record.win),
        transfers=map(transfer_to, record.transfers),
        extras=record.extras,
        deltas=record.deltas,
    )
    if record.by is not None:
        message.by = WIN_BYS.number(record.by)
    if record.special is not None:
        message.special = SPECIALS.number(record.special)
    return message


def record_from(message: pb.JinxianRoundRecord) -> RoundRecord:
    """One finished round."""
    has = message.HasField
    special = message.special
    return RoundRecord(
        number=message.number,
        dealer=seat(message.dealer, "record.dealer"),
        dice=dice_from(message.dice),
        jing=jing_from(message.jing),
        result=RESULTS.member(message.result, "record.result"),
        winner=seat(message.winner, "record.winner") if has("winner") else None,
        loser=seat(message.loser, "record.loser") if has("loser") else None,
        by=WIN_BYS.member(message.by, "record.by") if message.by else None,
        special=SPECIALS.member(special, "record.special") if special else None,
        win=win_from(message.win) if has("win") else None,
        transfers=tuple(map(transfer_from, message.transfers)),
        extras=four(message.extras, "record.extras"),
        deltas=four(message.deltas, "record.deltas"),
    )


def win_to(win: Win) -> pb.JinxianScoredWin:
    """A win with its whole account."""
    return pb.JinxianScoredWin(
        tile=win.tile,
        scores=map(score_to, win.scores),
        jing_points=win.jing_points,
        factors=(
            pb.JinxianFactor(name=FACTOR_NAMES.number(factor.name), value=factor.value)
            for factor in win.factors
        ),
        multiplier=win.multiplier,
        jing_score=win.jing_score,
        total=win.total,
        pay_total=win.pay_total,
    )


def win_from(message: pb.JinxianScoredWin) -> Win:
    """A win with its whole account."""
    return Win(
        tile=message.tile,
        scores=tuple(map(score_from, message.scores)),
        jing_points=message.jing_points,
        factors=tuple(
            Factor(name=FACTOR_NAMES.member(factor.name, "win.factors"), value=factor.value)
            for factor in message.factors
        ),
        multiplier=message.multiplier,
        jing_score=message.jing_score,
        total=message.total,
        pay_total=message.pay_total,
    )


def score_to(score: Score) -> pb.JinxianScore:
    """A reading with its points."""
    return pb.JinxianScore(
        pattern=PATTERNS.number(score.pattern),
        has_jing=score.has_jing,
        is_jingdiao=score.is_jingdiao,
        base=score.base,
        bonus=score.bonus,
    )


def score_from(message: pb.JinxianScore) -> Score:
    """A reading with its points."""
    return Score(
        pattern=PATTERNS.member(message.pattern, "score.pattern"),
        has_jing=message.has_jing,
        is_jingdiao=message.is_jingdiao,
        base=message.base,
        bonus=message.bonus,
    )


def transfer_to(transfer: Transfer) -> pb.JinxianTransfer:
    """One payment."""
    return pb.JinxianTransfer(payer=transfer.payer, payee=transfer.payee, amount=transfer.amount)


def transfer_from(message: pb.JinxianTransfer) -> Transfer:
    """One payment."""
    return Transfer(
        payer=seat(message.payer, "transfer.payer"),
        payee=seat(message.payee, "transfer.payee"),
        amount=message.amount,
    )
