"""A hostile client, as a process of its own: `python -m tests.bench.pressure_attack KIND ADDRESS ROOM…`.

At every line "off" that it reads it stops, says what it did as one line of JSON and prepares the next
attack, and at "on" it lets go. What is measured is what the server does about it, and not what the
client's own work costs a machine that both share: it runs only when nothing else wants to, what it sends
was made before, and the thousand connections are made all the time, to a socket of its own while the
server is left alone.
"""

import asyncio
import base64
import contextlib
import json
import math
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from typing import Final

import aiohttp

from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import ClientFrame

SOURCE: Final = "127.0.0.9"
"""The address that all of it comes from."""
CONNECTIONS: Final = 1_000
CHUNK: Final = 200
ASKED: Final = 64
"""Views that are asked for in one go: a little more than a new connection has for a burst."""
FOLLOWED: Final = 8
"""Rooms that one session may follow."""
_KEPT_S: Final = 1.0
"""How long the thousand are kept open."""
_SMALL: Final = 4_096
_LOOK_S: Final = 0.005
_PATIENCE_S: Final = 0.5
"""For how long nothing may be taken of what one sends that does not read, before it comes again."""


@dataclass(slots=True)
class Did:
    """What an attack did in one phase."""

    frames: int = 0
    """That the socket took."""
    connections: int = 0
    """That were opened."""
    ended: int = 0
    """Of those that said hello, the ones that the server ended."""


@dataclass(slots=True)
class Phase:
    """When to let go, and what came of it."""

    address: str
    rooms: Sequence[str]
    is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    given: asyncio.Event = field(default_factory=asyncio.Event)
    did: Did = field(default_factory=Did)

    async def wait(self) -> None:
        """Says that all is prepared, and waits for the signal."""
        self.is_ready.set()
        await self.given.wait()


Attack = Callable[[Phase], Awaitable[None]]


async def not_reading(phase: Phase) -> None:
    """Follows rooms, asks for their views again and again, and reads nothing; comes again once it is not heard."""
    rooms = cycle(phase.rooms[:FOLLOWED])
    asking = b"".join(_frame(2, _watch(room_id)) for room_id in islice(rooms, ASKED))
    async for transport in _guests(phase):
        _bound(transport, socket.SO_RCVBUF)
        transport.pause_reading()
        await _send_until_ended(phase, transport, asking, ASKED, patience_s=_PATIENCE_S)


async def flooding(phase: Phase) -> None:
    """Commands, pings of ours and of WebSocket, as many as the socket takes; comes again once it is cut."""
    ping = _frame(2, ClientFrame(ping=play_pb2.Ping()).SerializeToString())
    each = [_frame(2, _command()) + ping + _frame(9, b"") + _frame(10, b"") for _ in range(CHUNK)]
    async for transport in _guests(phase):
        await _send_until_ended(phase, transport, b"".join(each), 4 * CHUNK)


async def connecting(phase: Phase) -> None:
    """A thousand WebSockets at once, none of which says anything, and all closed at once; again and again."""
    host, _, port = phase.address.rpartition(":")
    key = base64.b64encode(bytes(16)).decode()
    asking = (
        f"GET /ws HTTP/1.1\r\nHost: {phase.address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    while True:
        lines = [_line() for _ in range(CONNECTIONS)]
        try:
            await phase.wait()
            async with asyncio.timeout(_KEPT_S):
                await asyncio.gather(
                    *(_open(line, (host, int(port)), asking, phase.did) for line in lines)
                )
                await asyncio.Future()
        except TimeoutError:
            pass
        finally:
            for line in lines:
                line.close()
        await asyncio.sleep(0.2)


ATTACKS: Final[Mapping[str, Attack]] = {
    attack.__name__: attack for attack in (not_reading, flooding, connecting)
}


async def _guests(phase: Phase) -> AsyncIterator[asyncio.Transport]:
    """The WebSocket of one new guest after the other; what one breaks of is followed by the next."""
    connector = aiohttp.TCPConnector(local_addr=(SOURCE, 0), limit=0)
    async with aiohttp.ClientSession(connector=connector, raise_for_status=True) as http:
        while True:
            with contextlib.suppress(aiohttp.ClientError, OSError):
                # Held here: a line that nobody holds closes itself.
                line = await _greeted(http, phase.address)
                transport = _transport(line)
                try:
                    phase.did.connections += 1
                    yield transport
                finally:
                    # Closed, it would wait for the server to take what is left.
                    transport.abort()
            await asyncio.sleep(10 * _LOOK_S)


async def _greeted(http: aiohttp.ClientSession, address: str) -> aiohttp.ClientWebSocketResponse:
    async with http.post(f"http://{address}/login", json={"name": "Mallory"}) as response:
        token = (await response.json())["token"]
    line = await http.ws_connect(f"ws://{address}/ws", protocols=("parlor.v1.proto",))
    hello = play_pb2.Hello(token=token, protocol=1, client="attack/1")
    await line.send_bytes(ClientFrame(hello=hello).SerializeToString())
    await line.receive()
    return line


async def _send_until_ended(
    phase: Phase,
    transport: asyncio.Transport,
    flood: bytes,
    frames: int,
    *,
    patience_s: float = math.inf,
) -> None:
    """Sends `flood`, so many frames, whenever the socket has taken the last one.

    Until the server ends the connection, or has taken nothing of it for as long as `patience_s`.
    """
    _bound(transport, socket.SO_SNDBUF)
    await phase.wait()
    now = asyncio.get_running_loop().time
    given_at = now()
    while not transport.is_closing() and now() < given_at + patience_s:
        if not transport.get_write_buffer_size():
            transport.write(flood)
            phase.did.frames += frames
            given_at = now()
        await asyncio.sleep(_LOOK_S)
    phase.did.ended += transport.is_closing()


def _transport(line: aiohttp.ClientWebSocketResponse) -> asyncio.Transport:
    connection = line._response.connection
    assert connection is not None
    assert isinstance(connection.transport, asyncio.Transport)
    return connection.transport


def _bound(transport: asyncio.Transport, buffer: int) -> None:
    """Keeps the kernel's buffer on this side small: what counts is what the server takes."""
    peer = transport.get_extra_info("socket")
    peer.setsockopt(socket.SOL_SOCKET, buffer, _SMALL)


def _frame(opcode: int, payload: bytes) -> bytes:
    """A short frame of a client, whose mask of zeros leaves the payload as it is."""
    assert len(payload) < 126
    return bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload


def _watch(room_id: str) -> bytes:
    return ClientFrame(watch=play_pb2.Watch(room_id=room_id)).SerializeToString()


def _command() -> bytes:
    command = play_pb2.Command(
        request_id=secrets.token_hex(8),
        room_id="s1-doudizhu-aaaaaaaaaa",
        ready=play_pb2.Ready(ready=True),
    )
    return ClientFrame(command=command).SerializeToString()


def _line() -> socket.socket:
    line = socket.socket()
    line.setblocking(False)
    line.bind((SOURCE, 0))
    return line


async def _open(line: socket.socket, address: tuple[str, int], asking: bytes, did: Did) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        await loop.sock_connect(line, address)
        await loop.sock_sendall(line, asking)
        did.connections += 1


async def main(kind: str, address: str, *rooms: str) -> None:
    """Obeys the lines of its input until that ends; raises what an attack failed of."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    attack = ATTACKS[kind]
    with socket.create_server(("127.0.0.1", 0), backlog=4_096) as decoy:
        decoyed = f"127.0.0.1:{decoy.getsockname()[1]}"
        elsewhere, here = Running(), Running()
        while line := (await lines.readline()).strip():
            did = Did()
            if line == b"on":
                await elsewhere.stop()
                here.let_go()
            else:
                did = await here.stop()
                await here.prepare(attack, Phase(address, rooms))
                if attack is connecting:
                    await elsewhere.prepare(attack, Phase(decoyed, rooms))
                    elsewhere.let_go()
            print(json.dumps(asdict(did)), flush=True)


class Running:
    """An attack as a task."""

    def __init__(self) -> None:
        self._phase = Phase("", ())
        self._task: asyncio.Future[None] | None = None

    async def prepare(self, attack: Attack, phase: Phase) -> None:
        """Returns when it waits for its signal; raises what it failed of."""
        self._phase = phase
        self._task = asyncio.ensure_future(attack(phase))
        ready = asyncio.ensure_future(phase.is_ready.wait())
        await asyncio.wait((self._task, ready), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._task.done():
            self._task.result()

    def let_go(self) -> None:
        """Gives the signal."""
        self._phase.given.set()

    async def stop(self) -> Did:
        """Ends it, where one runs: what it did. Raises what it failed of."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        return self._phase.did


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
