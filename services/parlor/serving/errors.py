"""A refusal of any service: its reason, the gRPC code that goes with it, and its way over the wire.

The pairing of reason and code is the one in `error_reason.proto`, where each comment ends with the
code.
"""

from collections.abc import Mapping
from typing import Final, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from parlor.v1.error_reason_pb2 import ErrorReason

DOMAIN: Final = "parlor"
"""The `domain` of every ErrorInfo of Parlor."""

_PREFIX: Final = "ERROR_REASON_"

_REASONS_BY_CODE: Final[Mapping[grpc.StatusCode, tuple[str, ...]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: (
        "MALFORMED",
        "TOO_LARGE",
        "REQUEST_ID_REUSED",
        "UNKNOWN_KIND",
        "INVALID_CONFIG",
        "UNKNOWN_POOL",
        "EMPTY",
        "BAD_CARD",
        "DUPLICATE_CARD",
        "BAD_BID",
        "BAD_COUNT",
        "BAD_PLANE",
        "BAD_POSITION",
        "BAD_TILE",
    ),
    grpc.StatusCode.FAILED_PRECONDITION: (
        "UNSUPPORTED_PROTOCOL",
        "HELLO_EXPECTED",
        "ROOM_FULL",
        "SEAT_TAKEN",
        "PLAYER_BUSY",
        "WRONG_STATUS",
        "ROOM_FAULTED",
        "TICKET_MATCHED",
        "PARTY_FULL",
        "PARTY_TOO_LARGE",
        "WRONG_PHASE",
        "NOT_YOUR_TURN",
        "DECISION_OVER",
        "BAD_ACTION",
        "MUST_LEAD",
        "NOT_IN_HAND",
        "NOT_A_COMBINATION",
        "BAD_CLAIM",
        "DOES_NOT_BEAT",
        "BID_TOO_LOW",
        "ALREADY_CHOSEN",
        "NOT_LANDLORD",
        "NO_OFFER",
        "DISABLED",
        "ALREADY_PLACED",
        "OUT_OF_BOARD",
        "OVERLAP",
        "ALREADY_ATTACKED",
        "NOT_A_WIN",
        "WIN_LOCKED",
        "CANNOT_CLAIM",
        "MUST_DISCARD",
        "NOT_A_KONG",
        "WALL_SPENT",
    ),
    grpc.StatusCode.UNAUTHENTICATED: ("INVALID_TOKEN",),
    grpc.StatusCode.PERMISSION_DENIED: (
        "SCOPE_MISSING",
        "NOT_SEATED",
        "NOT_HOST",
        "NOT_INVITED",
        "NO_SPECTATORS",
        "NOT_PARTY_LEADER",
    ),
    grpc.StatusCode.RESOURCE_EXHAUSTED: ("TOO_FAST", "OVERLOADED"),
    grpc.StatusCode.UNAVAILABLE: (
        "DRAINING",
        "NO_ENGINE",
        "STORE_UNAVAILABLE",
        "COMMIT_UNCONFIRMED",
        "NO_BOTS",
        "MAINTENANCE",
    ),
    grpc.StatusCode.ABORTED: ("CONFLICT",),
    grpc.StatusCode.INTERNAL: ("INTERNAL", "UNSPECIFIED"),
    grpc.StatusCode.DEADLINE_EXCEEDED: ("TIMEOUT",),
    grpc.StatusCode.NOT_FOUND: (
        "ROOM_NOT_FOUND",
        "CODE_NOT_FOUND",
        "TICKET_NOT_FOUND",
        "GAME_NOT_FOUND",
        "PARTY_NOT_FOUND",
    ),
}

CODES: Final[Mapping["ErrorReason.ValueType", grpc.StatusCode]] = {
    ErrorReason.Value(_PREFIX + name): code
    for code, names in _REASONS_BY_CODE.items()
    for name in names
}
"""The gRPC code of every reason."""

_WITHOUT_INFO: Final[Mapping[grpc.StatusCode, "ErrorReason.ValueType"]] = {
    grpc.StatusCode.UNAVAILABLE: ErrorReason.ERROR_REASON_NO_ENGINE,
    # How calls end that were under way when a server stopped, or was killed.
    grpc.StatusCode.CANCELLED: ErrorReason.ERROR_REASON_NO_ENGINE,
    grpc.StatusCode.UNKNOWN: ErrorReason.ERROR_REASON_NO_ENGINE,
    grpc.StatusCode.DEADLINE_EXCEEDED: ErrorReason.ERROR_REASON_TIMEOUT,
    grpc.StatusCode.UNAUTHENTICATED: ErrorReason.ERROR_REASON_INVALID_TOKEN,
    grpc.StatusCode.PERMISSION_DENIED: ErrorReason.ERROR_REASON_SCOPE_MISSING,
    grpc.StatusCode.INVALID_ARGUMENT: ErrorReason.ERROR_REASON_MALFORMED,
    # The only one that gRPC itself raises: a message above the size that a channel accepts.
    grpc.StatusCode.RESOURCE_EXHAUSTED: ErrorReason.ERROR_REASON_TOO_LARGE,
}
"""What a status means that carries no ErrorInfo of ours: gRPC itself, or a proxy, answered."""


class ServiceError(Exception):
    """A request refused for a reason the caller may know; caught by the server's interceptor and by
    sessions.
    """

    def __init__(self, reason: "ErrorReason.ValueType", message: str = "", **metadata: str) -> None:
        super().__init__(message or reason_name(reason))
        self.reason = reason
        self.message = message
        self.metadata = metadata

    @property
    def code(self) -> grpc.StatusCode:
        """The gRPC code of the reason."""
        return CODES[self.reason]


def reason_name(reason: "ErrorReason.ValueType") -> str:
    """The reason's name as ErrorInfo has it.

    >>> reason_name(ErrorReason.ERROR_REASON_NOT_YOUR_TURN)
    'NOT_YOUR_TURN'
    """
    return ErrorReason.Name(reason).removeprefix(_PREFIX)


def reason_named(name: str) -> "ErrorReason.ValueType":
    """The reason with this unprefixed name; UNSPECIFIED for a name of a newer release."""
    try:
        return ErrorReason.Value(_PREFIX + name)
    except ValueError:
        return ErrorReason.ERROR_REASON_UNSPECIFIED


def to_status(error: ServiceError) -> status_pb2.Status:
    """The error as a status with one `google.rpc.ErrorInfo`."""
    detail = any_pb2.Any()
    detail.Pack(
        error_details_pb2.ErrorInfo(
            reason=reason_name(error.reason), domain=DOMAIN, metadata=error.metadata
        )
    )
    number: int = error.code.value[0]
    return status_pb2.Status(code=number, message=error.message, details=[detail])


async def abort(
    context: "grpc.aio.ServicerContext[object, object]", error: ServiceError
) -> NoReturn:
    """Ends the call with the error's status."""
    status = rpc_status.to_status(to_status(error))
    await context.abort(status.code, status.details, status.trailing_metadata)
    raise AssertionError("abort raises")


def from_rpc_error(error: grpc.aio.AioRpcError) -> ServiceError:
    """The refusal that a call ended with, as the other side raised it; its best reading where gRPC
    itself failed.
    """
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        status = status_pb2.Status.FromString(
            value if isinstance(value, bytes) else value.encode("latin-1")
        )
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info) and info.domain == DOMAIN:
                return ServiceError(reason_named(info.reason), status.message, **info.metadata)
    reason = _WITHOUT_INFO.get(error.code(), ErrorReason.ERROR_REASON_INTERNAL)
    return ServiceError(reason, error.details() or "")
