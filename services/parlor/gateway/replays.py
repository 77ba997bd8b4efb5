"""Replays of ended games: of one that its room still keeps, and of one that only the archive has."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from parlor.serving import ServiceError
from parlor.v1.engine_service_pb2 import ReplayRequest
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.replay_pb2 import ReplayPart

if TYPE_CHECKING:
    from parlor.gateway.gateway import Gateway

_NOT_KEPT: Final = frozenset(
    {ErrorReason.ERROR_REASON_ROOM_NOT_FOUND, ErrorReason.ERROR_REASON_GAME_NOT_FOUND}
)
_NOT_ARCHIVED: Final = frozenset(
    {ErrorReason.ERROR_REASON_GAME_NOT_FOUND, ErrorReason.ERROR_REASON_NO_ENGINE}
)
"""Refusals of an archive that has no such game, or is not there."""


async def replay(gateway: "Gateway", room_id: str, game_no: int) -> AsyncIterator[ReplayPart]:
    """The parts of an ended game; raises ServiceError."""
    request = ReplayRequest(room_id=room_id, game_no=game_no)
    try:
        async for part in gateway.router.replay(request):
            yield part
        return
    except ServiceError as error:
        # These come before the first part.
        if error.reason not in _NOT_KEPT:
            raise
        not_kept = error
    try:
        request.archived.CopyFrom(await gateway.archive.log(room_id, game_no))
    except ServiceError as error:
        raise (not_kept if error.reason in _NOT_ARCHIVED else error) from None
    async for part in gateway.router.replay(request):
        yield part
