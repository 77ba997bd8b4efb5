"""Connections over which hostile frames go, and what is counted of the answers."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import aiohttp
import grpc

from parlor.client import codec
from parlor.client.link import PROTOCOL
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1.play_pb2 import ClientFrame, Hello, Ping, ServerFrame
from parlor.v1.play_service_pb2 import (
    ConnectRequest,
    ConnectResponse,
    ExecuteRequest,
    ExecuteResponse,
)
from tests.integration.play.hostile import Hostile, Raw

BURST = 25
"""Frames between two looks at what was answered."""

PATIENCE_S = 60.0


@dataclass
class Answers:
    """What was sent, and what was said to it."""

    sent: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    cuts: int = 0
    """Connections that the server ended."""
    wrong: list[str] = field(default_factory=list)
    """What should not have happened."""

    def took(self, frame: ServerFrame, owed: int) -> int:
        """Counts the error in a frame; how many of the frames sent can still be given one.

        `owed` is counted over a whole connection: a frame spoilt into a ping ends a burst early.
        """
        match frame.WhichOneof("frame"):
            case "answer" if frame.answer.HasField("refused"):
                refusal = frame.answer.refused
            case "refusal":
                refusal = frame.refusal
            case "goodbye":
                self.cuts += 1
                refusal = frame.goodbye.refusal
            case _:
                return owed
        self.error(reason_name(refusal.reason))
        if owed == 0:
            self.wrong.append(f"one error too many: {refusal}")
        return max(owed - 1, 0)

    def error(self, reason: str) -> None:
        """Counts an error; a defect of the service is none that may be told."""
        self.errors[reason] += 1
        if reason in ("INTERNAL", "UNSPECIFIED"):
            self.wrong.append(f"an error without a reason: {reason}")


async def over_websocket(
    url: str, token: str, subprotocol: str, make: Callable[[], Raw], count: int, answers: Answers
) -> None:
    """Sends `count` hostile frames, over as many connections as that takes."""
    async with aiohttp.ClientSession() as http:
        left = count
        while left:
            async with http.ws_connect(f"{url}/ws", protocols=(subprotocol,)) as socket:
                await _send(socket, _hello(token), subprotocol)
                assert (await _receive(socket)).HasField("welcome")
                owed: int | None = 0
                while left and owed is not None:
                    burst = [make() for _ in range(min(BURST, left))]
                    left -= len(burst)
                    answers.sent += len(burst)
                    owed = await _burst(socket, subprotocol, burst, answers, owed)


async def with_hellos(
    url: str, make: Callable[[], ClientFrame], count: int, answers: Answers
) -> None:
    """Opens `count` connections whose first frame is no good hello: one goodbye each."""
    async with aiohttp.ClientSession() as http:
        for _ in range(count):
            async with http.ws_connect(f"{url}/ws", protocols=(codec.PROTO,)) as socket:
                answers.sent += 1
                await _send(socket, make(), codec.PROTO)
                frame = await _receive(socket)
                if not frame.HasField("goodbye"):
                    answers.wrong.append(f"a bad hello was answered with {frame}")
                answers.took(frame, 1)
                end = await socket.receive(PATIENCE_S)
                assert end.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED), end


async def over_connect(
    channel: grpc.aio.Channel, token: str, hostile: Hostile, count: int, answers: Answers
) -> None:
    """Sends `count` hostile frames over `PlayService.Connect`, some of them no messages at all."""
    connect = channel.stream_stream(
        "/parlor.v1.PlayService/Connect",
        request_serializer=lambda data: data,
        response_deserializer=ConnectResponse.FromString,
    )
    left = count
    while left:
        call = connect()
        await call.write(_enclosed(_hello(token)))
        frames = _frames(call)
        assert (await anext(frames)).HasField("welcome")
        owed: int | None = 0
        while left and owed is not None:
            burst = [_raw_request(hostile) for _ in range(min(BURST, left))]
            left -= len(burst)
            answers.sent += len(burst)
            owed = await _stream_burst(call, frames, burst, answers, owed)
        call.cancel()


async def by_unary_calls(
    channel: grpc.aio.Channel,
    token: str,
    make: Callable[[], ExecuteRequest],
    count: int,
    answers: Answers,
) -> None:
    """Makes `count` calls of which every one has to be refused."""
    execute = channel.unary_unary(
        "/parlor.v1.PlayService/Execute",
        request_serializer=ExecuteRequest.SerializeToString,
        response_deserializer=ExecuteResponse.FromString,
    )
    for _ in range(count):
        answers.sent += 1
        request = make()
        try:
            await execute(
                request, metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE_S
            )
        except grpc.aio.AioRpcError as error:
            answers.error(reason_name(from_rpc_error(error).reason))
        else:
            answers.wrong.append(f"accepted: {request}")


def _hello(token: str) -> ClientFrame:
    return ClientFrame(hello=Hello(token=token, protocol=PROTOCOL, client="hostile"))


async def _send(
    socket: aiohttp.ClientWebSocketResponse, frame: ClientFrame, subprotocol: str
) -> None:
    await _send_raw(socket, codec.encode(frame, subprotocol))


async def _send_raw(socket: aiohttp.ClientWebSocketResponse, data: Raw) -> None:
    if isinstance(data, str):
        await socket.send_str(data)
    else:
        await socket.send_bytes(data)


async def _receive(socket: aiohttp.ClientWebSocketResponse) -> ServerFrame:
    message = await socket.receive(PATIENCE_S)
    assert message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), message
    return codec.decode(message.data)


async def _burst(
    socket: aiohttp.ClientWebSocketResponse,
    subprotocol: str,
    burst: list[Raw],
    answers: Answers,
    owed: int,
) -> int | None:
    """Sends a burst and a ping and reads until a ping is answered; None once it is closed.

    `owed` frames of the connection are without an error; gives how many then are.
    """
    owed += len(burst)
    try:
        for data in burst:
            await _send_raw(socket, data)
        await _send(socket, ClientFrame(ping=Ping()), subprotocol)
    except (ConnectionError, aiohttp.ClientError):
        # It was closed while we were sending; what was said about it comes first.
        pass
    while True:
        message = await socket.receive(PATIENCE_S)
        if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            return None
        frame = codec.decode(message.data)
        owed = answers.took(frame, owed)
        if frame.HasField("heartbeat"):
            return owed


def _enclosed(frame: ClientFrame) -> bytes:
    return ConnectRequest(frame=frame).SerializeToString()


def _raw_request(hostile: Hostile) -> bytes:
    data = hostile.binary()
    if isinstance(data, str):
        return data.encode()
    frame = ClientFrame()
    try:
        frame.ParseFromString(data)
    except Exception:
        return data
    return _enclosed(frame)


async def _frames(
    call: "grpc.aio.StreamStreamCall[bytes, ConnectResponse]",
) -> AsyncIterator[ServerFrame]:
    async for response in call:
        yield response.frame


async def _stream_burst(
    call: "grpc.aio.StreamStreamCall[bytes, ConnectResponse]",
    frames: AsyncIterator[ServerFrame],
    burst: list[bytes],
    answers: Answers,
    owed: int,
) -> int | None:
    """As `_burst`, over gRPC."""
    owed += len(burst)
    try:
        for data in (*burst, _enclosed(ClientFrame(ping=Ping()))):
            await call.write(data)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        pass
    try:
        async with asyncio.timeout(PATIENCE_S):
            async for frame in frames:
                owed = answers.took(frame, owed)
                if frame.HasField("heartbeat"):
                    return owed
    except grpc.aio.AioRpcError as error:
        answers.cuts += 1
        answers.error(reason_name(from_rpc_error(error).reason))
    return None
