"""An engine in this process, and guests who use it over real gRPC."""

import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc

from parlor.engine.config import EngineConfig
from parlor.engine.engine import Engine
from parlor.engine.host import Host
from parlor.engine.lanes import Lanes
from parlor.engine.opening import Opening
from parlor.engine.places import Places
from parlor.engine.serve import SERVICES, engine_of
from parlor.engine.snapshot import StateCodec
from parlor.engine.store import RoomStore
from parlor.rules.catalog import GAMES
from parlor.rules.game import AnyGame
from parlor.serving import App, serving
from parlor.serving.channels import CHANNEL_OPTIONS
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import doudizhu_pb2, engine_service_pb2, feed_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2_grpc import EngineServiceStub

if TYPE_CHECKING:
    from parlor.v1.engine_service_pb2_grpc import EngineServiceAsyncStub
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.wire.catalog import WIRE

KIND = "doudizhu"
KEYS = Keys()


def host(game: AnyGame | None = None) -> Host:
    """The host of Dou Dizhu, or of a game that stands in for it."""
    return Host(game=game or GAMES[KIND], wire=WIRE[KIND])


def config(**options: Any) -> room_pb2.GameConfig:
    """A game's configuration; limits as `bid_limit="2s"`."""
    game = doudizhu_pb2.DouDizhuConfig()
    for name, value in options.items():
        if name.endswith(("_limit", "_delay")):
            getattr(game, name).FromJsonString(value)
        else:
            setattr(game, name, value)
    return room_pb2.GameConfig(doudizhu=game)


@dataclass
class Replica:
    """A running engine."""

    app: App[EngineConfig]
    stub: "EngineServiceAsyncStub"

    @property
    def redis(self) -> Any:
        """A client of the engine's Redis; untyped, for redis-py types its answers as all they could be."""
        return self.app.redis

    async def open(self, *, request_id: str = "", **fields: Any) -> str:
        """Opens a room and gives its id."""
        fields.setdefault("config", config())
        fields.setdefault("opener", "ann")
        request = engine_service_pb2.EngineServiceOpenRoomRequest(
            request_id=request_id or uuid.uuid4().hex, **fields
        )
        return (await self.stub.OpenRoom(request)).room.room_id

    async def call(self, player: str, **request: Any) -> engine_service_pb2.EngineAnswer:
        """Carries out one request of a player."""
        who = engine_service_pb2.Player(player=player, name=player.title())
        message = engine_service_pb2.EngineRequest(call_id=1, player=who, **request)
        return (await self.stub.Call(engine_service_pb2.CallRequest(request=message))).answer


@asynccontextmanager
async def replica(
    redis_url: str, *, served: Host | None = None, **settings: Any
) -> AsyncIterator[Replica]:
    """An engine on free ports; settings are those of `EngineConfig`."""
    settings = {"redis_url": redis_url, "unbounded": True, **settings}
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(
            serving(
                "engine", EngineConfig(**settings), engine_of(served or host()), services=SERVICES
            )
        )
        channel = grpc.aio.insecure_channel(app.grpc_address, options=CHANNEL_OPTIONS)
        await stack.enter_async_context(channel)
        yield Replica(app, EngineServiceStub(channel))


@dataclass
class Guest:
    """A player at a table, as a gateway would speak for them."""

    name: str
    room_id: str
    engine: Replica
    connection: int = 0
    answers: list[play_pb2.Answer] = field(default_factory=list)

    async def command(self, *, request_id: str = "", **command: Any) -> play_pb2.Answer:
        """Sends a command and gives its answer."""
        message = play_pb2.Command(
            request_id=request_id or uuid.uuid4().hex, room_id=self.room_id, **command
        )
        answer = await self.engine.call(self.name, command=message)
        frame = play_pb2.ServerFrame.FromString(answer.frame)
        self.answers.append(frame.answer)
        return frame.answer

    async def accepted(self, **command: Any) -> play_pb2.Accepted:
        """Sends a command that has to be accepted."""
        answer = await self.command(**command)
        assert answer.WhichOneof("result") == "accepted", answer
        return answer.accepted

    async def refused(self, **command: Any) -> str:
        """Sends a command that has to be refused, and gives the reason's name."""
        answer = await self.command(**command)
        assert answer.WhichOneof("result") == "refused", answer
        return ErrorReason.Name(answer.refused.reason).removeprefix("ERROR_REASON_")

    async def act(self, decision: int, **action: Any) -> play_pb2.Answer:
        """Acts in the running game."""
        return await self.command(act=_action(decision, **action))

    async def online(self, connection: int, online: bool = True) -> engine_service_pb2.EngineAnswer:
        """Says that a connection came or went."""
        presence = engine_service_pb2.Presence(
            room_id=self.room_id, connection=connection, online=online
        )
        return await self.engine.call(self.name, presence=presence)

    async def look(self) -> room_pb2.RoomView:
        """The room as this player may see it."""
        answer = await self.engine.call(
            self.name, look=engine_service_pb2.Look(room_id=self.room_id)
        )
        assert answer.WhichOneof("result") == "looked", answer
        return play_pb2.ServerFrame.FromString(answer.looked.frame).view


def _action(decision: int, **action: Any) -> play_pb2.Action:
    return play_pb2.Action(decision=decision, doudizhu=doudizhu_pb2.DouDizhuAction(**action))


async def seated(
    engine: Replica,
    *,
    online: bool = True,
    names: tuple[str, ...] = ("ann", "bob", "cat"),
    room: room_pb2.RoomOptions | None = None,
    **options: Any,
) -> list[Guest]:
    """Three guests at a new table, the first of them its host."""
    first = engine_service_pb2.Player(player=names[0], name=names[0].title())
    room_id = await engine.open(
        opener=names[0], config=config(**options), options=room, players=[first]
    )
    guests = [Guest(name, room_id, engine) for name in names]
    for guest in guests[1:]:
        await guest.accepted(join=play_pb2.Join())
    if online:
        for guest in guests:
            await guest.online(1)
    return guests


async def playing(engine: Replica, **options: Any) -> list[Guest]:
    """Three guests whose game has begun."""
    guests = await seated(engine, **options)
    for guest in guests:
        await guest.accepted(ready=play_pb2.Ready(ready=True, entropy=guest.name.encode()))
    return guests


async def awaited(guests: list[Guest]) -> tuple[Guest, int]:
    """The guest on turn and the decision that waits."""
    for guest in guests:
        view = (await guest.look()).doudizhu
        if view.HasField("prompt"):
            return guest, view.prompt.decision
    raise AssertionError("nobody is on turn")


async def feed(engine: Replica, room_id: str) -> list[feed_pb2.FeedEntry]:
    """The room's feed as gateways read it, oldest first."""
    entries = await engine.redis.xrange(KEYS.feed(room_id))
    return [feed_pb2.FeedItem.FromString(fields[b"e"]).entry for _, fields in entries]


async def version(engine: Replica, room_id: str) -> int:
    """Commits of the room so far."""
    return int(await engine.redis.hget(KEYS.room(room_id), "version") or 0)


NAMES = ("ann", "bob", "cat")


class Unswept:
    """Rooms without anybody who wakes them: no sweep, no subscription."""

    def __init__(self, batch: Batch, monotonic: Callable[[], float] = time.monotonic) -> None:
        served = host()
        self.clock = RedisClock(batch, monotonic)
        self._store = RoomStore(batch, KEYS, KIND, StateCodec(served.game))
        places = Places(batch, KEYS, Players(batch, KEYS), self.clock)
        lanes = Lanes(served, self._store, places, self.clock)
        self._engine = Engine(
            served, lanes, self._store, places, Invitations(batch, KEYS), self.clock
        )
        self._opening = Opening(served, self._store, places, self.clock, batch, KEYS, shards=64)

    async def playing(self, **options: str) -> str:
        """A room whose game has begun."""
        request = engine_service_pb2.EngineServiceOpenRoomRequest(
            request_id="r",
            opener="ann",
            config=config(**options),
            players=[engine_service_pb2.Player(player=name) for name in NAMES],
            unbounded=True,
        )
        room_id = (await self._opening.open(request)).room_id
        for seat in range(3):
            await self.command(room_id, seat, ready=play_pb2.Ready(ready=True))
        return room_id

    async def asked(self, room_id: str) -> tuple[int, int]:
        """When the open decision is due, and whose it is."""
        state = (await self._store.load(room_id)).room.state
        clock = host().game.clocks(state)[0]
        return clock.due, clock.seats[0]

    async def act(self, room_id: str, seat: int, *, decision: int, bid: int) -> play_pb2.Answer:
        """A seat bids."""
        action = doudizhu_pb2.DouDizhuAction(bid=bid)
        return await self.command(
            room_id, seat, act=play_pb2.Action(decision=decision, doudizhu=action)
        )

    async def command(self, room_id: str, seat: int, **command: Any) -> play_pb2.Answer:
        """The answer to a seat's command."""
        message = play_pb2.Command(request_id=uuid.uuid4().hex, room_id=room_id, **command)
        frame = await self._engine.command(engine_service_pb2.Player(player=NAMES[seat]), message)
        return play_pb2.ServerFrame.FromString(frame).answer
