"""Traces across gRPC calls of one request: `traceparent` in the metadata, read by servers and sent by clients.

What a call answers with may be one message or many, as where a ticket is followed; its span lasts until
the last. A stream of requests belongs to no trace: a message of it that is traced says so itself.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
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
    return (_Onward(), _OnwardToStreams()) if tracing.is_on() else ()


def metadata_of(context: Context, name: str) -> str:
    """All values of one name, in their order: a proxy may append to a line or add one of its own."""
    values = [value for key, value in context.invocation_metadata() or () if key == name]
    return ", ".join(v if isinstance(v, str) else v.decode("latin-1") for v in values)


class _Served(grpc.aio.ServerInterceptor):
    """A span around the handler of each call of one request."""

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
        if not handler or handler.request_streaming or not method.startswith(_OURS):
            return handler
        inner: Any = handler.unary_stream if handler.response_streaming else handler.unary_unary

        async def answer(request: Any, context: Context) -> Any:
            with self._callers.span(method, context):
                return await inner(request, context)

        async def stream(request: Any, context: Context) -> None:
            # Written and not yielded: where the caller goes, a generator would be closed by another
            # task, in which the span is not the current one.
            with self._callers.span(method, context):
                async with aclosing(inner(request, context)) as messages:
                    async for message in messages:
                        await context.write(message)

        make = (
            grpc.unary_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.unary_unary_rpc_method_handler
        )
        return make(
            stream if inspect.isasyncgenfunction(inner) else answer,
            handler.request_deserializer,
            handler.response_serializer,
        )


class _Onward(grpc.aio.UnaryUnaryClientInterceptor):
    """The current span's traceparent in the metadata of each call."""

    async def intercept_unary_unary(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        """The call, with the metadata."""
        return await continuation(_traced(client_call_details), request)


class _OnwardToStreams(grpc.aio.UnaryStreamClientInterceptor):
    """The same for calls that are answered with many messages."""

    async def intercept_unary_stream(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        """The call, with the metadata."""
        return await continuation(_traced(client_call_details), request)


def _traced(call: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
    traceparent = tracing.current().traceparent
    if not traceparent:
        return call
    metadata = call.metadata or grpc.aio.Metadata()
    metadata.add(TRACEPARENT, traceparent)
    return grpc.aio.ClientCallDetails(
        method=call.method,
        timeout=call.timeout,
        metadata=metadata,
        credentials=call.credentials,
        wait_for_ready=call.wait_for_ready,
    )
