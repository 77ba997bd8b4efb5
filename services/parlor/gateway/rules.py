"""The rules services of all games, passed on to engines as bytes.

Any replica of a kind can answer, for nothing but the request is looked at; one that does not answer
or has too much to do is followed by the next. What an engine refuses, the caller gets unchanged.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import grpc

from parlor.gateway.gateway import Gateway
from parlor.gateway.rpc import Caller, left_ms
from parlor.serving import ServiceError
from parlor.serving.errors import from_rpc_error
from parlor.v1 import (
    doudizhu_rules_service_pb2,
    jinxian_rules_service_pb2,
    planes_rules_service_pb2,
)
from parlor.v1.error_reason_pb2 import ErrorReason

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_SCOPE: Final = "rules"
_KINDS: Final = {
    "doudizhu": doudizhu_rules_service_pb2,
    "jinxian": jinxian_rules_service_pb2,
    "planes": planes_rules_service_pb2,
}
SERVICES_BY_KIND: Final = {
    kind: service
    for kind, module in _KINDS.items()
    for service in module.DESCRIPTOR.services_by_name.values()
}
"""The rules service of each kind."""

RULES_SERVICES: Final = tuple(service.full_name for service in SERVICES_BY_KIND.values())
"""Full names, for health and reflection."""

_KIND_OF: Final[Mapping[str, str]] = {
    f"/{service.full_name}/{method}": kind
    for kind, service in SERVICES_BY_KIND.items()
    for method in service.methods_by_name
}
"""The kind of game that a method asks about, by the method's path."""

_DETAILS: Final = "grpc-status-details-bin"
_ELSEWHERE: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        # A replica of a release without the method.
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
"""Codes after which another replica may do better."""


class RulesProxy(grpc.GenericRpcHandler):
    """Every method of every rules service; needs the scope `rules`."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._caller = Caller(gateway)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        """The handler of a method, from bytes to bytes; None for one of another service."""
        path = handler_call_details.method
        kind = _KIND_OF.get(path)
        if kind is None:
            return None

        async def answer(payload: bytes, context: Context) -> bytes:
            await self._caller.identified(context, _SCOPE)
            try:
                return await self._passed_on(kind, path, payload, left_ms(context))
            except grpc.aio.AioRpcError as failure:
                await _refuse(context, failure)
                raise AssertionError("a refusal raises") from None

        handler: Handler = grpc.unary_unary_rpc_method_handler(answer)
        return handler

    async def answer(self, kind: str, path: str, payload: bytes) -> bytes:
        """The answer to a question that came in another way; raises ServiceError."""
        try:
            return await self._passed_on(kind, path, payload, None)
        except grpc.aio.AioRpcError as failure:
            raise from_rpc_error(failure) from None

    async def _passed_on(
        self, kind: str, path: str, payload: bytes, within_ms: float | None
    ) -> bytes:
        """What an engine answers; raises AioRpcError for what it refuses, ServiceError where none answers."""
        failure: grpc.aio.AioRpcError | None = None
        total_ms = self._gateway.config.engine_total_ms
        now = asyncio.get_running_loop().time
        until = now() + min(within_ms or total_ms, total_ms) / 1000
        for relay in await self._gateway.router.spread(kind):
            try:
                # Below 0 it ends at once, as late as it is.
                answer: bytes = await relay.ask(relay.unary(path), payload, within_s=until - now())
            except ServiceError:
                # It is gone.
                continue
            except grpc.aio.AioRpcError as error:
                failure = error
                if error.code() not in _ELSEWHERE:
                    break
            else:
                return answer
        if failure is None or failure.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise ServiceError(
                ErrorReason.ERROR_REASON_NO_ENGINE, f"no engine answers questions about {kind}"
            )
        raise failure


async def _refuse(context: Context, failure: grpc.aio.AioRpcError) -> None:
    """Ends the call as the engine ended it; as our own error where gRPC itself failed."""
    details = [(key, value) for key, value in failure.trailing_metadata() or () if key == _DETAILS]
    if not details:
        raise from_rpc_error(failure)
    await context.abort(failure.code(), failure.details() or "", tuple(details))
