"""What one audience knows."""

from parlor.rules.doudizhu.state import Offer
from parlor.rules.doudizhu.view import Prompt, View
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire.doudizhu.config import config_from, config_to
from parlor.wire.doudizhu.tables import table_from, table_to
from parlor.wire.doudizhu.values import (
    QUESTIONS,
    factor_from,
    factor_to,
    hands_from,
    hands_to,
    reading_from,
    reading_to,
)
from parlor.wire.seats import seat
from parlor.wire.times import instant, timestamp


def view_to(view: View) -> pb.DouDizhuView:
    """The view."""
    return pb.DouDizhuView(
        config=config_to(view.config),
        seat=view.seat,
        table=table_to(view.table),
        hands=hands_to(view.hands),
        decision=view.decision,
        double_stake=view.double,
        offer=None if view.offer is None else _offer_to(view.offer),
        offered=view.offered,
        prompt=None if view.prompt is None else _prompt_to(view.prompt),
        may_show=view.may_show,
        may_surrender=view.may_surrender,
        surrender_needs_consent=view.surrender_needs_consent,
        factors=[factor_to(factor) for factor in view.factors],
        multiplier=view.multiplier,
    )


def view_from(message: pb.DouDizhuView) -> View:
    """The view."""
    return View(
        config=config_from(message.config),
        seat=seat(message.seat, "view.seat") if message.HasField("seat") else None,
        table=table_from(message.table),
        hands=hands_from(message.hands, "view.hands"),
        decision=message.decision,
        double=message.double_stake if message.HasField("double_stake") else None,
        offer=_offer_from(message.offer) if message.HasField("offer") else None,
        offered=message.offered,
        prompt=_prompt_from(message.prompt) if message.HasField("prompt") else None,
        may_show=message.may_show,
        may_surrender=message.may_surrender,
        surrender_needs_consent=message.surrender_needs_consent,
        factors=tuple(factor_from(factor, "view.factors") for factor in message.factors),
        multiplier=message.multiplier,
    )


def _offer_to(offer: Offer) -> pb.DouDizhuOffer:
    return pb.DouDizhuOffer(
        seat=offer.seat,
        mate=offer.mate,
        decision=offer.decision,
        expire_time=timestamp(offer.due),
    )


def _offer_from(message: pb.DouDizhuOffer) -> Offer:
    return Offer(
        seat=seat(message.seat, "offer.seat"),
        mate=seat(message.mate, "offer.mate"),
        decision=message.decision,
        due=instant(message.expire_time),
    )


def _prompt_to(prompt: Prompt) -> pb.DouDizhuPrompt:
    return pb.DouDizhuPrompt(
        question=QUESTIONS.number(prompt.question),
        decision=prompt.decision,
        expire_time=timestamp(prompt.due),
        lowest_bid=prompt.lowest_bid,
        bids=prompt.bids,
        may_pass=prompt.may_pass,
        to_beat=None if prompt.to_beat is None else reading_to(prompt.to_beat),
    )


def _prompt_from(message: pb.DouDizhuPrompt) -> Prompt:
    to_beat = None
    if message.HasField("to_beat"):
        to_beat = reading_from(message.to_beat, "prompt.to_beat")
    return Prompt(
        question=QUESTIONS.member(message.question, "prompt.question"),
        decision=message.decision,
        due=instant(message.expire_time),
        lowest_bid=message.lowest_bid,
        bids=tuple(message.bids),
        may_pass=message.may_pass,
        to_beat=to_beat,
    )
