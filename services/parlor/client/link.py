"""One connection to one gateway, from its hello to its end."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import aiohttp
from google.protobuf.json_format import ParseError
from google.protobuf.message import DecodeError

from parlor.client import codec
from parlor.client.errors import SessionOver
from parlor.v1.play_pb2 import ClientFrame, Goodbye, Hello, Ping, ServerFrame, Welcome
from parlor.v1.room_pb2 import Position

PROTOCOL = 1
"""Version of the protocol that this client speaks."""

CLIENT = "parlor-python/0.1"

_OPEN_S = 5.0
_BEATS_TO_DEATH = 3
_MOST_BYTES = 4 * 1024 * 1024


class LinkDown(Exception):
    """The connection could not be made, or broke, or fell silent; another one may do better."""


class Parted(Exception):
    """The gateway ended the session and said why."""

    def __init__(self, goodbye: Goodbye) -> None:
        super().__init__(str(goodbye.reason))
        self.goodbye = goodbye


class Link:
    """An open session over one WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, welcome: Welcome) -> None:
        self._socket = socket
        self.welcome = welcome
        self._silence_s = _BEATS_TO_DEATH * max(welcome.heartbeat_ms, 1) / 1000

    async def send(self, frame: ClientFrame) -> None:
        """Sends a frame; a connection that broke meanwhile is noticed by `frames`, not here."""
        data = codec.encode(frame, self._socket.protocol or codec.PROTO)
        try:
            if isinstance(data, str):
                await self._socket.send_str(data)
            else:
                await self._socket.send_bytes(data)
        except (aiohttp.ClientError, OSError):
            return

    async def frames(self) -> AsyncIterator[ServerFrame]:
        """Every frame after the welcome; ends with LinkDown or Parted."""
        while True:
            frame = await _next(self._socket, self._silence_s)
            if frame.HasField("goodbye"):
                raise Parted(frame.goodbye)
            yield frame

    def drop(self) -> None:
        """Cuts the connection as a dead network does, without a word to the gateway."""
        # aiohttp has no public way to break a connection.
        response = self._socket._response
        if response.connection is not None and response.connection.transport is not None:
            response.connection.transport.abort()

    async def keep_alive(self) -> None:
        """Says now and then that this client lives, until cancelled."""
        while True:
            await asyncio.sleep(self._silence_s / _BEATS_TO_DEATH)
            await self.send(ClientFrame(ping=Ping()))


@asynccontextmanager
async def linked(
    http: aiohttp.ClientSession,
    url: str,
    *,
    token: str,
    positions: Iterable[Position],
    subprotocol: str,
) -> AsyncIterator[Link]:
    """A session with the gateway at `url`, resumed at `positions`.

    Raises LinkDown, or SessionOver for what no other gateway would judge otherwise.
    """
    hello = Hello(token=token, protocol=PROTOCOL, client=CLIENT, positions=positions)
    try:
        async with asyncio.timeout(_OPEN_S):
            socket = await http.ws_connect(
                f"{url}/ws", protocols=(subprotocol,), max_msg_size=_MOST_BYTES, autoping=True
            )
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise LinkDown(f"{url}: {error}") from error
    async with socket:
        data = codec.encode(ClientFrame(hello=hello), subprotocol)
        try:
            await (socket.send_str(data) if isinstance(data, str) else socket.send_bytes(data))
        except (aiohttp.ClientError, OSError) as error:
            raise LinkDown(f"{url}: {error}") from error
        first = await _next(socket, _OPEN_S)
        if first.HasField("goodbye"):
            raise Parted(first.goodbye)
        if not first.HasField("welcome"):
            raise LinkDown(f"{url}: no welcome but {first.WhichOneof('frame')}")
        if first.welcome.protocol != PROTOCOL:
            raise SessionOver()
        yield Link(socket, first.welcome)


async def _next(socket: aiohttp.ClientWebSocketResponse, silence_s: float) -> ServerFrame:
    try:
        message = await socket.receive(timeout=silence_s)
    except TimeoutError:
        raise LinkDown(f"nothing was heard for {silence_s:.1f} s") from None
    except (aiohttp.ClientError, OSError) as error:
        raise LinkDown(str(error)) from error
    if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
        try:
            return codec.decode(message.data)
        except (DecodeError, ParseError) as error:
            raise LinkDown(f"an unreadable frame: {error}") from error
    raise LinkDown(f"the connection ended with {socket.close_code}")
