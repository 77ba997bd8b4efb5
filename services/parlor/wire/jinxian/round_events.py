"""Events that begin and end a round."""

from parlor.rules.jinxian import events as ev
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian.records import record_from, record_to
from parlor.wire.jinxian.values import (
    dice_from,
    dice_to,
    four,
    hands_from,
    hands_to,
    jing_from,
    jing_to,
    melds_from,
    melds_to,
    seat,
)


def dealer_chosen_to(event: ev.DealerChosen) -> pb.JinxianDealerChosen:
    """The first dealer."""
    return pb.JinxianDealerChosen(
        dealer=event.dealer,
        rolls=(
            pb.JinxianDealerRoll(seat=each.seat, dice=dice_to(each.dice)) for each in event.rolls
        ),
    )


def dealer_chosen_from(message: pb.JinxianDealerChosen) -> ev.DealerChosen:
    """The first dealer."""
    return ev.DealerChosen(
        dealer=seat(message.dealer, "dealer_chosen.dealer"),
        rolls=tuple(
            ev.DealerRoll(seat(each.seat, "dealer_chosen.rolls"), dice_from(each.dice))
            for each in message.rolls
        ),
    )


def dealt_to(event: ev.Dealt) -> pb.JinxianDealt:
    """The deal."""
    return pb.JinxianDealt(
        round=event.round,
        dealer=event.dealer,
        dice=dice_to(event.dice),
        counts=event.counts,
        hands=hands_to(event.hands),
        drawn=event.drawn,
    )


def dealt_from(message: pb.JinxianDealt) -> ev.Dealt:
    """The deal."""
    return ev.Dealt(
        round=message.round,
        dealer=seat(message.dealer, "dealt.dealer"),
        dice=dice_from(message.dice),
        counts=four(message.counts, "dealt.counts"),
        hands=hands_from(message.hands, "dealt.hands"),
        drawn=message.drawn if message.HasField("drawn") else None,
    )


def jing_turned_to(event: ev.JingTurned) -> pb.JinxianJingTurned:
    """The jing."""
    return pb.JinxianJingTurned(
        dice=dice_to(event.dice),
        place=event.place,
        jing=jing_to(event.jing),
        lower=jing_to(event.lower),
    )


def jing_turned_from(message: pb.JinxianJingTurned) -> ev.JingTurned:
    """The jing."""
    return ev.JingTurned(
        dice=dice_from(message.dice),
        place=message.place,
        jing=jing_from(message.jing),
        lower=jing_from(message.lower) if message.HasField("lower") else None,
    )


def round_ended_to(event: ev.RoundEnded) -> pb.JinxianRoundEnded:
    """The end of a round."""
    return pb.JinxianRoundEnded(
        record=record_to(event.record),
        hands=hands_to(event.hands),
        melds=melds_to(event.melds),
    )


def round_ended_from(message: pb.JinxianRoundEnded) -> ev.RoundEnded:
    """The end of a round."""
    return ev.RoundEnded(
        record=record_from(message.record),
        hands=hands_from(message.hands, "round_ended.hands"),
        melds=melds_from(message.melds, "round_ended.melds"),
    )
