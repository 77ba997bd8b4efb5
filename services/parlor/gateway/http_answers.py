"""Answers over HTTP: a message as JSON, or a refusal with the status that goes with its reason."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final

import grpc
from aiohttp import web
from google.protobuf.message import Message

from parlor.gateway import metrics
from parlor.gateway.frames import refusal_of
from parlor.gateway.transcode import to_json
from parlor.serving import ServiceError
from parlor.serving.errors import reason_name
from parlor.serving.failures import as_refusal
from parlor.v1.error_reason_pb2 import ErrorReason

NO_STORE: Final = MappingProxyType(
    {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
)

_BODY_S: Final = 10.0

_STATUS: Final[Mapping[grpc.StatusCode, int]] = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.INTERNAL: 500,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}
_OWN_STATUS: Final[Mapping["ErrorReason.ValueType", int]] = {
    ErrorReason.ERROR_REASON_TOO_LARGE: 413,
    ErrorReason.ERROR_REASON_OVERLOADED: 503,
    # What is wrong is the request, whatever state anything is in.
    ErrorReason.ERROR_REASON_UNSUPPORTED_PROTOCOL: 400,
}
"""Reasons for which HTTP has a closer word than for their gRPC code."""


@asynccontextmanager
async def arriving() -> AsyncIterator[None]:
    """Around what reads a body; raises TIMEOUT for one that does not come."""
    try:
        async with asyncio.timeout(_BODY_S):
            yield
    except TimeoutError:
        raise ServiceError(
            ErrorReason.ERROR_REASON_TIMEOUT, "the body did not come in time"
        ) from None


@web.middleware
async def told(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Around every handler: what leaves one becomes the answer of its refusal."""
    try:
        return await handler(request)
    except web.HTTPException:
        raise
    except Exception as error:
        if request.writer.output_size:
            # The answer has begun; aiohttp logs why it ends, and ends it with its connection.
            raise
        return refused(as_refusal(error, route=_route_of(request)))


def _route_of(request: web.Request) -> str:
    """The route as it is declared: a path could name a room."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""


def status_of(error: ServiceError) -> int:
    """The HTTP status of a refusal."""
    return _OWN_STATUS.get(error.reason) or _STATUS[error.code]


def refused(error: ServiceError) -> web.Response:
    """A refusal, counted."""
    metrics.refusals.labels(reason_name(error.reason)).inc()
    response = json_of(refusal_of(error), status=status_of(error))
    if "retry_after_ms" in error.metadata:
        seconds = math.ceil(int(error.metadata["retry_after_ms"]) / 1000)
        response.headers["Retry-After"] = str(seconds)
    # Each is closed as it is refused: a thousand that were kept would end in one turn of the loop.
    response.force_close()
    return response


def json_of(message: Message, *, status: int = 200) -> web.Response:
    """A message."""
    return web.Response(
        body=to_json(message), status=status, content_type="application/json", headers=NO_STORE
    )
