"""HistoryService for everybody who plays, and AdminService for operators, passed on to the archive as bytes."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import grpc

from parlor.gateway.archive import ADMIN, HISTORY
from parlor.gateway.gateway import Gateway
from parlor.gateway.rpc import Caller, left_ms

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

HISTORY_SERVICES: Final = (HISTORY.full_name, ADMIN.full_name)
"""Full names, for health and reflection."""

_SCOPES: Final[Mapping[str, str]] = {
    f"/{service.full_name}/{method}": scope
    for service, scope in ((HISTORY, "play"), (ADMIN, "admin"))
    for method in service.methods_by_name
}
"""By a method's path, the scope that it needs."""


class HistoryProxy(grpc.GenericRpcHandler):
    """Every method of both services."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._caller = Caller(gateway)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        """The handler of a method, from bytes to bytes; None for one of another service."""
        path = handler_call_details.method
        scope = _SCOPES.get(path)
        if scope is None:
            return None

        async def answer(payload: bytes, context: Context) -> bytes:
            await self._caller.identified(context, scope)
            return await self._gateway.archive.call(path, payload, within_ms=left_ms(context))

        handler: Handler = grpc.unary_unary_rpc_method_handler(answer)
        return handler
