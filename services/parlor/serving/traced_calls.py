"""Traces across unary gRPC calls: `traceparent` in the metadata, read by servers and sent by clients.

Streams carry many requests, or last for hours: a message of theirs that is traced says so itself.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

import grpc

from parlor.serving import tracing

TRACEPARENT: Final = "traceparent"

# Handlers, requests and contexts are generic in messages this module never looks at.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_OURS: Final = "parlor."


class Callers:
    """Whose traces a server goes on with: everybody's, for only other services call it.

    They have decided what is traced, so it begins none. A server that anybody calls says so.
    """

    def __init__(self) -> None:
        self._is_trusted: Callable[[Context], bool] | None = None

    def are_anybody(self, is_trusted: Callable[[Context], bool]) -> None:
        """From now on calls begin traces; only those of the trusted go on with their caller's."""
        self._is_trusted = is_trusted

    def span(self, method: str, context: Context) -> tracing.Span:
        """The span of a call."""
        caller = metadata_of(context, TRACEPARENT)
        if self._is_trusted is None:
            return tracing.went_on(method, caller)
        is_trusted = bool(caller) and self._is_trusted(context)
        return tracing.began(method, caller=caller, is_trusted=is_trusted)


def traced(callers: Callers) -> tuple[grpc.aio.ServerInterceptor, ...]:
    """What stands around a server's handlers; nothing where nothing is traced."""
    return (_Served(callers),) if tracing.is_on() else ()


def onward() -> Sequence[grpc.aio.ClientInterceptor]:
    """What stands before a client's calls; nothing where nothing is traced."""
    return (_Onward(),) if tracing.is_on() else ()


def metadata_of(context: Context, name: str) -> str:
    """All values of one name, in their order: a proxy may append to a line or add one of its own."""
    values = [value for key, value in context.invocation_metadata() or () if key == name]
    return ", ".join(v if isinstance(v, str) else v.decode("latin-1") for v in values)


class _Served(grpc.aio.ServerInterceptor):
    """A span around the handler of each unary call."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler of the call, wrapped; None where the server has no such method."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method.lstrip("/")
        is_unary = handler and not (handler.request_streaming or handler.response_streaming)
        if not handler or not is_unary or not method.startswith(_OURS):
            return handler
        inner: Any = handler.unary_unary

        async def answer(request: Any, context: Context) -> Any:
            with self._callers.span(method, context):
                return await inner(request, context)

        return grpc.unary_unary_rpc_method_handler(
            answer, handler.request_deserializer, handler.response_serializer
        )


class _Onward(grpc.aio.UnaryUnaryClientInterceptor):
    """The current span's traceparent in the metadata of each call."""

    async def intercept_unary_unary(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        """The call, with the metadata."""
        traceparent = tracing.current().traceparent
        if traceparent:
            metadata = client_call_details.metadata or grpc.aio.Metadata()
            metadata.add(TRACEPARENT, traceparent)
            client_call_details = grpc.aio.ClientCallDetails(
                method=client_call_details.method,
                timeout=client_call_details.timeout,
                metadata=metadata,
                credentials=client_call_details.credentials,
                wait_for_ready=client_call_details.wait_for_ready,
            )
        return await continuation(client_call_details, request)
