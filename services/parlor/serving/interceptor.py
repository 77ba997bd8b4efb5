"""What stands around every gRPC handler: errors become typed statuses, calls are counted."""

import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from parlor.serving import metrics, tracing
from parlor.serving.errors import ServiceError, abort, reason_name
from parlor.serving.failures import as_refusal
from parlor.v1.error_reason_pb2 import ErrorReason

# Handlers, requests and contexts are generic in messages this module never looks at.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_FOREIGN: Final = ("grpc.health.", "grpc.reflection.")
"""Services of the libraries, whose streams say nothing about Parlor's work."""


class Typed(grpc.aio.ServerInterceptor):
    """Turns what handlers raise into statuses.

    Each reaches the client as the code of its refusal, with an ErrorInfo: what gRPC itself would
    make of it is UNKNOWN, in the exception's own words.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler of the call, wrapped; None where the server has no such method."""
        handler = await continuation(handler_call_details)
        path = handler_call_details.method
        if handler is None or path.lstrip("/").startswith(_FOREIGN):
            return handler
        return _wrapped(handler, _Call.of(path))


@dataclass(frozen=True, slots=True)
class _Call:
    """The method that is called, as the metrics name it."""

    service: str
    method: str

    @classmethod
    def of(cls, path: str) -> "_Call":
        service, _, method = path.lstrip("/").rpartition("/")
        return cls(service, method)

    @contextmanager
    def counted(self, context: Context) -> Iterator[None]:
        """Counts the call while it runs, and by its code when it ended."""
        in_progress = metrics.rpc_open.labels(self.service, self.method)
        in_progress.inc()
        code = grpc.StatusCode.CANCELLED
        try:
            yield
            code = _set_code(context) or grpc.StatusCode.OK
        except grpc.aio.AbortError:
            code = _set_code(context) or grpc.StatusCode.UNKNOWN
            raise
        finally:
            in_progress.dec()
            metrics.rpc_requests.labels(self.service, self.method, code.name).inc()

    @asynccontextmanager
    async def typed(self, context: Context) -> AsyncIterator[None]:
        """Aborts the call with the status of what its handler raises."""
        with self.counted(context):
            try:
                yield
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                if context.done():
                    # Nobody is there to be told, and what failed is the telling.
                    raise
                refusal = as_refusal(error, method=f"{self.service}/{self.method}")
                tracing.current().note(refused=reason_name(refusal.reason))
                await abort(context, refusal)


def _wrapped(handler: Handler, call: _Call) -> Handler:
    """The same kind of handler; gRPC tells kinds of streaming handlers apart by their functions."""
    # A stream's requests are gRPC's to read: they come when the handler asks for them.
    streams = handler.request_streaming
    parse = _parser(None if streams else handler.request_deserializer)
    parse_all = handler.request_deserializer if streams else None
    if handler.response_streaming:
        inner = handler.stream_stream if handler.request_streaming else handler.unary_stream
        streamed = (
            _yielding(inner, parse, call)
            if inspect.isasyncgenfunction(inner)
            else _writing(inner, parse, call)
        )
        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_stream_rpc_method_handler
        )
        return make(streamed, parse_all, handler.response_serializer)
    if handler.request_streaming:
        return grpc.stream_unary_rpc_method_handler(
            _writing(handler.stream_unary, parse, call), parse_all, handler.response_serializer
        )
    return grpc.unary_unary_rpc_method_handler(
        _timed(handler.unary_unary, parse, call), parse_all, handler.response_serializer
    )


def _parser(deserializer: Callable[[bytes], Any] | None) -> Callable[[Any], Any]:
    """What reads a call's one request, as it is without a `deserializer`; raises MALFORMED.

    Left to gRPC, bytes that are no message would be answered as UNKNOWN and logged at length, as
    often as a stranger likes.
    """

    def parse(payload: Any) -> Any:
        try:
            return payload if deserializer is None else deserializer(payload)
        except DecodeError:
            raise ServiceError(
                ErrorReason.ERROR_REASON_MALFORMED, "not a protobuf message of this type"
            ) from None

    return parse


def _timed(inner: Any, parse: Callable[[Any], Any], call: _Call) -> Any:
    async def answer(request: Any, context: Context) -> Any:
        started = time.perf_counter()
        try:
            async with call.typed(context):
                return await inner(parse(request), context)
        finally:
            metrics.rpc_seconds.labels(call.service, call.method).observe(
                time.perf_counter() - started
            )

    return answer


def _writing(inner: Any, parse: Callable[[Any], Any], call: _Call) -> Any:
    async def answer(request: Any, context: Context) -> Any:
        async with call.typed(context):
            return await inner(parse(request), context)

    return answer


def _yielding(inner: Any, parse: Callable[[Any], Any], call: _Call) -> Any:
    async def answer(request: Any, context: Context) -> AsyncIterator[Any]:
        async with call.typed(context):
            async for message in inner(parse(request), context):
                yield message

    return answer


def _set_code(context: Context) -> grpc.StatusCode | None:
    """The code that the handler set on the context: gRPC gives its number, and 0 for none."""
    code: Any = context.code()
    if isinstance(code, grpc.StatusCode):
        return code
    return next((known for known in grpc.StatusCode if known.value[0] == code), None)
