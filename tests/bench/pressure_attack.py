"""A hostile client, as a process of its own: `python -m tests.bench.pressure_attack KIND ADDRESS`.

It lets go at every line "on" that it reads, and stops at "off". It runs with the lowest priority: on
a machine of its own it would take no time from the server either.
"""

import asyncio
import contextlib
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import aiohttp

from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import ClientFrame

SOURCE: Final = "127.0.0.9"
"""The address that all of it comes from."""
CONNECTIONS: Final = 1_000
CHUNK: Final = 200
_SMALL: Final = 4_096

Attack = Callable[[str], Awaitable[None]]


async def not_reading(address: str) -> None:
    """Asks for all that it may and reads nothing; comes again once it is cut."""
    while True:
        with contextlib.suppress(aiohttp.ClientError, OSError):
            async with _session() as http:
                line = await _greeted(http, address)
                transport = _transport(line)
                transport.pause_reading()
                peer = transport.get_extra_info("socket")
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL)
                while not transport.is_closing():
                    for _ in range(20):
                        await line.send_bytes(_command())
                    await asyncio.sleep(0.5)
        await asyncio.sleep(0.05)


async def flooding(address: str) -> None:
    """Commands, pings of ours and of WebSocket, as many as the socket takes."""
    while True:
        with contextlib.suppress(aiohttp.ClientError, OSError):
            async with _session() as http:
                line = await _greeted(http, address)
                reading = asyncio.create_task(_read_all(line))
                try:
                    while not line.closed:
                        for _ in range(CHUNK):
                            await line.send_bytes(_command())
                            await line.send_bytes(
                                ClientFrame(ping=play_pb2.Ping()).SerializeToString()
                            )
                            await line.ping()
                            await line.pong()
                        await asyncio.sleep(0)
                finally:
                    reading.cancel()
        await asyncio.sleep(0.05)


async def connecting(address: str) -> None:
    """A thousand connections at once, none of which says anything, and all closed at once; again and again."""
    while True:
        async with _session() as http:
            await asyncio.gather(*(_open(http, address) for _ in range(CONNECTIONS)))
            await asyncio.sleep(0.2)


ATTACKS: Final[Mapping[str, Attack]] = {
    attack.__name__: attack for attack in (not_reading, flooding, connecting)
}


def _session() -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(local_addr=(SOURCE, 0), limit=0)
    return aiohttp.ClientSession(connector=connector)


async def _greeted(http: aiohttp.ClientSession, address: str) -> aiohttp.ClientWebSocketResponse:
    async with http.post(f"http://{address}/login", json={"name": "Mallory"}) as response:
        token = (await response.json())["token"]
    line = await http.ws_connect(f"ws://{address}/ws", protocols=("parlor.v1.proto",))
    hello = play_pb2.Hello(token=token, protocol=1, client="attack/1")
    await line.send_bytes(ClientFrame(hello=hello).SerializeToString())
    await line.receive()
    return line


def _command() -> bytes:
    command = play_pb2.Command(
        request_id=secrets.token_hex(8),
        room_id="s1-doudizhu-aaaaaaaaaa",
        ready=play_pb2.Ready(ready=True),
    )
    return ClientFrame(command=command).SerializeToString()


def _transport(line: aiohttp.ClientWebSocketResponse) -> asyncio.Transport:
    connection = line._response.connection
    assert connection is not None
    assert isinstance(connection.transport, asyncio.Transport)
    return connection.transport


async def _read_all(line: aiohttp.ClientWebSocketResponse) -> None:
    async for _ in line:
        pass


async def _open(http: aiohttp.ClientSession, address: str) -> None:
    with contextlib.suppress(aiohttp.ClientError, OSError):
        await http.ws_connect(f"ws://{address}/ws", protocols=("parlor.v1.proto",))


async def main(kind: str, address: str) -> None:
    """Obeys the lines of its input until that ends."""
    os.nice(19)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    attack: asyncio.Task[None] | None = None
    while line := (await lines.readline()).strip():
        if attack is not None:
            attack.cancel()
            await asyncio.gather(attack, return_exceptions=True)
            attack = None
        if line == b"on":
            attack = asyncio.create_task(_run(ATTACKS[kind], address))
        print(line.decode(), flush=True)


async def _run(attack: Attack, address: str) -> None:
    await attack(address)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
