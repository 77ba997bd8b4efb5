"""Gateways and engines in this process, and clients of each transport that speak to them."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Protocol

import aiohttp
import grpc
from google.protobuf import json_format
from redis.asyncio import Redis

from parlor.engine.config import EngineConfig
from parlor.engine.host import Host
from parlor.engine.serve import SERVICES as ENGINE_SERVICES
from parlor.engine.serve import engine_of
from parlor.gateway.config import GatewayConfig
from parlor.gateway.serve import SERVICES, bind
from parlor.rules.catalog import GAMES
from parlor.serving import App, serving
from parlor.serving.errors import reason_name
from parlor.serving.keys import Keys
from parlor.serving.redis import primaries
from parlor.v1 import doudizhu_pb2, feed_pb2, play_pb2, play_service_pb2, room_pb2
from parlor.v1.play_pb2 import ClientFrame, ServerFrame
from parlor.v1.play_service_pb2_grpc import PlayServiceStub
from parlor.wire.catalog import WIRE

KIND = "doudizhu"
KEYS = Keys()
PATIENCE_S = 60.0

QUICK: dict[str, Any] = {
    "engine_poll_ms": 50,
    "heads_ms": 50,
    "frames_per_s": 100_000,
    "frames_burst": 100_000,
    "player_requests_per_s": 100_000,
    "player_requests_burst": 100_000,
    "drain_ms": 4_000,
    "leave_ms": 300,
}
"""Settings of a gateway whose tests shall not wait; limits are tested where they are set."""
CONFIG = room_pb2.GameConfig(doudizhu=doudizhu_pb2.DouDizhuConfig())


@asynccontextmanager
async def gateway(redis_url: str, **settings: Any) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway on free ports."""
    settings = QUICK | settings
    config = GatewayConfig(redis_url=redis_url, **settings)
    async with serving("gateway", config, bind, services=SERVICES) as app:
        yield app


@asynccontextmanager
async def engine(redis_url: str) -> AsyncIterator[App[EngineConfig]]:
    """An engine for Dou Dizhu."""
    config = EngineConfig(redis_url=redis_url, unbounded=True, advice_ms=60_000)
    host = Host(game=GAMES[KIND], wire=WIRE[KIND])
    async with serving("engine", config, engine_of(host), services=ENGINE_SERVICES) as app:
        yield app


class Line(Protocol):
    """A client's connection, in frames."""

    async def write(self, frame: ClientFrame) -> None: ...

    async def read(self) -> ServerFrame | None: ...


class JsonLine:
    """A WebSocket of JSON."""

    protocol = "parlor.v1.json"

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def write(self, frame: ClientFrame) -> None:
        await self.socket.send_str(json_format.MessageToJson(frame))

    async def read(self) -> ServerFrame | None:
        message = await self.socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            return None
        return json_format.Parse(message.data, ServerFrame())


class ProtoLine(JsonLine):
    """A WebSocket of protobuf."""

    protocol = "parlor.v1.proto"

    async def write(self, frame: ClientFrame) -> None:
        await self.socket.send_bytes(frame.SerializeToString())

    async def read(self) -> ServerFrame | None:
        message = await self.socket.receive()
        if message.type is not aiohttp.WSMsgType.BINARY:
            return None
        return ServerFrame.FromString(message.data)


class GrpcLine:
    """A gRPC stream."""

    def __init__(self, call: Any) -> None:
        self.call = call

    async def write(self, frame: ClientFrame) -> None:
        await self.call.write(play_service_pb2.ConnectRequest(frame=frame))

    async def read(self) -> ServerFrame | None:
        try:
            response = await self.call.read()
        except grpc.aio.AioRpcError:
            return None
        return None if response is grpc.aio.EOF else response.frame


class Client:
    """A player's program: keeps what it got, and waits for what it expects."""

    def __init__(self, line: Line, player: str = "", token: str = "") -> None:
        self.line = line
        self.player = player
        self.token = token
        self.seen: list[ServerFrame] = []

    async def send(self, **frame: Any) -> None:
        await self.line.write(ClientFrame(**frame))

    async def next(self, *kinds: str) -> ServerFrame:
        """The next frame of one of these kinds; of any but heartbeats where none is named."""
        # Over all of them, for heartbeats come for ever.
        async with asyncio.timeout(PATIENCE_S):
            while True:
                frame = await self.line.read()
                assert frame is not None, f"closed while waiting for {kinds}: {self.seen[-3:]}"
                self.seen.append(frame)
                kind = frame.WhichOneof("frame")
                if kind in kinds or (not kinds and kind != "heartbeat"):
                    return frame

    async def rest(self) -> list[ServerFrame]:
        """All frames up to the end of the connection."""
        frames = []
        async with asyncio.timeout(PATIENCE_S):
            while (frame := await self.line.read()) is not None:
                frames.append(frame)
        self.seen += frames
        return frames

    async def seen_of(self, kind: str) -> ServerFrame:
        """The last frame of this kind, waited for where there is none yet."""
        found = [frame for frame in self.seen if frame.WhichOneof("frame") == kind]
        return found[-1] if found else await self.next(kind)

    async def hello(self, *positions: room_pb2.Position) -> play_pb2.Welcome:
        hello = play_pb2.Hello(token=self.token, protocol=1, client="test/1", positions=positions)
        await self.send(hello=hello)
        return (await self.next("welcome")).welcome

    async def command(self, room_id: str, **command: Any) -> play_pb2.Answer:
        command.setdefault("request_id", uuid.uuid4().hex)
        await self.send(command=play_pb2.Command(room_id=room_id, **command))
        return (await self.next("answer")).answer

    async def accepted(self, room_id: str, **command: Any) -> play_pb2.Accepted:
        answer = await self.command(room_id, **command)
        assert answer.WhichOneof("result") == "accepted", answer
        return answer.accepted

    async def open_room(self, *, join: bool = True, **options: Any) -> play_pb2.RoomOpened:
        options.setdefault("spectators", True)
        request = play_pb2.OpenRoom(
            request_id=uuid.uuid4().hex,
            config=CONFIG,
            options=room_pb2.RoomOptions(**options),
            join=join,
        )
        await self.send(open_room=request)
        answer = (await self.next("answer")).answer
        assert answer.WhichOneof("result") == "opened", answer
        return answer.opened

    async def watch(self, room_id: str, position: room_pb2.Position | None = None) -> ServerFrame:
        await self.send(watch=play_pb2.Watch(room_id=room_id, position=position))
        return await self.next("view", "entry", "refusal")

    async def synced(self) -> play_pb2.Heartbeat:
        """A heartbeat that answers a ping: all that was sent before it has been taken."""
        await self.send(ping=play_pb2.Ping())
        return (await self.next("heartbeat")).heartbeat

    async def reach(self, room_id: str, seq: int) -> None:
        """Returns once this client has seen the room up to this number."""
        while self.seq(room_id) < seq:
            await self.next("entry", "view")

    def entries(self) -> list[play_pb2.Entry]:
        return [frame.entry for frame in self.seen if frame.WhichOneof("frame") == "entry"]

    def seq(self, room_id: str) -> int:
        """The last number that this client has seen of the room; -1 before the first."""
        seen = [getattr(frame, frame.WhichOneof("frame") or "") for frame in self.seen]
        numbered = [m for m in seen if isinstance(m, play_pb2.Entry | room_pb2.RoomView)]
        return max((message.seq for message in numbered if message.room_id == room_id), default=-1)

    def position(self, room_id: str) -> room_pb2.Position:
        """The last entry or view that this client has seen of the room."""
        for frame in reversed(self.seen):
            kind = frame.WhichOneof("frame")
            if kind in ("entry", "view") and getattr(frame, kind).room_id == room_id:
                message = getattr(frame, kind)
                return room_pb2.Position(room_id=room_id, seq=message.seq, token=message.token)
        raise AssertionError("nothing was seen of the room")


def redis_of(app: App[Any]) -> Redis:
    """A client of the app's one server."""
    (client,) = primaries(app.redis)
    return client


Connect = Callable[..., Coroutine[Any, Any, Client]]
"""`await connect(app, "Ann", line=ProtoLine)`: a client that has said hello."""


class Clients:
    """All clients of one test."""

    def __init__(self) -> None:
        self._http = aiohttp.ClientSession()
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._made: list[Client] = []

    async def aclose(self) -> None:
        await self._http.close()
        for channel in self._channels.values():
            await channel.close()

    def stub(self, app: App[GatewayConfig]) -> Any:
        """PlayService of a gateway."""
        return PlayServiceStub(self.channel(app))

    async def view(self, app: App[GatewayConfig], who: Client, room_id: str) -> room_pb2.RoomView:
        """A room as a player may see it."""
        request = play_service_pb2.GetViewRequest(room_id=room_id)
        response = await self.stub(app).GetView(request, metadata=bearer(who.token))
        view: room_pb2.RoomView = response.view
        return view

    def channel(self, app: App[GatewayConfig]) -> grpc.aio.Channel:
        """A channel to a gateway."""
        if app.grpc_address not in self._channels:
            self._channels[app.grpc_address] = grpc.aio.insecure_channel(app.grpc_address)
        return self._channels[app.grpc_address]

    async def login(
        self, app: App[GatewayConfig], name: str, *, bot: bool = False
    ) -> tuple[str, str]:
        """A guest's token and player id."""
        url = f"http://{app.http_address}/login"
        async with self._http.post(url, json={"name": name, "bot": bot}) as response:
            assert response.status == 200, await response.text()
            body = await response.json()
        return body["token"], body["player"]

    async def line(self, app: App[GatewayConfig], line: Any = JsonLine, **options: Any) -> Any:
        """A connection on which nothing was said yet."""
        if line is GrpcLine:
            return GrpcLine(self.stub(app).Connect())
        url = f"http://{app.http_address}/ws"
        socket = await self._http.ws_connect(url, protocols=(line.protocol,), **options)
        return line(socket)

    async def connect(
        self,
        app: App[GatewayConfig],
        name: str = "Ann",
        *,
        line: Any = JsonLine,
        like: Client | None = None,
        positions: tuple[room_pb2.Position, ...] = (),
    ) -> Client:
        """A client that has said hello: a new guest, or the player of another client."""
        token, player = (like.token, like.player) if like else await self.login(app, name)
        client = Client(await self.line(app, line), player, token)
        # A socket that nobody holds is closed by aiohttp.
        self._made.append(client)
        await client.hello(*positions)
        return client


async def table(app: App[GatewayConfig], clients: Clients, *lines: Any) -> tuple[str, list[Client]]:
    """A room with three guests, each of whom has seen all of the others."""
    kinds = [*lines, *[JsonLine] * 3][:3]
    guests = [
        await clients.connect(app, name, line=kind) for name, kind in zip("ABC", kinds, strict=True)
    ]
    room = await guests[0].open_room()
    await guests[0].next("view")
    for guest in guests[1:]:
        await guest.accepted(room.room_id, join=play_pb2.Join())
        await guest.seen_of("view")
    everybody = await online(app, clients, guests[0], room.room_id, len(guests))
    for guest in guests:
        await guest.reach(room.room_id, everybody)
    return room.room_id, guests


async def online(
    app: App[GatewayConfig], clients: Clients, who: Client, room_id: str, count: int
) -> int:
    """Waits until so many seats are online, and gives the number by which the seats know it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            view = await clients.view(app, who, room_id)
            if sum(seat.online for seat in view.seats) == count:
                return view.seq


async def said(client: Client, room_id: str, text: str) -> None:
    """Says a line of chat."""
    await client.accepted(room_id, say=play_pb2.Say(text=text))


async def toggled(client: Client, room_id: str, times: int) -> int:
    """Makes `times` steps of the room that everybody sees, and gives the number of the last."""
    seq = 0
    for number in range(times):
        step = await client.accepted(room_id, ready=play_pb2.Ready(ready=number % 2 == 0))
        seq = step.seq
    return seq


async def feed_of(redis: Redis, room_id: str) -> list[feed_pb2.FeedEntry]:
    """The room's feed, oldest first."""
    stored: Any = await redis.xrange(KEYS.feed(room_id))
    return [feed_pb2.FeedItem.FromString(fields[b"e"]).entry for _, fields in stored]


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)


def reason_of(refusal: play_pb2.Refusal) -> str:
    """The name of a refusal's reason."""
    return reason_name(refusal.reason)
