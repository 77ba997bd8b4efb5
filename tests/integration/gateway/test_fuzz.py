"""Ten thousand hostile frames, while a game beside them goes on to its end."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import aiohttp
import grpc

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import doudizhu_pb2, play_pb2, play_service_pb2, room_pb2
from parlor.v1.play_pb2 import ClientFrame, ServerFrame
from tests.integration.gateway.support import Client, Clients, JsonLine, ProtoLine, gateway

Door = App[GatewayConfig]

FRAMES = 10_000
HOSTILES = 4

PIECES = [
    b'{"command":', b'{"watch":', b'{"hello":', b'{"openRoom":', b'"roomId":', b'"seat":', b'"act":',
    b'{"join":{}}', b"[", b"]", b"{", b"}", b'"', b"\\u0000", b"\\ud800", b"null", b"-1", b"1e999",
    b"99999999999", b'"requestId":"a"', b",", b"\xff", b'"positions":[{}]', b'"decision":', b"\x00",
]  # fmt: skip


def hostile_text(dice: random.Random) -> bytes:
    """Text that is no frame."""
    return b"".join(dice.choices(PIECES, k=dice.randint(0, 12)))


def hostile_frame(dice: random.Random, room_id: str) -> ClientFrame:
    """A frame that can be read, and asks for what the sender may not have."""
    command = play_pb2.Command(
        request_id="x" * dice.choice([0, 1, 64, 65]),
        room_id=dice.choice([room_id, "", "s1-doudizhu-abcdefgh", "s999-x-abcdefgh", "\0", "{"]),
    )
    action = play_pb2.Action(decision=dice.randint(-(2**31), 2**31 - 1))
    action.doudizhu.bid = dice.randint(-5, 5)
    asks: list[Callable[[], object]] = [
        lambda: command.act.CopyFrom(action),
        command.act.SetInParent,
        lambda: command.kick.CopyFrom(play_pb2.Kick(seat=dice.randint(-2, 9))),
        command.leave.SetInParent,
        lambda: command.dissolve.CopyFrom(play_pb2.Dissolve(agree=True)),
        lambda: command.say.CopyFrom(play_pb2.Say(text="x" * dice.choice([0, 500]))),
        lambda: None,
    ]
    dice.choice(asks)()
    position = room_pb2.Position(room_id=room_id, seq=dice.randint(-9, 99), token=b"no")
    return dice.choice(
        [
            ClientFrame(command=command),
            ClientFrame(watch=play_pb2.Watch(room_id=room_id, code="000000")),
            ClientFrame(watch=play_pb2.Watch(code=str(dice.randint(0, 10**7)))),
            ClientFrame(hello=play_pb2.Hello(positions=[position])),
            ClientFrame(unwatch=play_pb2.Unwatch(room_id="\0")),
            ClientFrame(open_room=play_pb2.OpenRoom()),
            ClientFrame(),
        ]
    )


async def _hostile_json(client: Client, room_id: str, dice: random.Random, count: int) -> None:
    socket: aiohttp.ClientWebSocketResponse = client.line.socket  # type: ignore[attr-defined]
    for _ in range(count):
        if dice.random() < 0.5:
            await client.send(**_parts(hostile_frame(dice, room_id)))
        else:
            await socket.send_frame(hostile_text(dice), aiohttp.WSMsgType.TEXT)


async def _hostile_bytes(client: Client, room_id: str, dice: random.Random, count: int) -> None:
    for _ in range(count):
        data = bytearray(hostile_frame(dice, room_id).SerializeToString())
        for _ in range(dice.randint(0, 2) if data else 0):
            data[dice.randrange(len(data))] = dice.randrange(256)
        await client.line.socket.send_bytes(bytes(data))  # type: ignore[attr-defined]


async def _hostile_stream(client: Client, room_id: str, dice: random.Random, count: int) -> None:
    for _ in range(count):
        frame = play_service_pb2.ConnectRequest(frame=hostile_frame(dice, room_id))
        data = bytearray(frame.SerializeToString())
        if data and dice.random() < 0.5:
            data[dice.randrange(len(data))] = dice.randrange(256)
        await client.line.call.write(bytes(data))  # type: ignore[attr-defined]


def _parts(frame: ClientFrame) -> dict[str, Any]:
    kind = frame.WhichOneof("frame")
    return {kind: getattr(frame, kind)} if kind else {}


class RawLine:
    """A gRPC stream on which any bytes can be written."""

    def __init__(self, call: Any) -> None:
        self.call = call

    async def write(self, frame: ClientFrame) -> None:
        await self.call.write(play_service_pb2.ConnectRequest(frame=frame).SerializeToString())

    async def read(self) -> ServerFrame | None:
        response = await self.call.read()
        return None if response is grpc.aio.EOF else response.frame


async def _hostile(
    door: Door, clients: Clients, room_id: str, number: int, answers: list[str]
) -> None:
    """Sends its share of hostile frames, and reads what comes of them."""
    token, player = await clients.login(door, f"Mallory {number}")
    if number % 3 == 2:
        raw: Any = clients.channel(door).stream_stream(
            "/parlor.v1.PlayService/Connect",
            response_deserializer=play_service_pb2.ConnectResponse.FromString,
        )
        line: Any = RawLine(raw())
    else:
        line = await clients.line(door, (JsonLine, ProtoLine)[number % 3])
    client = Client(line, player, token)
    await client.hello()
    attack = (_hostile_json, _hostile_bytes, _hostile_stream)[number % 3]

    async def read() -> None:
        while True:
            frame = await line.read()
            assert frame is not None, "it was cut"
            if frame.HasField("heartbeat"):
                return
            answers.append(frame.WhichOneof("frame") or "")

    reading = asyncio.create_task(read())
    await attack(client, room_id, random.Random(number), FRAMES // HOSTILES)
    await client.send(ping=play_pb2.Ping())
    await reading


async def test_hostile_frames_are_answered_and_the_game_beside_them_ends(
    redis_url: str, doudizhu: object, clients: Clients
) -> None:
    generous = {
        "malformed": FRAMES,
        "codes_per_min": FRAMES,
        "address_codes_per_min": FRAMES,
        "opens_per_min": FRAMES,
    }
    async with gateway(redis_url, **generous) as door:
        ann = await clients.connect(door, "Ann")
        room_id, watching = await _game(door, clients, ann)
        answers: list[str] = []
        async with asyncio.TaskGroup() as tasks:
            for number in range(HOSTILES):
                tasks.create_task(_hostile(door, clients, room_id, number, answers))
            await asyncio.wait_for(watching, 60)
        # Nearly every frame was answered; the few unharmed ones ask for nothing.
        assert len(answers) > FRAMES * 0.6
        assert set(answers) <= {"refusal", "answer", "view", "entry"}


async def _game(door: Door, clients: Clients, ann: Client) -> tuple[str, "asyncio.Task[None]"]:
    """A game that its clocks play to the end, and the task that ends with it."""
    config = doudizhu_pb2.DouDizhuConfig(autoplay_after=1)
    for name in ("bid_limit", "double_limit", "play_limit", "autoplay_delay"):
        getattr(config, name).FromMilliseconds(40)
    request = play_pb2.OpenRoom(
        request_id="game", config=room_pb2.GameConfig(doudizhu=config), join=True
    )
    request.options.spectators = True
    await ann.send(open_room=request)
    room_id = (await ann.next("answer")).answer.opened.room_id
    others = [await clients.connect(door, name) for name in ("Bob", "Cat")]
    for other in others:
        await other.accepted(room_id, join=play_pb2.Join())

    async def watch() -> None:
        seqs = [(await ann.seen_of("view")).view.seq]
        while True:
            entry = (await ann.next("entry")).entry
            seqs.append(entry.seq)
            if any(event.HasField("game_ended") for event in entry.events):
                break
        assert seqs == sorted(set(seqs))

    for player in (ann, *others):
        await player.accepted(room_id, ready=play_pb2.Ready(ready=True))
    return room_id, asyncio.create_task(watch())
