"""Questions about Plane Battle (`parlor/v1/planes_rules_service.proto`)."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from parlor.engine.advice.checks import Refused, advice, malformed, view_of
from parlor.engine.advice.planes_checks import check_view, counted
from parlor.engine.advice.questions import Question, Questions
from parlor.rules.game import Seat
from parlor.rules.planes import PLANES
from parlor.rules.planes.actions import Place
from parlor.rules.planes.board import Part, Plane, parts
from parlor.rules.planes.fleets import IllegalFleet, fleet_of
from parlor.rules.planes.legal import legal_actions
from parlor.rules.planes.policy import decide
from parlor.rules.planes.table import SEATS, opponent
from parlor.rules.planes.view import View
from parlor.rules.reasons import Reason
from parlor.v1 import planes_pb2
from parlor.v1 import planes_rules_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.wire.enums import EnumNumbers
from parlor.wire.planes import PLANES as WIRE
from parlor.wire.planes.actions import action_from, action_to
from parlor.wire.planes.values import plane_to

MOST_ACTIONS: Final = 1_000
"""Of one page."""

_PARTS = EnumNumbers(Part, lambda name: pb.PlanesPart.Value(f"PLANES_PART_{name}"))
_MALFORMED: Final = frozenset({Reason.BAD_COUNT, Reason.BAD_PLANE})
"""What is wrong with a proposal before the board comes into it."""


def validate(
    request: pb.PlanesRulesServiceValidateRequest,
) -> pb.PlanesRulesServiceValidateResponse:
    """Which cells a fleet covers, or why it is none."""
    placing = planes_pb2.PlanesPlace(planes=request.planes)
    action = action_from(planes_pb2.PlanesAction(place=placing), 0)
    assert isinstance(action, Place)
    try:
        fleet = fleet_of(action.planes)
    except IllegalFleet as refused:
        if refused.reason in _MALFORMED:
            field = "".join(("planes", *(f"[{place}]" for place in refused.planes)))
            raise Refused(refused.reason.value, field, str(refused)) from refused
        reason = ErrorReason.Value(f"ERROR_REASON_{refused.reason.value}")
        return pb.PlanesRulesServiceValidateResponse(reason=reason, blamed=refused.planes)
    return pb.PlanesRulesServiceValidateResponse(placements=map(_placement, fleet))


def list_actions(
    request: pb.PlanesRulesServiceListActionsRequest,
) -> pb.PlanesRulesServiceListActionsResponse:
    """What a seat may do, one page of it."""
    view = view_of(PLANES, WIRE, request)
    check_view(view)
    size, start = _page(request.page_size, request.page_token)
    page = list(islice(legal_actions(view), start, start + size + 1))
    if start and not page:
        raise malformed("page_token", "names no page of this view")
    return pb.PlanesRulesServiceListActionsResponse(
        actions=map(action_to, page[:size]),
        decision=view.prompt.decision if view.prompt else 0,
        next_page_token=str(start + size) if len(page) > size else "",
    )


def count_layouts(
    request: pb.PlanesRulesServiceCountLayoutsRequest,
) -> pb.PlanesRulesServiceCountLayoutsResponse:
    """How many fleets a board's answers leave, and where they are."""
    view = view_of(PLANES, WIRE, request)
    check_view(view)
    counts = counted(view, _owner(request, view))
    return pb.PlanesRulesServiceCountLayoutsResponse(
        layouts=counts.fleets,
        covered=_shares(counts.covered, counts.fleets),
        heads=_shares(counts.heads, counts.fleets),
    )


def advise(request: pb.PlanesRulesServiceAdviseRequest) -> pb.PlanesRulesServiceAdviseResponse:
    """What a good player would do."""
    view = view_of(PLANES, WIRE, request)
    check_view(view)
    action, decision = advice(decide, view, WIRE, request)
    return pb.PlanesRulesServiceAdviseResponse(action=action, decision=decision)


QUESTIONS = Questions(
    pb.DESCRIPTOR.services_by_name["PlanesRulesService"],
    {
        "Validate": Question(validate, is_quick=True),
        "ListActions": Question(list_actions),
        "CountLayouts": Question(count_layouts),
        "Advise": Question(advise),
    },
)


def _placement(plane: Plane) -> pb.PlanesPlacement:
    cells = (pb.PlanesPlaneCell(x=x, y=y, part=_PARTS.number(part)) for part, x, y in parts(plane))
    return pb.PlanesPlacement(plane=plane_to(plane), cells=cells)


def _page(size: int, token: str) -> tuple[int, int]:
    """How many actions, and after how many."""
    if size not in range(MOST_ACTIONS + 1):
        raise malformed("page_size", f"must be 0..{MOST_ACTIONS}, not {size}")
    if token and not (token.isascii() and token.isdigit() and len(token) <= 5):
        raise malformed("page_token", "names no page")
    return size or MOST_ACTIONS, int(token or 0)


def _owner(request: pb.PlanesRulesServiceCountLayoutsRequest, view: View) -> Seat:
    """Whose board is asked about."""
    if request.HasField("owner"):
        if request.owner not in range(SEATS):
            raise malformed("owner", f"must be 0..{SEATS - 1}, not {request.owner}")
        return Seat(request.owner)
    if view.seat is None:
        raise malformed("owner", "must be set for a spectator's view")
    return opponent(view.seat)


def _shares(counts: Sequence[int], fleets: int) -> list[float]:
    return [count / fleets for count in counts]
