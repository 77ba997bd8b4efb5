"""What a process answers before it can serve: that it is alive, and not ready.

Both ports are open, so that whoever looks after the process neither takes it for dead nor sends it
players. gRPC health says SERVING of the process and NOT_SERVING of its services; every call and
page ends as one does when Redis is away, which says that it may be tried again.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import grpc
from aiohttp import web
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from parlor.serving.accepting import OpenGate, accept
from parlor.serving.config import Common
from parlor.serving.endpoints import add_endpoints
from parlor.serving.errors import ServiceError, abort
from parlor.serving.listening import grpc_server
from parlor.serving.tasks import stop
from parlor.serving.tls import Tls
from parlor.v1.error_reason_pb2 import ErrorReason

_REASON: Final = ErrorReason.ERROR_REASON_STORE_UNAVAILABLE
_MESSAGE: Final = "the store is not there yet"

_GRACE_S: Final = 1.0
_AGAIN_S: Final = "1"


@asynccontextmanager
async def lobby(
    config: Common, tls: Tls | None, http: socket.socket, services: Sequence[str]
) -> AsyncIterator[None]:
    """Answers on `http`, which stays open, and on the port for gRPC, which is free again when left."""
    async with AsyncExitStack() as stack:
        server, _ = grpc_server(config, tls)
        status = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(status, server)
        server.add_generic_rpc_handlers((_Later(),))
        await status.set("", health_pb2.HealthCheckResponse.SERVING)
        for service in services:
            await status.set(service, health_pb2.HealthCheckResponse.NOT_SERVING)
        await server.start()
        stack.push_async_callback(server.stop, 0)
        pages = web.Application()
        add_endpoints(pages, {"redis": _is_there}, lambda: False)
        pages.router.add_route("*", "/{page:.*}", _page)
        runner = web.AppRunner(
            pages, access_log=None, handle_signals=False, shutdown_timeout=_GRACE_S
        )
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        assert runner.server is not None
        accepting = asyncio.create_task(accept(http, runner.server, OpenGate()))
        stack.push_async_callback(stop, accepting)
        yield


class _Later(grpc.GenericRpcHandler):
    """Every method of every service."""

    def service(self, _details: grpc.HandlerCallDetails) -> Any:
        """Refuses the call, of whichever of the four forms it is."""
        return grpc.stream_stream_rpc_method_handler(_refuse)


async def _refuse(_requests: Any, context: Any) -> None:
    await abort(context, ServiceError(_REASON, _MESSAGE))


async def _page(_request: web.Request) -> web.Response:
    # As gateways refuse: a client that logs in asks again, as it does where nobody listens.
    refusal = {"reason": ErrorReason.Name(_REASON), "message": _MESSAGE, "metadata": {}}
    return web.json_response(refusal, status=503, headers={"Retry-After": _AGAIN_S})


async def _is_there() -> bool:
    return False
