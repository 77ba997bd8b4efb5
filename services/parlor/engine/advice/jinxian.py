"""Questions about Jinxian Mahjong (`parlor/v1/jinxian_rules_service.proto`)."""

from collections.abc import Iterable

from parlor.engine.advice.checks import advice, config_of, view_of
from parlor.engine.advice.jinxian_checks import (
    by_field,
    check_copies,
    check_kinds,
    check_size,
    jing_of_round,
    melds_of_hand,
)
from parlor.engine.advice.jinxian_views import check_view
from parlor.engine.advice.jinxian_wins import check_win
from parlor.engine.advice.questions import Question, Questions
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.distance import (
    DiscardChoice,
    Useful,
    discard_choices,
    distance,
    useful,
)
from parlor.rules.jinxian.legal import legal_actions
from parlor.rules.jinxian.policy import decide
from parlor.rules.jinxian.tiles import TILES
from parlor.v1 import jinxian_rules_service_pb2 as pb
from parlor.wire.jinxian import JINXIAN as WIRE
from parlor.wire.jinxian.actions import action_to


def find_distance(
    request: pb.JinxianRulesServiceDistanceRequest,
) -> pb.JinxianRulesServiceDistanceResponse:
    """How far a hand is from a win, and what brings it closer."""
    options = config_of(JINXIAN, WIRE, request.config).scoring
    jing = jing_of_round(request)
    melds = melds_of_hand(request.melds, options)
    has_drawn = check_size(request.hand, melds, "hand", or_with_drawn=True)
    check_kinds(request.hand, "hand")
    check_kinds(request.seen, "seen", most=TILES)
    check_copies({"hand": request.hand, **by_field(melds), "seen": request.seen})
    hand, seen = tuple(request.hand), tuple(request.seen)
    response = pb.JinxianRulesServiceDistanceResponse(
        distance=distance(hand, melds, jing=jing, options=options)
    )
    if has_drawn:
        choices = discard_choices(hand, melds, jing=jing, options=options, seen=seen)
        response.discards.extend(map(_choice_to, choices))
    else:
        found = useful(hand, melds, jing=jing, options=options, seen=seen)
        response.useful.extend(_useful_to(found))
        response.left = sum(one.left for one in found)
    return response


def list_actions(
    request: pb.JinxianRulesServiceListActionsRequest,
) -> pb.JinxianRulesServiceListActionsResponse:
    """What a seat may do."""
    view = view_of(JINXIAN, WIRE, request)
    check_view(view)
    return pb.JinxianRulesServiceListActionsResponse(
        actions=map(action_to, legal_actions(view)),
        decision=view.prompt.decision if view.prompt else 0,
    )


def advise(request: pb.JinxianRulesServiceAdviseRequest) -> pb.JinxianRulesServiceAdviseResponse:
    """What a good player would do."""
    view = view_of(JINXIAN, WIRE, request)
    check_view(view)
    action, decision = advice(decide, view, WIRE, request)
    return pb.JinxianRulesServiceAdviseResponse(action=action, decision=decision)


QUESTIONS = Questions(
    pb.DESCRIPTOR.services_by_name["JinxianRulesService"],
    {
        "CheckWin": Question(check_win, is_quick=True),
        "Distance": Question(find_distance),
        "ListActions": Question(list_actions),
        "Advise": Question(advise),
    },
)


def _useful_to(found: Iterable[Useful]) -> list[pb.JinxianUseful]:
    return [pb.JinxianUseful(tile=one.kind, left=one.left) for one in found]


def _choice_to(choice: DiscardChoice) -> pb.JinxianDiscardChoice:
    return pb.JinxianDiscardChoice(
        tile=choice.kind,
        distance=choice.distance,
        useful=_useful_to(choice.useful),
        left=choice.left,
    )
