"""The small values that events and views share."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from parlor.rules.game import Seat
from parlor.rules.jinxian.events import Answer, AutoplayCause, Claim, Options
from parlor.rules.jinxian.hands import Special, WinBy
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.table import (
    Ending,
    EndReason,
    Flags,
    FourOf,
    Hands,
    Melds,
    Phase,
    PhaseReason,
    Question,
)
from parlor.rules.jinxian.tiles import SEATS
from parlor.rules.jinxian.wall import Dice
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire import Malformed
from parlor.wire import seats as wire_seats
from parlor.wire.enums import EnumNumbers
from parlor.wire.times import instant, timestamp

Item = TypeVar("Item")

PHASES = EnumNumbers(Phase, lambda name: pb.JinxianPhase.Value(f"JINXIAN_PHASE_{name}"))
PHASE_REASONS = EnumNumbers(
    PhaseReason, lambda name: pb.JinxianPhaseReason.Value(f"JINXIAN_PHASE_REASON_{name}")
)
QUESTIONS = EnumNumbers(Question, lambda name: pb.JinxianQuestion.Value(f"JINXIAN_QUESTION_{name}"))
MELD_TYPES = EnumNumbers(
    MeldType, lambda name: pb.JinxianMeldType.Value(f"JINXIAN_MELD_TYPE_{name}")
)
CLAIMS = EnumNumbers(Claim, lambda name: pb.JinxianClaim.Value(f"JINXIAN_CLAIM_{name}"))
WIN_BYS = EnumNumbers(WinBy, lambda name: pb.JinxianWinBy.Value(f"JINXIAN_WIN_BY_{name}"))
SPECIALS = EnumNumbers(Special, lambda name: pb.JinxianSpecial.Value(f"JINXIAN_SPECIAL_{name}"))
CAUSES = EnumNumbers(
    AutoplayCause, lambda name: pb.JinxianAutoplayCause.Value(f"JINXIAN_AUTOPLAY_CAUSE_{name}")
)
END_REASONS = EnumNumbers(
    EndReason, lambda name: pb.JinxianEndReason.Value(f"JINXIAN_END_REASON_{name}")
)


def four(items: Sequence[Item], field: str) -> FourOf[Item]:
    """The items as one per seat; raises `Malformed` where they are not four."""
    if len(items) != SEATS:
        raise Malformed(field, f"must be one for each of {SEATS} seats, not {len(items)}")
    return items[0], items[1], items[2], items[3]


def seat(number: int, field: str) -> Seat:
    """The number as a seat; raises `Malformed` where the table has no such one."""
    return wire_seats.seat(number, field, seats=SEATS)


def seats(numbers: Iterable[int], field: str) -> tuple[Seat, ...]:
    """The numbers as seats."""
    return tuple(seat(number, field) for number in numbers)


def time_to(at: int | None) -> Timestamp | None:
    """An instant that may be absent."""
    return None if at is None else timestamp(at)


def time_from(message: Timestamp, is_set: bool) -> int | None:
    """An instant that may be absent."""
    return instant(message) if is_set else None


def chow_to(pair: tuple[int, int]) -> pb.JinxianChow:
    """Two own tiles of a chow."""
    return pb.JinxianChow(tiles=pair)


def chow_from(message: pb.JinxianChow, field: str) -> tuple[int, int]:
    """Two own tiles of a chow; raises `Malformed` for more or fewer."""
    if len(message.tiles) != 2:
        raise Malformed(field, f"must be two kinds, not {len(message.tiles)}")
    return message.tiles[0], message.tiles[1]


def dice_to(dice: Dice) -> pb.JinxianDice:
    """Two dice."""
    return pb.JinxianDice(first=dice[0], second=dice[1])


def dice_from(message: pb.JinxianDice) -> Dice:
    """Two dice."""
    return message.first, message.second


def jing_to(jing: Jing | None) -> pb.JinxianJing | None:
    """A pair of jing that may be absent."""
    return None if jing is None else pb.JinxianJing(zheng=jing.zheng, fu=jing.fu)


def jing_from(message: pb.JinxianJing) -> Jing:
    """A pair of jing."""
    return Jing(zheng=message.zheng, fu=message.fu)


def hands_to(hands: Hands) -> list[pb.JinxianHand]:
    """Hands by seat, hidden ones empty."""
    return [pb.JinxianHand(tiles=hand) for hand in hands]


def hands_from(messages: Sequence[pb.JinxianHand], field: str) -> Hands:
    """Hands by seat, hidden ones empty."""
    return four([tuple(message.tiles) for message in messages], field)


def flags_to(flags: Flags) -> pb.JinxianFlags:
    """A claim about each seat."""
    return pb.JinxianFlags(seats=flags)


def flags_from(message: pb.JinxianFlags, field: str) -> Flags:
    """A claim about each seat."""
    return four(message.seats, field)


def meld_to(meld: Meld) -> pb.JinxianMeld:
    """A set on the table."""
    return pb.JinxianMeld(
        type=MELD_TYPES.number(meld.type),
        tiles=meld.kinds,
        taken=meld.taken,
        source=meld.source,
    )


def meld_from(message: pb.JinxianMeld, field: str) -> Meld:
    """A set on the table."""
    return Meld(
        type=MELD_TYPES.member(message.type, f"{field}.type"),
        kinds=tuple(message.tiles),
        taken=message.taken if message.HasField("taken") else None,
        source=seat(message.source, f"{field}.source") if message.HasField("source") else None,
    )


def melds_to(melds: FourOf[Melds]) -> list[pb.JinxianMelds]:
    """Melds by seat."""
    return [pb.JinxianMelds(melds=map(meld_to, own)) for own in melds]


def melds_from(messages: Sequence[pb.JinxianMelds], field: str) -> FourOf[Melds]:
    """Melds by seat."""
    return four(
        [tuple(meld_from(meld, field) for meld in message.melds) for message in messages], field
    )


def options_to(options: Options) -> pb.JinxianOptions:
    """What a seat may do."""
    return pb.JinxianOptions(
        win=options.win,
        kongs=options.kongs,
        pong=options.pong,
        chows=map(chow_to, options.chows),
    )


def options_from(message: pb.JinxianOptions) -> Options:
    """What a seat may do."""
    return Options(
        win=message.win,
        kongs=tuple(message.kongs),
        pong=message.pong,
        chows=tuple(chow_from(chow, "options.chows") for chow in message.chows),
    )


def answer_to(answer: Answer | None) -> pb.JinxianAnswer | None:
    """An answer to an offered tile that may be absent."""
    if answer is None:
        return None
    return pb.JinxianAnswer(
        claim=CLAIMS.number(answer.claim),
        chow=None if answer.chow is None else chow_to(answer.chow),
    )


def answer_from(message: pb.JinxianAnswer) -> Answer:
    """An answer to an offered tile."""
    chow = chow_from(message.chow, "answer.chow") if message.HasField("chow") else None
    return Answer(CLAIMS.member(message.claim, "answer.claim"), chow)


def ending_to(ending: Ending) -> pb.JinxianEnding:
    """How a game ended."""
    return pb.JinxianEnding(
        reason=END_REASONS.number(ending.reason), scores=ending.scores, ranks=ending.ranks
    )


def ending_from(message: pb.JinxianEnding) -> Ending:
    """How a game ended."""
    return Ending(
        reason=END_REASONS.member(message.reason, "ending.reason"),
        scores=four(message.scores, "ending.scores"),
        ranks=four(message.ranks, "ending.ranks"),
    )
