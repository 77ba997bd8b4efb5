"""Frames over both subprotocols."""

import pytest

from parlor.client import codec
from parlor.v1.play_pb2 import Accepted, Answer, ClientFrame, Command, Ping, ServerFrame

ANSWER = ServerFrame(answer=Answer(request_id="r1", accepted=Accepted(seat=0, seq=3)))


def test_json_goes_as_text_and_protobuf_as_bytes() -> None:
    assert codec.encode(ClientFrame(ping=Ping()), codec.JSON) == '{"ping": {}}'
    assert isinstance(codec.encode(ClientFrame(ping=Ping()), codec.PROTO), bytes)


@pytest.mark.parametrize(
    "data",
    [
        ANSWER.SerializeToString(),
        '{"answer": {"requestId": "r1", "roomId": "", "accepted": {"seat": 0, "seq": 3}}}',
    ],
)
def test_both_say_the_same(data: bytes | str) -> None:
    assert codec.decode(data) == ANSWER


def test_what_a_newer_server_adds_is_ignored() -> None:
    assert codec.decode('{"answer": {"requestId": "r1", "newer": [1]}}').answer.request_id == "r1"


def test_bytes_in_json_are_base64() -> None:
    command = Command(request_id="r1", room_id="s1-doudizhu-abc123")
    command.ready.entropy = b"\xff"
    said = codec.encode(ClientFrame(command=command), codec.JSON)
    assert isinstance(said, str)
    assert '"/w=="' in said
