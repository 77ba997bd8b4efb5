"""A simulated player: takes legal actions, and lives as badly as people do.

Some of its turns run out, some of its requests are sent twice, and now and then its connection
breaks in the middle of a game.
"""

import asyncio
import random
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from parlor.cli.history import History
from parlor.cli.leaks import LeakCheck
from parlor.cli.simulated import SimulatedGame
from parlor.cli.tally import Tally
from parlor.client import Client, Refused, Room
from parlor.v1.play_pb2 import Accepted, ServerFrame
from parlor.v1.room_pb2 import RoomStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How badly a player lives: each happens once in so many times on average; 0 for never."""

    timeout_in: int = 20
    """Turns."""
    repeat_in: int = 10
    """Requests."""
    drop_in: int = 20
    """Games."""
    away_ms: int = 1_000
    """How long a connection that broke stays away at least."""


class Spoiled(Exception):
    """The players cannot go on; says why."""


class Evening(Protocol):
    """What a player asks of its table."""

    def wants(self) -> int:
        """Number of the last game that the table wants to play."""

    def ended(self, room: Room) -> None:
        """A game has ended, as one of its players sees it."""


class Person:
    """One player at one table."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        name: str,
        json: bool,
        game: SimulatedGame,
        tally: Tally,
        chance: random.Random,
        habits: Habits,
    ) -> None:
        self.leaks = LeakCheck()
        self._history = History()
        self.client = Client(urls, guest=name, json=json, heard=self._hear, chance=chance)
        self._game = game
        self._tally = tally
        self._chance = chance
        self._habits = habits
        self._answered: set[tuple[int, int]] = set()
        self._accepted: Counter[str] = Counter()
        self._game_no = 0
        self._ended = 0
        self._ready_for = 0
        self._drop_after = 0
        self._arrived: dict[int, float] = {}
        self._sent: dict[int, float] = {}

    def _hear(self, frame: ServerFrame) -> None:
        """Every frame that the client receives, before anything comes of it."""
        self.leaks.hear(frame)
        self._history.hear(frame)
        if frame.HasField("entry"):
            seq, now = frame.entry.seq, time.perf_counter()
            sent = self._sent.pop(seq, None)
            if sent is not None:
                self._tally.latencies_ms.append((now - sent) * 1000)
            else:
                self._arrived[seq] = now

    async def play(self, room: Room, evening: Evening) -> None:
        """Plays until the table wants no more games."""
        async for _ in room.changes():
            if room.seat is None:
                raise Spoiled(f"{self.client.player} lost its seat")
            if room.view.status == RoomStatus.ROOM_STATUS_PLAYING:
                await self._turn(room)
                continue
            if room.view.game_no > self._ended:
                self._settle(room)
                evening.ended(room)
            if room.view.game_no >= evening.wants():
                return
            await self._get_ready(room)
        raise Spoiled(f"room {room.room_id} closed")

    async def _get_ready(self, room: Room) -> None:
        number = room.view.game_no + 1
        if self._ready_for == number:
            return
        self._ready_for = number
        await room.ready(entropy=self._chance.randbytes(16))

    async def _turn(self, room: Room) -> None:
        """Answers what the seat is asked, or lets it run out."""
        if room.view.game_no != self._game_no:
            self._begin(room.view.game_no)
        decision = 0 if room.game_view is None else self._game.decision(room.game_view)
        if not decision or (self._game_no, decision) in self._answered:
            return
        self._answered.add((self._game_no, decision))
        if self._drop_after:
            self._drop_after -= 1
            if not self._drop_after:
                self._tally.drops += 1
                self.client.drop(away_ms=self._habits.away_ms)
        if self._once_in(self._habits.timeout_in):
            self._tally.timeouts += 1
            return
        await self._act(room, self._game.choose(room.game_view, self._chance))

    def _begin(self, game_no: int) -> None:
        self._game_no = game_no
        self._accepted.clear()
        self._arrived.clear()
        self._drop_after = self._chance.randint(1, 8) if self._once_in(self._habits.drop_in) else 0

    async def _act(self, room: Room, action: Any) -> None:
        request_id = secrets.token_hex(8)
        sent = time.perf_counter()
        connection = self.client.connections
        try:
            accepted = await self._send(room, action, request_id)
        except Refused as refused:
            self._tally.refused[refused.name] += 1
            return
        self._tally.actions += 1
        self._accepted[self._game.mark(action)] += 1
        if self.client.connections == connection and not self.client.is_away:
            self._note(accepted.seq, sent)

    async def _send(self, room: Room, action: Any, request_id: str) -> Accepted:
        """Sends an action, sometimes twice: both at once, or again once it is answered."""
        if not self._once_in(self._habits.repeat_in):
            return await room.act(action, request_id=request_id)
        self._tally.repeats += 1
        if self._chance.random() < 0.5:
            first, second = await asyncio.gather(
                room.act(action, request_id=request_id),
                room.act(action, request_id=request_id),
                return_exceptions=True,
            )
        else:
            first = await room.act(action, request_id=request_id)
            (second,) = await asyncio.gather(
                room.act(action, request_id=request_id), return_exceptions=True
            )
        if isinstance(first, BaseException):
            raise first
        if first != second:
            self._tally.duplicated += 1
            self._tally.trouble.append(f"a repeat was answered with {second!r}, not {first!r}")
        return first

    def _note(self, seq: int, sent: float) -> None:
        """Takes the time from an action to its event, whichever way round its answer came."""
        arrived = self._arrived.pop(seq, None)
        if arrived is not None:
            self._tally.latencies_ms.append((arrived - sent) * 1000)
        else:
            self._sent[seq] = sent

    def _settle(self, room: Room) -> None:
        """Compares what was accepted with what the game shows."""
        self._ended = room.view.game_no
        if self._ended != self._game_no or room.game_view is None or room.seat is None:
            return
        shown = self._game.record(room.game_view, room.seat, self._history)
        if shown is None:
            self._tally.unchecked += 1
            return
        self._tally.lost += (self._accepted - shown).total()
        self._tally.duplicated += (shown - self._accepted).total()

    def _once_in(self, times: int) -> bool:
        return times > 0 and self._chance.randrange(times) == 0
