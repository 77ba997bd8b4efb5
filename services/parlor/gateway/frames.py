"""The server frames that a gateway makes itself; all others it forwards."""

from collections.abc import Iterable

from google.protobuf.timestamp_pb2 import Timestamp

from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.serving.maintenance import Plan
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketUpdate
from parlor.v1.play_pb2 import (
    Accepted,
    Answer,
    Goodbye,
    GoodbyeReason,
    Heartbeat,
    Maintenance,
    Refusal,
    ServerFrame,
)
from parlor.v1.room_pb2 import Position, RoomView
from parlor.wire.times import timestamp


def no_store() -> ServiceError:
    """The refusal where Redis did not answer."""
    return ServiceError(ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, "the store did not answer")


def refusal_of(error: ServiceError) -> Refusal:
    """The error as a session is told."""
    return Refusal(reason=error.reason, message=error.message, metadata=error.metadata)


def refusal(error: ServiceError) -> Payload:
    """The refusal of a frame that names no request."""
    return Payload.of(ServerFrame(refusal=refusal_of(error)))


def refused(error: ServiceError, *, request_id: str, room_id: str = "") -> Payload:
    """The refusal of a request."""
    return Payload.of(
        ServerFrame(
            answer=Answer(request_id=request_id, room_id=room_id, refused=refusal_of(error))
        )
    )


def answer(request_id: str, *, room_id: str = "") -> Payload:
    """A request was carried out that is no room's."""
    return Payload.of(
        ServerFrame(answer=Answer(request_id=request_id, room_id=room_id, accepted=Accepted()))
    )


def ticket(update: TicketUpdate) -> Payload:
    """The ticket moved."""
    return Payload.of(ServerFrame(ticket=update))


def heartbeat(server_time: Timestamp, heads: Iterable[Position]) -> Payload:
    """The server lives."""
    return Payload.of(ServerFrame(heartbeat=Heartbeat(server_time=server_time, heads=heads)))


def maintenance(planned: Plan | None) -> Payload:
    """Maintenance is planned, or with None called off."""
    notice = Maintenance()
    if planned is not None:
        notice.start_time.CopyFrom(timestamp(planned.at_ms))
        if planned.until_ms:
            notice.end_time.CopyFrom(timestamp(planned.until_ms))
    return Payload.of(ServerFrame(maintenance=notice))


def goodbye(
    reason: "GoodbyeReason.ValueType", *, error: ServiceError | None = None, retry_after_ms: int = 0
) -> Payload:
    """The session is over."""
    return Payload.of(
        ServerFrame(
            goodbye=Goodbye(
                reason=reason,
                refusal=refusal_of(error) if error is not None else None,
                retry_after_ms=retry_after_ms,
            )
        )
    )


def rewound(view: bytes) -> bytes:
    """An engine's frame with a view, marked as one that goes back in time.

    What stands later in protobuf bytes is merged over what stood before, so nothing has to be
    opened.
    """
    return view + ServerFrame(view=RoomView(rewound=True)).SerializeToString()
