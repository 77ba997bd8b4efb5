"""Questions about Dou Dizhu (`parlor/v1/doudizhu_rules_service.proto`)."""

from collections.abc import Sequence

from parlor.engine.advice.checks import advice, config_of, under, view_of
from parlor.engine.advice.doudizhu_checks import check_cards, check_reading, check_view
from parlor.engine.advice.questions import Question, Questions
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu.actions import Claim
from parlor.rules.doudizhu.cards import VALUES, rank_counts
from parlor.rules.doudizhu.combos import ComboRules, Reading, combo_rules
from parlor.rules.doudizhu.playing import read
from parlor.rules.doudizhu.plays import Ranks, plays
from parlor.rules.doudizhu.policy import decide
from parlor.rules.doudizhu.readings import readings
from parlor.rules.game import IllegalAction
from parlor.v1 import doudizhu_pb2
from parlor.v1 import doudizhu_rules_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.wire.doudizhu import DOUDIZHU as WIRE
from parlor.wire.doudizhu.values import SHAPES, reading_from, reading_to


def classify(
    request: pb.DouDizhuRulesServiceClassifyRequest,
) -> pb.DouDizhuRulesServiceClassifyResponse:
    """What cards are played as, and whether they may be."""
    rules = _rules(request.config)
    check_cards(request.cards, "cards")
    led = _led(request.to_beat) if request.HasField("to_beat") else None
    claim = _claim(request.claim) if request.HasField("claim") else None
    cards = tuple(request.cards)
    response = pb.DouDizhuRulesServiceClassifyResponse(
        readings=map(reading_to, readings(rank_counts(cards), rules))
    )
    try:
        response.reading.CopyFrom(reading_to(read(cards, claim, led, rules)))
    except IllegalAction as refused:
        response.reason = ErrorReason.Value(f"ERROR_REASON_{refused.reason.value}")
    return response


def list_plays(
    request: pb.DouDizhuRulesServiceListPlaysRequest,
) -> pb.DouDizhuRulesServiceListPlaysResponse:
    """What a hand can play."""
    rules = _rules(request.config)
    check_cards(request.hand, "hand")
    led = _led(request.to_beat) if request.HasField("to_beat") else None
    listed = (
        pb.DouDizhuListedPlay(cards=_cards(request.hand, ranks), reading=reading_to(reading))
        for ranks, reading in plays(rank_counts(request.hand), rules, led)
    )
    return pb.DouDizhuRulesServiceListPlaysResponse(plays=listed)


def advise(
    request: pb.DouDizhuRulesServiceAdviseRequest,
) -> pb.DouDizhuRulesServiceAdviseResponse:
    """What a good player would do."""
    view = view_of(DOUDIZHU, WIRE, request)
    check_view(view)
    action, decision = advice(decide, view, WIRE, request)
    return pb.DouDizhuRulesServiceAdviseResponse(action=action, decision=decision)


QUESTIONS = Questions(
    pb.DESCRIPTOR.services_by_name["DouDizhuRulesService"],
    {
        "Classify": Question(classify, is_quick=True),
        "ListPlays": Question(list_plays),
        "Advise": Question(advise),
    },
)


def _rules(config: doudizhu_pb2.DouDizhuConfig) -> ComboRules:
    return combo_rules(config_of(DOUDIZHU, WIRE, config))


def _led(message: doudizhu_pb2.DouDizhuReading) -> Reading:
    with under("to_beat"):
        led = reading_from(message, "to_beat")
    check_reading(led, "to_beat")
    return led


def _claim(message: doudizhu_pb2.DouDizhuClaim) -> Claim:
    with under("claim"):
        return Claim(shape=SHAPES.member(message.shape, "claim.shape"), value=message.value)


def _cards(hand: Sequence[int], ranks: Ranks) -> list[int]:
    """The cards of lowest index that make up the multiset, in its order."""
    held = {
        value: iter(sorted(card for card in hand if VALUES[card] == value)) for value in set(ranks)
    }
    return [next(held[value]) for value in ranks]
