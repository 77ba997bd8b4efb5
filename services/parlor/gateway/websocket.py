"""Sessions over WebSocket: `parlor.v1.json` in text frames, `parlor.v1.proto` in binary frames.

aiohttp reads; what goes out is written to its transport as whole frames made once per payload. Its
own `send` is a coroutine that waits for slow clients, so that a room's loop over its followers
would need a task for each.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

import aiohttp
from aiohttp import WSMsgType, web

from parlor.gateway import metrics, traffic
from parlor.gateway.checks import check_size, from_malformed, malformed
from parlor.gateway.config import GatewayConfig
from parlor.gateway.gateway import Gateway
from parlor.gateway.json_scalars import Malformed
from parlor.gateway.limits import Bucket, Rate
from parlor.gateway.outlet import Frame
from parlor.gateway.payload import PING_FRAME, Payload
from parlor.gateway.session import Session
from parlor.gateway.transcode import from_bytes, from_json
from parlor.serving import ServiceError
from parlor.serving.traced_calls import TRACEPARENT
from parlor.v1.play_pb2 import ClientFrame, GoodbyeReason

JSON: Final = "parlor.v1.json"
PROTO: Final = "parlor.v1.proto"

_CONTROL: Final = Rate(5, 20)
"""Pings and pongs of one connection."""
_LONGEST_WAIT_MS: Final = 1_000
_FAREWELL_S: Final = 1.0
_HARD_LIMIT: Final = 4
"""Frames above so many times the limit are not even read to the end."""

_CLOSE_CODES: Final[Mapping["GoodbyeReason.ValueType | None", int]] = {
    GoodbyeReason.GOODBYE_REASON_REPLACED: 4001,
    GoodbyeReason.GOODBYE_REASON_DRAINING: aiohttp.WSCloseCode.SERVICE_RESTART,
    GoodbyeReason.GOODBYE_REASON_TOO_SLOW: aiohttp.WSCloseCode.TRY_AGAIN_LATER,
    GoodbyeReason.GOODBYE_REASON_REFUSED: aiohttp.WSCloseCode.POLICY_VIOLATION,
    GoodbyeReason.GOODBYE_REASON_SILENT: aiohttp.WSCloseCode.GOING_AWAY,
}


async def serve(gateway: Gateway, request: web.Request, address: str) -> web.StreamResponse:
    """Takes the connection for one session."""
    config = gateway.config
    connection = web.WebSocketResponse(
        protocols=(JSON, PROTO),
        autoping=False,
        compress=False,
        max_msg_size=_HARD_LIMIT * config.frame_bytes,
        timeout=_FAREWELL_S,
        decode_text=False,
    )
    try:
        await connection.prepare(request)
    except ConnectionError:
        # It was given up while it waited for its turn, which is no failure of ours to be logged, as a
        # WebSocket that was not prepared would be.
        return web.Response()
    transport = request.transport
    if transport is None:
        return connection
    _bound_kernel_buffers(transport, config)
    outlet = _Outlet(connection, transport, config)
    session = Session(gateway, outlet, address, trace_parent=request.headers.get(TRACEPARENT, ""))
    await session.run(_frames(connection, outlet, session, config))
    return connection


class _Outlet:
    """The way out of one WebSocket."""

    def __init__(
        self, connection: web.WebSocketResponse, transport: asyncio.Transport, config: GatewayConfig
    ) -> None:
        self._connection = connection
        self._transport = transport
        self._most = config.outgoing_bytes
        self._now = asyncio.get_running_loop().time
        self._sent = 0
        self._turn = 0.0
        self._turn_bytes = 0
        # Without a subprotocol it is JSON: what a person with a console would type.
        self.is_json = connection.ws_protocol != PROTO
        self.transport = "websocket_json" if self.is_json else "websocket_proto"
        self._encoded: Callable[[Payload], bytes] = Payload.text if self.is_json else Payload.binary
        self.traffic = traffic.of(self.transport)

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken yet."""
        now = self._now()
        if now != self._turn:
            self._turn, self._turn_bytes = now, 0
        # uvloop counts as waiting only what it has tried to write, which it does at the end of a
        # turn.
        return self._transport.get_write_buffer_size() + self._turn_bytes

    @property
    def taken(self) -> int:
        """Bytes that the client has taken."""
        return self._sent - self.waiting

    @property
    def is_gone(self) -> bool:
        """Whether the connection is closed, or about to be."""
        return self._transport.is_closing()

    def send(self, payload: Payload) -> bool:
        """Takes it, at once; False when too much is waiting already."""
        data = self._encoded(payload)
        waiting = self.waiting + len(data)
        if waiting > self._most:
            return False
        metrics.note_outgoing(waiting)
        self._turn_bytes += len(data)
        self._write(data)
        return True

    def farewell(self, payload: Payload) -> None:
        """Takes the last frame, on top of the bound."""
        self._write(self._encoded(payload))

    def ping(self) -> None:
        """Makes the client's software answer, even where a browser slows its page's timers down."""
        if not self._transport.is_closing():
            self._transport.write(PING_FRAME)

    async def close(self, goodbye: "GoodbyeReason.ValueType | None") -> None:
        """Closes within a second or two; what a client has not read by then it gets by resuming."""
        try:
            async with asyncio.timeout(_FAREWELL_S):
                await self._connection.close(code=_CLOSE_CODES.get(goodbye, aiohttp.WSCloseCode.OK))
        except (TimeoutError, ConnectionError):
            pass
        finally:
            if self._transport.get_write_buffer_size():
                self._transport.abort()

    def _write(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(data)
        self._sent += len(data)
        self.traffic.went(len(data))


async def _frames(
    connection: web.WebSocketResponse, outlet: _Outlet, session: Session, config: GatewayConfig
) -> AsyncIterator[Frame]:
    """What the client sends, until it closes."""
    # Frames without content are limited here: thousands of them in one read would otherwise be
    # taken in one turn of the loop, with everybody else waiting.
    control = Bucket(_CONTROL, asyncio.get_running_loop().time)
    async for message in connection:
        match message.type:
            case WSMsgType.TEXT | WSMsgType.BINARY:
                outlet.traffic.came(len(message.data))
                yield _read(message, outlet.is_json, config)
            case WSMsgType.PING | WSMsgType.PONG:
                session.heard()
                if wait := control.take():
                    await asyncio.sleep(min(wait, _LONGEST_WAIT_MS) / 1000)
                if message.type is WSMsgType.PING:
                    try:
                        await connection.pong(message.data)
                    except ConnectionError:
                        # It is gone, and not waiting for this.
                        return
            case _:
                return


def _read(message: aiohttp.WSMessage, is_json: bool, config: GatewayConfig) -> Frame:
    try:
        check_size(len(message.data), config.frame_bytes)
        if (message.type is WSMsgType.TEXT) is not is_json:
            return malformed(
                "text frames carry JSON and binary frames protobuf, as the subprotocol says"
            )
        if is_json:
            return from_json(message.data, ClientFrame)
        return from_bytes(message.data, ClientFrame)
    except ServiceError as error:
        return error
    except Malformed as error:
        return from_malformed(error)


def _bound_kernel_buffers(transport: asyncio.Transport, config: GatewayConfig) -> None:
    """Keeps the kernel from taking megabytes for a client that does not read, or floods."""
    peer = transport.get_extra_info("socket")
    if peer is not None and config.socket_bytes:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, config.socket_bytes)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, config.socket_bytes)
