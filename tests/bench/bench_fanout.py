"""How many entries a gateway hands out, and what one costs it.

    python -m tests.bench.bench_fanout [--rooms 100] [--watchers 4] [--entries 100] [--form proto]

Rooms of a real engine are watched over real WebSockets. Their entries are published here, numbered
as an engine would, so that nothing but Redis, the gateway and this program works. Printed: frames
per second of wall time, and per second of the gateway's processor time, which says the same on a
busy machine.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import uvloop
from google.protobuf import json_format
from redis.asyncio import Redis

from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.keys import Keys
from parlor.serving.ports import free_port
from parlor.serving.redis_server import start
from parlor.v1 import doudizhu_pb2, engine_service_pb2, feed_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub
from parlor.v1.play_pb2 import ClientFrame, ServerFrame
from tests.bench.engine_process import engine, ready

KEYS = Keys()
HEAD_BYTES = 2
LONGER = 126


class Watcher:
    """A spectator that counts the frames it gets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.frames = 0
        self.seq = 0

    async def count(self, wanted: int) -> None:
        """Returns after so many frames more."""
        rest, until = b"", self.frames + wanted
        while self.frames < until:
            data = rest + await self.reader.read(1 << 16)
            at = 0
            while len(data) - at >= HEAD_BYTES:
                size, head = data[at + 1], HEAD_BYTES
                if size == LONGER:
                    if len(data) - at < HEAD_BYTES + 2:
                        break
                    size, head = int.from_bytes(data[at + 2 : at + 4], "big"), HEAD_BYTES + 2
                if len(data) - at < head + size:
                    break
                at += head + size
                # Frames of text and bytes; a ping is none.
                self.frames += size > 0
            rest = data[at:]


@contextmanager
def gateway(redis_url: str) -> Iterator[tuple[str, int]]:
    """A gateway process: its HTTP address and its process id."""
    port = free_port()
    env = {
        **os.environ,
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_GATEWAY_HTTP_PORT": str(port),
        "PARLOR_GATEWAY_ADDRESS_ARRIVALS_BURST": "1000000",
        "PARLOR_GATEWAY_HEADS_MS": "3600000",
        "PARLOR_GATEWAY_OUTGOING_BYTES": "100000000",
        "PARLOR_GATEWAY_HEARTBEAT_MS": "3600000",
        "PARLOR_GATEWAY_SILENCE_MS": "7200000",
        "PARLOR_LOG_LEVEL": "error",
        "PYTHONPATH": "services",
    }
    process = subprocess.Popen([sys.executable, "-m", "parlor.gateway"], env=env)
    try:
        yield f"127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


async def open_rooms(address: str, count: int) -> list[tuple[str, engine_service_pb2.Looked]]:
    """Rooms that may be watched, each with where its spectators stand."""
    config = room_pb2.GameConfig(doudizhu=doudizhu_pb2.DouDizhuConfig())
    rooms = []
    async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        stub: Any = EngineServiceStub(channel)
        for number in range(count):
            request = engine_service_pb2.EngineServiceOpenRoomRequest(
                request_id=str(number),
                opener="bench",
                config=config,
                options=room_pb2.RoomOptions(spectators=True),
            )
            room_id = (await stub.OpenRoom(request)).room.room_id
            look = engine_service_pb2.EngineRequest(
                call_id=1,
                player=engine_service_pb2.Player(player="watcher"),
                look=engine_service_pb2.Look(room_id=room_id, seat_only=True),
            )
            answer = await stub.Call(engine_service_pb2.CallRequest(request=look))
            rooms.append((room_id, answer.answer.looked))
    return rooms


async def watch(http: aiohttp.ClientSession, address: str, room_id: str, form: str) -> Watcher:
    """A spectator of the room that has its view."""
    async with http.post(
        f"http://{address}/login", json={"name": "Watcher", "bot": True}
    ) as answer:
        token = (await answer.json())["token"]
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
        f"Sec-WebSocket-Protocol: parlor.v1.{form}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    watcher = Watcher(reader, writer)
    send(watcher, ClientFrame(hello=play_pb2.Hello(token=token, protocol=1)), form)
    send(watcher, ClientFrame(watch=play_pb2.Watch(room_id=room_id)), form)
    await watcher.count(2)
    return watcher


def send(watcher: Watcher, frame: ClientFrame, form: str) -> None:
    """Writes a masked frame, with a mask that changes nothing."""
    data = (
        frame.SerializeToString() if form == "proto" else json_format.MessageToJson(frame).encode()
    )
    opcode = 0x82 if form == "proto" else 0x81
    watcher.writer.write(
        bytes((opcode, 0x80 | LONGER)) + len(data).to_bytes(2, "big") + bytes(4) + data
    )


def item(room_id: str, seq: int) -> bytes:
    """An entry of about the size of a card play, for spectators."""
    token = seq.to_bytes(8, "big")
    entry = play_pb2.Entry(room_id=room_id, seq=seq, token=token)
    entry.commit_time.FromMilliseconds(1_790_000_000_000 + seq)
    seat = room_pb2.SeatView(player="guest-0123456789abcdef", name="Ming", ready=True, online=True)
    entry.events.add(seat_changed=room_pb2.SeatChanged(seat=1, content=seat))
    made = feed_pb2.FeedItem()
    made.entry.spectators.CopyFrom(feed_pb2.Head(seq=seq, token=token))
    made.entry.deliveries.add(
        spectators=True, seq=seq, frame=ServerFrame(entry=entry).SerializeToString()
    )
    return made.SerializeToString()


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def publish(
    redis: Redis, rooms: list[tuple[str, engine_service_pb2.Looked]], count: int
) -> None:
    """Publishes `count` entries in each room, one of every room after the other."""
    for number in range(1, count + 1):
        pipeline = redis.pipeline(transaction=False)
        for room_id, looked in rooms:
            pipeline.spublish(KEYS.live(room_id), item(room_id, looked.seq + number))
        await pipeline.execute()


async def measure(redis_url: str, options: argparse.Namespace) -> None:
    """Watches, publishes, counts and prints."""
    with engine(redis_url) as (engine_address, engine_http), gateway(redis_url) as (address, pid):
        await ready(engine_http)
        await ready(f"http://{address}")
        rooms = await open_rooms(engine_address, options.rooms)
        async with aiohttp.ClientSession() as http:
            watchers = [
                await watch(http, address, room_id, options.form)
                for room_id, _ in rooms
                for _ in range(options.watchers)
            ]
        redis = Redis.from_url(redis_url)
        started, cpu = time.perf_counter(), cpu_s(pid)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(publish(redis, rooms, options.entries))
            for watcher in watchers:
                tasks.create_task(watcher.count(options.entries))
        wall, cpu = time.perf_counter() - started, cpu_s(pid) - cpu
        await redis.aclose()
        frames = len(watchers) * options.entries
        print(
            f"{options.form}: {len(rooms)} rooms of {options.watchers}, {frames} frames in {wall:.2f} s: "
            f"{frames / wall:,.0f}/s; gateway {cpu:.2f} s of processor: {frames / cpu:,.0f}/s per core"
        )


def main() -> None:
    """Measures one form, on a Redis of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--watchers", type=int, default=4)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--form", choices=("proto", "json"), default="proto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = start(Path(folder), append_only=False)
        try:
            uvloop.run(measure(server.url, options))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
