"""One simulated player: has a request id for every move, sends some twice, lets some turns run out.

It comes back and goes on by itself after each break, as `parlor.client` does.
"""

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from parlor.cli.simulated import GAMES
from parlor.client import Refused, Room
from parlor.client.games import action_message
from parlor.v1.play_pb2 import Command, Leave
from parlor.v1.room_pb2 import RoomStatus
from tests.chaos.history import Dropped, History, Readied, Sent, now_ms
from tests.chaos.listener import Listener

THINKS_S: Final = (0.02, 0.25)
TIMEOUT_IN: Final = 30
REPEAT_IN: Final = 10
GAMES_IN_A_ROOM: Final = 2
_TRIES: Final = 3


class Broken(Exception):
    """The table cannot go on in this room; says why."""


@dataclass(slots=True, kw_only=True)
class Shared:
    """What all players have in common, and what they count."""

    urls: Sequence[str]
    chance: random.Random
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Once set, no table begins another game."""
    unanswered: int = 0
    """Requests that were not answered in half a minute."""
    refused_leaves: Counter[str] = field(default_factory=Counter)
    """Why players could not leave a room: most often they did not sit in it any more."""

    def once_in(self, times: int) -> bool:
        return self.chance.randrange(times) == 0


class Evening:
    """One stay of a table in a room; all its players agree on how many games it has."""

    def __init__(self, stopping: asyncio.Event) -> None:
        self._stopping = stopping
        self._wanted: dict[int, bool] = {}
        self.games = 0

    def wants(self, game_no: int) -> bool:
        """Whether this game is to be begun: decided once, by whoever asks first."""
        more = game_no <= GAMES_IN_A_ROOM and not self._stopping.is_set()
        return self._wanted.setdefault(game_no, more)


class Player(Listener):
    """One player, through all rooms of its table."""

    def __init__(self, shared: Shared, table: int, kind: str, index: int) -> None:
        super().__init__(
            History(f"{kind}-{table}-{index + 1}"),
            shared.urls,
            random.Random(shared.chance.getrandbits(64)),
            # One of them speaks JSON, as a browser does.
            json=index == 0,
        )
        self._shared = shared
        self._game = GAMES[kind]
        self._answered: set[tuple[str, int, int]] = set()
        self._seated_in: set[str] = set()

    async def play(self, room: Room, evening: Evening) -> None:
        """Plays until the table has had enough of the room."""
        async for _ in room.changes():
            if room.seat is None:
                raise Broken("lost its seat")
            if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
                await self._turn(room)
                continue
            evening.games = max(evening.games, room.view.game_no)
            if not evening.wants(room.view.game_no + 1):
                return
            if not room.view.seats[room.seat].ready:
                await self._get_ready(room)
        raise Broken(f"its room was closed: {self._refusal}")

    async def _get_ready(self, room: Room) -> None:
        request_id, entropy = secrets.token_hex(8), self._shared.chance.randbytes(16)
        assert room.seat is not None
        asked = Readied(
            at=now_ms(),
            request_id=request_id,
            room_id=room.room_id,
            game_no=room.view.game_no + 1,
            seat=room.seat,
            entropy=entropy,
        )
        self.history.happened.append(asked)
        try:
            await self._surely(lambda: room.ready(entropy=entropy, request_id=request_id))
        except Refused:
            # It was ready already, or the game has begun: the next change says which.
            return

    async def _turn(self, room: Room) -> None:
        view = room.game_view
        decision = 0 if view is None else self._game.decision(view)
        key = (room.room_id, room.view.game_no, decision)
        if not decision or key in self._answered:
            return
        self._answered.add(key)
        if self._shared.once_in(TIMEOUT_IN):
            return
        action = self._game.choose(view, self._shared.chance)
        await asyncio.sleep(self._shared.chance.uniform(*THINKS_S))
        await self._act(room, key[1], action)

    async def _act(self, room: Room, game_no: int, action: Any) -> None:
        request_id = secrets.token_hex(8)
        assert room.seat is not None
        sent = Sent(
            at=now_ms(),
            request_id=request_id,
            room_id=room.room_id,
            game_no=game_no,
            seat=room.seat,
            action=action_message(room.view, action).SerializeToString(),
        )
        self.history.happened.append(sent)

        async def send() -> object:
            return await room.act(action, request_id=request_id)

        try:
            await self._surely(send)
            if self._shared.once_in(REPEAT_IN):
                await send()
        except Refused:
            # Its turn had run out, or another's claim came first: the history has the reason.
            return
        except asyncio.CancelledError:
            self.history.happened.append(Dropped(at=now_ms(), request_id=request_id))
            raise

    async def _surely(self, send: Callable[[], Awaitable[object]]) -> None:
        """Asks under one id until there is an answer; gives up in the end."""
        for _ in range(_TRIES):
            try:
                await send()
            except TimeoutError:
                self._shared.unanswered += 1
            else:
                return

    async def stand_up(self, room_id: str) -> None:
        """Leaves the room, and whatever else it may still sit in."""
        self._seated_in |= {room_id, *self.client.rooms, self.client.welcome.room_id} - {""}
        for seated_in in tuple(self._seated_in):
            try:
                await self.client.command(Command(room_id=seated_in, leave=Leave()))
            except TimeoutError:
                self._shared.unanswered += 1
                continue
            except Refused as refused:
                self._shared.refused_leaves[refused.name] += 1
            self._seated_in.discard(seated_in)
