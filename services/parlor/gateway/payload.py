"""One server frame on its way to any number of recipients.

What a transport writes is made at most once per transport, however many receive it. A protobuf
client gets the engine's own bytes; only JSON and gRPC clients make the frame be opened, and what is
opened is the frame, never to decide anything.
"""

from typing import Final

from parlor.gateway.transcode import to_json
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.play_service_pb2 import ConnectResponse

TEXT: Final = 0x1
BINARY: Final = 0x2
PING: Final = 0x9

_FIN: Final = 0x80


class Payload:
    """An encoded ServerFrame, and what has been made of it."""

    __slots__ = ("_binary", "_response", "_text", "frame")

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self._binary: bytes | None = None
        self._text: bytes | None = None
        self._response: ConnectResponse | None = None

    @classmethod
    def of(cls, frame: ServerFrame) -> "Payload":
        """The payload of a frame of the gateway's own."""
        return cls(frame.SerializeToString())

    def binary(self) -> bytes:
        """As a binary WebSocket frame."""
        if self._binary is None:
            self._binary = framed(BINARY, self.frame)
        return self._binary

    def text(self) -> bytes:
        """As a WebSocket frame of JSON text."""
        if self._text is None:
            self._text = framed(TEXT, to_json(ServerFrame.FromString(self.frame)))
        return self._text

    def response(self) -> ConnectResponse:
        """As a message of `PlayService.Connect`; not to be changed."""
        if self._response is None:
            self._response = ConnectResponse(frame=ServerFrame.FromString(self.frame))
        return self._response


def framed(opcode: int, data: bytes) -> bytes:
    """A whole, unmasked WebSocket frame (RFC 6455, 5.2).

    >>> framed(TEXT, b"hi").hex(" ")
    '81 02 68 69'
    """
    size = len(data)
    if size < 126:
        return bytes((_FIN | opcode, size)) + data
    if size < 1 << 16:
        return bytes((_FIN | opcode, 126)) + size.to_bytes(2, "big") + data
    return bytes((_FIN | opcode, 127)) + size.to_bytes(8, "big") + data


PING_FRAME: Final = framed(PING, b"")
"""Answered by every WebSocket client on its own, browsers in the background too."""
