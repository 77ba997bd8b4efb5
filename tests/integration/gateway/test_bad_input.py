"""Whatever a client sends, it gets one typed answer, and nobody else notices."""

import json
from typing import Any

import aiohttp
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import play_pb2, play_service_pb2
from parlor.v1.play_pb2 import ClientFrame, GoodbyeReason
from tests.integration.gateway.support import (
    CONFIG,
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    gateway,
    reason_of,
)

Door = App[GatewayConfig]

UNKNOWN_ROOM = "s1-doudizhu-abcdefgh"


@pytest.mark.parametrize(
    ("text", "reason", "field"),
    [
        ("{", "MALFORMED", None),
        ("[]", "MALFORMED", None),
        ("{}", "MALFORMED", "frame"),
        ('{"ping": {}, "unwatch": {}}', "MALFORMED", "unwatch"),
        ('{"dance": {}}', "MALFORMED", "dance"),
        ('{"command": {"roomId": 7}}', "MALFORMED", "command.roomId"),
        ('{"command": {"act": {"decision": 2147483648}}}', "MALFORMED", "command.act.decision"),
        ('{"watch": {}}', "MALFORMED", "watch"),
        ('{"watch": {"code": "12345x"}}', "MALFORMED", "code"),
        ('{"watch": {"roomId": "nowhere"}}', "ROOM_NOT_FOUND", None),
        ('{"watch": {"roomId": "s1-chess-abcdefgh"}}', "ROOM_NOT_FOUND", None),
        (f'{{"watch": {{"roomId": "{UNKNOWN_ROOM}"}}}}', "ROOM_NOT_FOUND", None),
        ('{"watch": {"code": "000000"}}', "CODE_NOT_FOUND", None),
        ('{"hello": {}}', "HELLO_EXPECTED", None),
        ('{"say": "' + "x" * 16_400 + '"}', "TOO_LARGE", None),
        ('{"command": {"join": {}, "roomId": "' + UNKNOWN_ROOM + '"}}', "MALFORMED", "request_id"),
        ("[" * 10_000, "MALFORMED", None),
        ('{"ping": "\\ud800"}', "MALFORMED", None),
    ],
)
async def test_a_bad_frame_gets_one_refusal_and_the_session_goes_on(
    door: Door, clients: Clients, text: str, reason: str, field: str | None
) -> None:
    ann = await clients.connect(door, "Ann")
    await ann.line.socket.send_str(text)  # type: ignore[attr-defined]
    refusal = (await ann.next()).refusal
    assert (reason_of(refusal), refusal.metadata.get("field")) == (reason, field)
    await ann.synced()
    kinds = [frame.WhichOneof("frame") for frame in ann.seen]
    # A slow machine comes to a heartbeat more.
    assert [kind for kind in kinds if kind != "heartbeat"] == ["welcome", "refusal"]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (
            {"command": play_pb2.Command(room_id=UNKNOWN_ROOM, join=play_pb2.Join())},
            "ROOM_NOT_FOUND",
        ),
        ({"command": play_pb2.Command(room_id="x", join=play_pb2.Join())}, "ROOM_NOT_FOUND"),
        ({"command": play_pb2.Command(room_id=UNKNOWN_ROOM)}, "MALFORMED"),
        ({"open_room": play_pb2.OpenRoom()}, "MALFORMED"),
        ({"enqueue": play_pb2.Enqueue()}, "MALFORMED"),
        ({"enqueue": play_pb2.Enqueue(config=CONFIG)}, "NO_ENGINE"),
        ({"dequeue": play_pb2.Dequeue()}, "NO_ENGINE"),
    ],
)
@pytest.mark.parametrize("line", [JsonLine, ProtoLine, GrpcLine])
async def test_a_request_that_cannot_be_carried_out_is_refused_by_its_id(
    door: Door, clients: Clients, line: object, frame: dict[str, Any], reason: str
) -> None:
    ann = await clients.connect(door, "Ann", line=line)
    (request,) = frame.values()
    request.request_id = "mine"
    await ann.send(**frame)
    answer = (await ann.next()).answer
    assert (answer.request_id, reason_of(answer.refused)) == ("mine", reason)


async def _goodbye(line: Any, *frames: ClientFrame) -> play_pb2.Goodbye:
    client = Client(line)
    for frame in frames:
        await line.write(frame)
    (last,) = await client.rest()
    return last.goodbye


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (ClientFrame(ping=play_pb2.Ping()), "HELLO_EXPECTED"),
        (ClientFrame(), "HELLO_EXPECTED"),
        (ClientFrame(hello=play_pb2.Hello(protocol=2)), "UNSUPPORTED_PROTOCOL"),
        (ClientFrame(hello=play_pb2.Hello(protocol=1)), "INVALID_TOKEN"),
        (ClientFrame(hello=play_pb2.Hello(protocol=1, token="a.b.c")), "INVALID_TOKEN"),
        (ClientFrame(hello=play_pb2.Hello(protocol=1, client="x" * 65)), "MALFORMED"),
    ],
)
@pytest.mark.parametrize("line", [JsonLine, ProtoLine, GrpcLine])
async def test_a_bad_beginning_ends_the_session(
    door: Door, clients: Clients, line: object, frame: ClientFrame, reason: str
) -> None:
    goodbye = await _goodbye(await clients.line(door, line), frame)
    assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_REFUSED
    assert reason_of(goodbye.refusal) == reason


async def test_a_client_that_says_nothing_is_not_waited_for(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url, hello_ms=30) as door:
        goodbye = await _goodbye(await clients.line(door))
        assert reason_of(goodbye.refusal) == "HELLO_EXPECTED"


async def test_too_many_malformed_frames_end_the_session(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, malformed=3) as door:
        ann = await clients.connect(door, "Ann")
        for _ in range(3):
            await ann.line.socket.send_str("nonsense")  # type: ignore[attr-defined]
        kinds = [frame.WhichOneof("frame") for frame in await ann.rest()]
        assert kinds == ["refusal", "refusal", "goodbye"]
        assert ann.line.socket.close_code == aiohttp.WSCloseCode.POLICY_VIOLATION  # type: ignore[attr-defined]


async def test_bytes_that_are_no_frame_are_refused(door: Door, clients: Clients) -> None:
    ann = await clients.connect(door, "Ann", line=ProtoLine)
    await ann.line.socket.send_bytes(b"\xff" * 20)  # type: ignore[attr-defined]
    assert reason_of((await ann.next()).refusal) == "MALFORMED"
    await ann.line.socket.send_str("{}")  # type: ignore[attr-defined]
    assert reason_of((await ann.next()).refusal) == "MALFORMED"
    await ann.synced()


async def test_a_page_of_another_origin_may_not_connect(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, origins=("https://play.example",)) as door:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await clients.line(door, origin="https://evil.example")
        for origin in ("https://play.example", f"http://{door.http_address}", None):
            socket = (await clients.line(door, origin=origin)).socket
            assert socket.protocol == JsonLine.protocol


async def test_a_client_of_another_protocol_is_told(door: Door) -> None:
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(f"http://{door.http_address}/ws", protocols=("mqtt",))
        assert refused.value.status == 400
        socket = await http.ws_connect(f"http://{door.http_address}/ws")
        await socket.send_str("{}")
        assert "HELLO_EXPECTED" in await socket.receive_str()


async def test_logins_are_checked(door: Door) -> None:
    url = f"http://{door.http_address}/login"
    bad = {
        b"": 400,
        b"[]": 400,
        b'{"name": ""}': 400,
        json.dumps({"name": "x" * 25}).encode(): 400,
        json.dumps({"name": "a\u202eb"}).encode(): 400,
        b'{"name": "Ann", "admin": true}': 400,
        b" " * 2_000: 413,
    }
    async with aiohttp.ClientSession() as http:
        for body, status in bad.items():
            async with http.post(url, data=body) as response:
                assert response.status == status, body
                assert "reason" in await response.json()


async def test_the_page_says_what_this_is_and_lets_nothing_foreign_in(door: Door) -> None:
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://{door.http_address}/") as response,
    ):
        assert "Parlor" in await response.text()
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_a_message_of_a_stream_that_is_no_frame_is_refused(
    door: Door, clients: Clients
) -> None:
    raw: Any = clients.channel(door).stream_stream(
        "/parlor.v1.PlayService/Connect",
        response_deserializer=play_service_pb2.ConnectResponse.FromString,
    )
    token, player = await clients.login(door, "Ann")
    ann = Client(RawGrpcLine(raw()), player, token)
    await ann.hello()
    await ann.line.call.write(b"\xff" * 20)  # type: ignore[attr-defined]
    assert reason_of((await ann.next()).refusal) == "MALFORMED"
    await ann.synced()


class RawGrpcLine(GrpcLine):
    """A gRPC stream on which any bytes can be written."""

    async def write(self, frame: ClientFrame) -> None:
        await self.call.write(play_service_pb2.ConnectRequest(frame=frame).SerializeToString())
