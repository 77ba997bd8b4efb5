"""A short real game on an engine in this process, watched, and recorded as a campaign records its games."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from parlor.cli.simulated import GAMES
from parlor.client.games import action_message, view_of
from parlor.rules.game import AnyGame
from parlor.v1 import play_pb2
from parlor.v1.feed_pb2 import FeedItem
from parlor.v1.play_pb2 import Ready, ServerFrame
from parlor.v1.room_pb2 import RoomOptions, RoomStatus, RoomView
from tests.chaos.checker import Verdict, check
from tests.chaos.history import GameLog, History, Readied, Saw, Sent, now_ms, read_log
from tests.integration.engine.support import KEYS, Guest, Replica, host, replica, seated

TABLE: Final = GAMES["doudizhu"]
OPTIONS: Final = {
    "doubling": True,
    "bid_limit": "1.5s",
    "double_limit": "1.5s",
    "play_limit": "1.5s",
    "autoplay_delay": "0.1s",
}


@dataclass
class Recording:
    """A game under way: who plays it, and what each has sent, been told and seen."""

    engine: Replica
    guests: list[Guest]
    spectator: Guest
    chance: random.Random
    histories: list[History] = field(default_factory=list)
    """By seat, then the spectator's."""
    logs: list[GameLog] = field(default_factory=list)
    _heard: bytes = b"0-0"

    @property
    def room_id(self) -> str:
        return self.guests[0].room_id

    async def begin(self) -> None:
        """Everybody looks at the room, and the game begins."""
        for guest in (*self.guests, self.spectator):
            view = await guest.look()
            self.histories.append(History(guest.name, spectates=guest is self.spectator))
            self._saw(-1, ServerFrame(view=view))
            self._heard = b"%d-0" % await self._version()
        for seat, guest in enumerate(self.guests):
            ready = Ready(ready=True, entropy=guest.name.encode())
            sent = Readied(
                at=now_ms(),
                request_id=uuid.uuid4().hex,
                room_id=self.room_id,
                game_no=1,
                seat=seat,
                entropy=ready.entropy,
            )
            self.histories[seat].happened.append(sent)
            answer = await guest.command(request_id=sent.request_id, ready=ready)
            self.histories[seat].hear(ServerFrame(answer=answer), 1)
        await self.hear()

    async def hear(self) -> None:
        """Takes from the feed what has come since, as a gateway gives it to each audience."""
        for number, fields in await self.engine.redis.xrange(
            KEYS.feed(self.room_id), min=b"(" + self._heard
        ):
            self._heard = number
            for delivery in FeedItem.FromString(fields[b"e"]).entry.deliveries:
                for each in (*delivery.seats, *([-1] if delivery.spectators else [])):
                    self._saw(each, ServerFrame.FromString(delivery.frame))

    async def come_back(self) -> None:
        """The spectator looks at the room anew."""
        self._saw(-1, ServerFrame(view=await self.spectator.look()))

    async def awaited(self) -> tuple[int, RoomView]:
        """A seat that is asked for something, and its view; seat -1 once the game is over."""
        while True:
            for seat, guest in enumerate(self.guests):
                view = await guest.look()
                if view.status != RoomStatus.ROOM_STATUS_PLAYING:
                    return -1, view
                if TABLE.decision(view_of(view)):
                    return seat, view
            await asyncio.sleep(0.01)

    async def act(self, seat: int, view: RoomView, *, through: Replica | None = None) -> None:
        """The seat answers, through another replica where one is given; all see what came of it."""
        await self.answer(seat, view, through=through)
        await self.hear()

    async def answer(
        self, seat: int, view: RoomView, *, through: Replica | None = None
    ) -> play_pb2.Answer:
        """The seat answers, and is told; nobody has seen yet what came of it."""
        action = action_message(view, TABLE.choose(view_of(view), self.chance))
        sent = Sent(
            at=now_ms(),
            request_id=uuid.uuid4().hex,
            room_id=self.room_id,
            game_no=view.game_no,
            seat=seat,
            action=action.SerializeToString(),
        )
        self.histories[seat].happened.append(sent)
        guest = Guest(self.guests[seat].name, self.room_id, through or self.engine)
        answer = await guest.command(request_id=sent.request_id, act=action)
        self.histories[seat].hear(ServerFrame(answer=answer), 1)
        return answer

    async def play(self, *, moves: int = 1_000, lapse: int = 5) -> None:
        """Plays on for so many moves, or to the end; the one numbered `lapse` is left to the clock."""
        for move in range(moves):
            seat, view = await self.awaited()
            if seat < 0:
                break
            if move == lapse:
                before = await self._version()
                while await self._version() == before:
                    await asyncio.sleep(0.01)
                await self.hear()
            else:
                await self.act(seat, view)
        await self.hear()

    async def judged(self, redis: Any = None) -> Verdict:
        """What the checker says of it by the logs of the engine's Redis, or of another."""
        self.logs = [await read_log(redis or self.engine.redis, KEYS, self.room_id, 1)]
        return check(self.histories, self.logs)

    async def _version(self) -> int:
        return int(await self.engine.redis.hget(KEYS.room(self.room_id), "version"))

    def _saw(self, index: int, frame: ServerFrame) -> None:
        saw = Saw(at=now_ms(), connection=1, frame=frame.SerializeToString())
        self.histories[index].happened.append(saw)


@asynccontextmanager
async def engine_of(
    redis_url: str, game: AnyGame | None = None, **settings: Any
) -> AsyncIterator[Replica]:
    """An engine that deals the same cards each time."""
    served = replace(host(game), seed=lambda: b"parlor" * 5 + b"..")
    async with replica(redis_url, served=served, **settings) as engine:
        yield engine


async def recording(engine: Replica, **options: Any) -> Recording:
    """A table of three at which a game has begun, and one who watches it."""
    guests = await seated(engine, room=RoomOptions(spectators=True), **{**OPTIONS, **options})
    spectator = Guest("dan", guests[0].room_id, engine)
    begun = Recording(engine, guests, spectator, random.Random(11))
    await begun.begin()
    return begun
