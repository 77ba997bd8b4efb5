"""A hostile client, as a process of its own: `python -m tests.bench.pressure_attack KIND ADDRESS`.

At every line "off" that it reads it stops and prepares the next attack, and at "on" it lets go. What
is measured is what the server does about it, and not what the client's own work costs a machine that both
share: it runs only when nothing else wants to, what it sends was made before, and the thousand
connections are made all the time, to a socket of its own while the server is left alone.
"""

import asyncio
import base64
import contextlib
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

import aiohttp

from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import ClientFrame

SOURCE: Final = "127.0.0.9"
"""The address that all of it comes from."""
CONNECTIONS: Final = 1_000
CHUNK: Final = 200
_KEPT_S: Final = 1.0
"""How long the thousand are kept open."""
_SMALL: Final = 4_096


class Signal:
    """When to let go."""

    def __init__(self) -> None:
        self.is_ready = asyncio.Event()
        self.given = asyncio.Event()

    async def wait(self) -> None:
        """Says that all is prepared, and waits for it."""
        self.is_ready.set()
        await self.given.wait()


Attack = Callable[[str, Signal], Awaitable[None]]


async def not_reading(address: str, signal: Signal) -> None:
    """Asks for all that it may and reads nothing; comes again once it is cut."""
    flood = b"".join(_frame(2, _command()) for _ in range(20))
    while True:
        async with _greeted(address) as transport:
            _bound(transport, socket.SO_RCVBUF)
            transport.pause_reading()
            await signal.wait()
            while not transport.is_closing():
                transport.write(flood)
                await asyncio.sleep(0.5)


async def flooding(address: str, signal: Signal) -> None:
    """Commands, pings of ours and of WebSocket, as many as the socket takes; comes again once it is cut."""
    ping = _frame(2, ClientFrame(ping=play_pb2.Ping()).SerializeToString())
    flood = b"".join(
        _frame(2, _command()) + ping + _frame(9, b"") + _frame(10, b"") for _ in range(CHUNK)
    )
    while True:
        async with _greeted(address) as transport:
            _bound(transport, socket.SO_SNDBUF)
            await signal.wait()
            while not transport.is_closing():
                if not transport.get_write_buffer_size():
                    transport.write(flood)
                await asyncio.sleep(0.005)


async def connecting(address: str, signal: Signal) -> None:
    """A thousand WebSockets at once, none of which says anything, and all closed at once; again and again."""
    host, _, port = address.rpartition(":")
    key = base64.b64encode(bytes(16)).decode()
    asking = (
        f"GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    while True:
        lines = [_line() for _ in range(CONNECTIONS)]
        try:
            await signal.wait()
            async with asyncio.timeout(_KEPT_S):
                await asyncio.gather(*(_open(line, (host, int(port)), asking) for line in lines))
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


@contextlib.asynccontextmanager
async def _greeted(address: str) -> AsyncIterator[asyncio.Transport]:
    """The transport of a new guest's WebSocket; what the connection breaks of is suppressed."""
    connector = aiohttp.TCPConnector(local_addr=(SOURCE, 0), limit=0)
    with contextlib.suppress(aiohttp.ClientError, OSError):
        async with aiohttp.ClientSession(connector=connector) as http:
            async with http.post(f"http://{address}/login", json={"name": "Mallory"}) as response:
                token = (await response.json())["token"]
            line = await http.ws_connect(f"ws://{address}/ws", protocols=("parlor.v1.proto",))
            hello = play_pb2.Hello(token=token, protocol=1, client="attack/1")
            await line.send_bytes(ClientFrame(hello=hello).SerializeToString())
            await line.receive()
            transport = _transport(line)
            try:
                yield transport
            finally:
                # Closed, it would wait for the server to take what is left.
                transport.abort()
    await asyncio.sleep(0.05)


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


async def _open(line: socket.socket, address: tuple[str, int], asking: bytes) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        await loop.sock_connect(line, address)
        await loop.sock_sendall(line, asking)


async def main(kind: str, address: str) -> None:
    """Obeys the lines of its input until that ends."""
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
            if line == b"on":
                await elsewhere.stop()
                here.signal.given.set()
            else:
                await here.stop()
                await here.prepare(attack, address)
                if attack is connecting:
                    await elsewhere.prepare(attack, decoyed)
                    elsewhere.signal.given.set()
            print(line.decode(), flush=True)


class Running:
    """An attack as a task."""

    def __init__(self) -> None:
        self.signal = Signal()
        self._task: asyncio.Future[None] | None = None

    async def prepare(self, attack: Attack, address: str) -> None:
        """Returns when it waits for its signal."""
        self.signal = Signal()
        self._task = asyncio.ensure_future(attack(address, self.signal))
        await self.signal.is_ready.wait()

    async def stop(self) -> None:
        """Ends it, where one runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
