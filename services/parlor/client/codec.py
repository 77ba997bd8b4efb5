"""Frames as a WebSocket carries them: the same messages, as protobuf or as proto3 JSON."""

from typing import Final

from google.protobuf import json_format

from parlor.v1.play_pb2 import ClientFrame, ServerFrame

PROTO: Final = "parlor.v1.proto"
"""Subprotocol with binary frames."""

JSON: Final = "parlor.v1.json"
"""Subprotocol with text frames."""


def encode(frame: ClientFrame, subprotocol: str) -> bytes | str:
    """What to send for `frame`: bytes for a binary frame, a string for a text frame."""
    if subprotocol == JSON:
        return json_format.MessageToJson(frame, indent=None)
    return frame.SerializeToString()


def decode(data: bytes | str) -> ServerFrame:
    """The frame that was received; what a newer server added is ignored."""
    if isinstance(data, str):
        return json_format.Parse(data, ServerFrame(), ignore_unknown_fields=True)
    return ServerFrame.FromString(data)
