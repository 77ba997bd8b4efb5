"""The small values that events and views share."""

from collections.abc import Sequence

from parlor.rules.doudizhu.combos import Reading, Shape
from parlor.rules.doudizhu.events import AutoplayCause, Hands
from parlor.rules.doudizhu.scoring import Factor, FactorName
from parlor.rules.doudizhu.table import (
    Act,
    Ending,
    EndReason,
    Flags,
    Phase,
    Question,
    Spring,
)
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire.enums import EnumNumbers
from parlor.wire.seats import seat, seats, three

SHAPES = EnumNumbers(Shape, lambda name: pb.DouDizhuShape.Value(f"DOU_DIZHU_SHAPE_{name}"))
PHASES = EnumNumbers(Phase, lambda name: pb.DouDizhuPhase.Value(f"DOU_DIZHU_PHASE_{name}"))
ACTS = EnumNumbers(Act, lambda name: pb.DouDizhuAct.Value(f"DOU_DIZHU_ACT_{name}"))
SPRINGS = EnumNumbers(Spring, lambda name: pb.DouDizhuSpring.Value(f"DOU_DIZHU_SPRING_{name}"))
QUESTIONS = EnumNumbers(
    Question, lambda name: pb.DouDizhuQuestion.Value(f"DOU_DIZHU_QUESTION_{name}")
)
FACTOR_NAMES = EnumNumbers(
    FactorName, lambda name: pb.DouDizhuFactorName.Value(f"DOU_DIZHU_FACTOR_NAME_{name}")
)
END_REASONS = EnumNumbers(
    EndReason, lambda name: pb.DouDizhuEndReason.Value(f"DOU_DIZHU_END_REASON_{name}")
)
CAUSES = EnumNumbers(
    AutoplayCause,
    lambda name: pb.DouDizhuAutoplayCause.Value(f"DOU_DIZHU_AUTOPLAY_CAUSE_{name}"),
)


def reading_to(reading: Reading) -> pb.DouDizhuReading:
    """What cards are played as."""
    return pb.DouDizhuReading(
        shape=SHAPES.number(reading.shape), value=reading.value, length=reading.length
    )


def reading_from(message: pb.DouDizhuReading, field: str) -> Reading:
    """What cards are played as."""
    return Reading(
        shape=SHAPES.member(message.shape, f"{field}.shape"),
        value=message.value,
        length=message.length,
    )


def factor_to(factor: Factor) -> pb.DouDizhuFactor:
    """What multiplies the base score."""
    return pb.DouDizhuFactor(
        name=FACTOR_NAMES.number(factor.name), count=factor.count, times=factor.times
    )


def factor_from(message: pb.DouDizhuFactor, field: str) -> Factor:
    """What multiplies the base score."""
    name = FACTOR_NAMES.member(message.name, f"{field}.name")
    return Factor(name=name, count=message.count, times=message.times)


def hands_to(hands: Hands) -> list[pb.DouDizhuHand]:
    """Hands by seat, hidden ones empty."""
    return [pb.DouDizhuHand(cards=hand) for hand in hands]


def hands_from(messages: Sequence[pb.DouDizhuHand], field: str) -> Hands:
    """Hands by seat, hidden ones empty."""
    first, second, third = three(messages, field)
    return tuple(first.cards), tuple(second.cards), tuple(third.cards)


def flags_to(flags: Flags) -> pb.DouDizhuFlags:
    """A claim about each seat."""
    return pb.DouDizhuFlags(seats=flags)


def flags_from(message: pb.DouDizhuFlags, field: str) -> Flags:
    """A claim about each seat."""
    return three(message.seats, field)


def ending_to(ending: Ending) -> pb.DouDizhuEnding:
    """How a game ended."""
    return pb.DouDizhuEnding(
        reason=END_REASONS.number(ending.reason),
        seat=ending.seat,
        winners=ending.winners,
        scores=ending.scores,
        unit=ending.unit,
        spring=SPRINGS.number(ending.spring),
    )


def ending_from(message: pb.DouDizhuEnding) -> Ending:
    """How a game ended."""
    return Ending(
        reason=END_REASONS.member(message.reason, "ending.reason"),
        seat=seat(message.seat, "ending.seat") if message.HasField("seat") else None,
        winners=seats(message.winners, "ending.winners"),
        scores=three(message.scores, "ending.scores"),
        unit=message.unit,
        spring=SPRINGS.member(message.spring, "ending.spring"),
    )
