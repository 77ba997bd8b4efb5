"""Sessions over `PlayService.Connect`: the same frames as messages of a gRPC stream."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from parlor.gateway import metrics, traffic
from parlor.gateway.checks import check_size, malformed
from parlor.gateway.config import GatewayConfig
from parlor.gateway.gateway import Gateway
from parlor.gateway.outlet import Frame
from parlor.gateway.payload import Payload
from parlor.gateway.session import Session
from parlor.serving import ServiceError
from parlor.serving.traced_calls import TRACEPARENT, metadata_of
from parlor.v1.play_pb2 import GoodbyeReason
from parlor.v1.play_service_pb2 import ConnectResponse

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

TRANSPORT: Final = "grpc"
_FAREWELL_S: Final = 1.0


async def serve(gateway: Gateway, context: Context, address: str) -> None:
    """Serves one session; returns when it is over."""
    outlet = _Outlet(context, gateway.config)
    session = Session(gateway, outlet, address, trace_parent=metadata_of(context, TRACEPARENT))
    writing = asyncio.create_task(outlet.write())
    try:
        await session.run(_frames(context, gateway.config))
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)


class _Outlet:
    """The way out of one stream.

    A write of gRPC waits for the client, so one task per stream writes what others have put into
    the queue. What gRPC has taken over besides is bounded by its flow control.
    """

    transport = TRANSPORT

    def __init__(self, context: Context, config: GatewayConfig) -> None:
        self._context = context
        self._most = config.outgoing_bytes
        self._queue: deque[tuple[int, ConnectResponse]] = deque()
        self.waiting = 0
        """Bytes in the queue."""
        self.taken = 0
        """Bytes that were written."""
        self.is_gone = False
        """Whether a write has failed."""
        self._wake = asyncio.Event()
        self._written = asyncio.Event()
        self._traffic = traffic.of(TRANSPORT)

    def send(self, payload: Payload) -> bool:
        """Takes it, at once; False when too much is waiting already."""
        size = len(payload.frame)
        if self.waiting + size > self._most:
            return False
        metrics.note_outgoing(self.waiting + size)
        self._put(size, payload)
        return True

    def farewell(self, payload: Payload) -> None:
        """Takes the last frame, on top of the bound."""
        self._put(len(payload.frame), payload)

    def ping(self) -> None:
        """HTTP/2 has its own, which the server's options set."""

    async def close(self, _goodbye: "GoodbyeReason.ValueType | None") -> None:
        """Waits within a bound until the queue is written; the stream ends when its handler
        returns.
        """
        try:
            async with asyncio.timeout(_FAREWELL_S):
                while self._queue:
                    self._written.clear()
                    await self._written.wait()
        except TimeoutError:
            pass

    async def write(self) -> None:
        """Writes what is put into the queue, until the stream ends."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                size, response = self._queue[0]
                try:
                    await self._context.write(response)
                except (grpc.RpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
                    # The client is gone; the reader of its frames ends the session.
                    self.is_gone = True
                    self._queue.clear()
                    self.waiting = 0
                    self._written.set()
                    return
                self._queue.popleft()
                self.waiting -= size
                self.taken += size
            self._written.set()

    def _put(self, size: int, payload: Payload) -> None:
        self._queue.append((size, payload.response()))
        self.waiting += size
        self._wake.set()
        self._traffic.went(size)


async def _frames(context: Context, config: GatewayConfig) -> AsyncIterator[Frame]:
    """What the client sends, until it has said all."""
    counts = traffic.of(TRANSPORT)
    while True:
        try:
            # The iterator of requests ends with the first message that is none; reading goes on.
            request = await context.read()
        except DecodeError:
            counts.came(0)
            yield malformed("not a protobuf message of this type")
            continue
        if request is grpc.aio.EOF:
            return
        size = request.ByteSize()
        counts.came(size)
        try:
            check_size(size, config.frame_bytes)
            yield request.frame
        except ServiceError as error:
            yield error
