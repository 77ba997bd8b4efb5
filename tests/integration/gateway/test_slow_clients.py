"""A client that does not read, or does not speak, is cut; the others go on."""

import asyncio
import base64
import os
import socket
import struct

import pytest

from parlor.gateway import metrics
from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import ClientFrame, GoodbyeReason, ServerFrame
from tests.integration.gateway.support import (
    Client,
    Clients,
    GrpcLine,
    JsonLine,
    ProtoLine,
    gateway,
    redis_of,
    said,
)

Door = App[GatewayConfig]


class DeafLine:
    """A WebSocket on a socket of its own, which is read only when the test says so."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, door: Door) -> "DeafLine":
        host, port = door.http_address.split(":")
        ear = socket.socket()
        # Set before the connection, so that the kernel takes little for a client that is deaf.
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ear.setblocking(False)
        await asyncio.get_running_loop().sock_connect(ear, (host, int(port)))
        reader, writer = await asyncio.open_connection(sock=ear, limit=1024)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            (
                f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                "Sec-WebSocket-Protocol: parlor.v1.proto\r\n\r\n"
            ).encode()
        )
        while await reader.readline() != b"\r\n":
            pass
        return cls(reader, writer)

    async def write(self, frame: ClientFrame) -> None:
        data = frame.SerializeToString()
        header = bytes((0x82, 0x80 | 126)) + len(data).to_bytes(2, "big") + bytes(4)
        self.writer.write(header + data)

    async def read(self) -> ServerFrame | None:
        """The next frame; pings are left unanswered."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self.reader.readexactly(2), "big")
            data = await self.reader.readexactly(size)
            if first == 0x88:
                return None
            if first == 0x82:
                return ServerFrame.FromString(data)


async def test_a_client_that_does_not_read_is_cut_and_the_others_go_on(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with gateway(redis_url, outgoing_bytes=8_192, socket_bytes=4_096) as door:
        ann = await clients.connect(door, "Ann", line=ProtoLine)
        bob = await clients.connect(door, "Bob", line=GrpcLine)
        room_id = (await ann.open_room()).room_id
        await bob.accepted(room_id, join=play_pb2.Join())
        token, player = await clients.login(door, "Deaf")
        deaf = Client(await DeafLine.open(door), player, token)
        await deaf.hello()
        await deaf.watch(room_id)

        lines = 0
        cut = _cuts("too_slow")
        while _cuts("too_slow") == cut:
            await said(ann, room_id, f"{lines} {'x' * 110}")
            lines += 1
        # From now on it has a second to read why.
        reading = asyncio.create_task(deaf.rest())

        for number in range(lines):
            assert (await bob.next("chat")).chat.line.text.startswith(f"{number} ")
        await said(bob, room_id, "still here")
        frames = await reading
        assert frames[-1].goodbye.reason == GoodbyeReason.GOODBYE_REASON_TOO_SLOW
        heard = [frame for frame in frames if frame.HasField("chat")]
        assert 0 < len(heard) < lines


async def test_nothing_more_is_read_from_a_client_before_it_takes_what_waits_for_it(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    async with gateway(redis_url, outgoing_bytes=32_768, socket_bytes=4_096) as door:
        ann = await clients.connect(door, "Ann", line=ProtoLine)
        bob = await clients.connect(door, "Bob", line=GrpcLine)
        room_id = (await ann.open_room()).room_id
        await bob.accepted(room_id, join=play_pb2.Join())
        token, player = await clients.login(door, "Deaf")
        deaf = Client(await DeafLine.open(door), player, token)
        await deaf.hello()
        await deaf.accepted(room_id, join=play_pb2.Join())

        cut, paused = _cuts("too_slow"), _paused()
        while _paused() == paused:
            await said(ann, room_id, "x" * 120)
            await deaf.line.write(ClientFrame(ping=play_pb2.Ping()))
        say = play_pb2.Say(text="Can you hear me?")
        await deaf.send(command=play_pb2.Command(room_id=room_id, request_id="ask", say=say))
        await said(ann, room_id, "I can hear nothing.")
        assert await _sentence(bob) == "I can hear nothing."

        reading = asyncio.create_task(deaf.rest())
        assert await _sentence(bob) == "Can you hear me?"
        assert _cuts("too_slow") == cut
        reading.cancel()


async def test_a_client_that_reads_slowly_is_not_silent(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    silence_ms = 4_000
    async with gateway(
        redis_url,
        outgoing_bytes=131_072,
        socket_bytes=4_096,
        heartbeat_ms=100,
        silence_ms=silence_ms,
    ) as door:
        ann = await clients.connect(door, "Ann", line=ProtoLine)
        bob = await clients.connect(door, "Bob", line=JsonLine)
        room_id = (await ann.open_room()).room_id
        token, player = await clients.login(door, "Slow")
        slow = Client(await DeafLine.open(door), player, token)
        await slow.hello()
        await slow.watch(room_id)

        paused = _paused()
        while _paused() == paused:
            await said(ann, room_id, "好" * 120)
            await slow.line.write(ClientFrame(ping=play_pb2.Ping()))
        for _ in range(100):
            await said(ann, room_id, "好" * 120)

        # A frame each beat: for longer than anybody may be silent, nothing that it sends is read.
        await slow.send(
            command=play_pb2.Command(room_id=room_id, request_id="late", leave=play_pb2.Leave())
        )
        for _ in range(silence_ms // 100 * 3 // 2):
            await bob.next("heartbeat")
            await slow.next()
        assert _paused() == paused + 1
        answer = (await slow.next("answer")).answer
        assert answer.request_id == "late"


async def test_who_is_gone_before_an_answer_is_no_failure_to_be_logged(
    redis_url: str, clients: Clients, caplog: pytest.LogCaptureFixture
) -> None:
    upgrade = (
        b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    # A block of the address's arrivals is on its way when they are gone, so that they wait for it.
    async with gateway(redis_url, address_arrivals_burst=80) as door:
        host, port = door.http_address.split(":")
        for _ in range(8):
            with socket.create_connection((host, int(port))) as line:
                line.sendall(upgrade)
                # Closed without a word, as a network that breaks does.
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await clients.connect(door, "Ann")
    assert [record for record in caplog.records if record.name == "aiohttp.server"] == []


async def test_a_silent_client_is_given_up(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, heartbeat_ms=30, silence_ms=1_000) as door:
        token, player = await clients.login(door, "Mute")
        mute = Client(await DeafLine.open(door), player, token)
        await mute.hello()
        frames = await mute.rest()
        assert frames[-1].goodbye.reason == GoodbyeReason.GOODBYE_REASON_SILENT
        assert {frame.WhichOneof("frame") for frame in frames[:-1]} == {"heartbeat"}


async def test_a_client_whose_software_answers_pings_is_not_silent(
    redis_url: str, clients: Clients
) -> None:
    async with gateway(redis_url, heartbeat_ms=100, silence_ms=800) as door:
        ann = await clients.connect(door, "Ann", line=JsonLine)
        for _ in range(20):
            await ann.next("heartbeat")


async def test_heartbeats_carry_the_servers_time(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, heartbeat_ms=20) as door:
        ann = await clients.connect(door, "Ann", line=GrpcLine)
        beat = (await ann.next("heartbeat")).heartbeat
        seconds, microseconds = await redis_of(door).time()
        late_ms = seconds * 1000 + microseconds // 1000 - beat.server_time.ToMilliseconds()
        assert -50 <= late_ms < 20_000


async def test_a_session_ends_with_its_token(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, guest_token_ms=0, heartbeat_ms=20) as door:
        ann = await clients.connect(door, "Ann")
        goodbye = (await ann.next("goodbye")).goodbye
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_REFUSED


def _cuts(reason: str) -> float:
    count: float = metrics.cuts.labels(reason)._value.get()
    return count


def _paused() -> float:
    count: float = metrics.reads_paused._value.get()
    return count


async def _sentence(client: Client) -> str:
    """The next line of chat that is a sentence."""
    while True:
        text = (await client.next("chat")).chat.line.text
        if " " in text:
            return text
