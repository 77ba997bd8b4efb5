"""Simulated players over WebSocket: tables of all games, some matched, and some by code and watched."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp

from parlor.cli.simulated import GAMES
from parlor.client import Client, Refused, Room
from parlor.client.games import seats_of
from parlor.v1.room_pb2 import GameConfig, RoomOptions
from tests.chaos.history import Stay, now_ms
from tests.chaos.listener import Listener
from tests.chaos.player import Broken, Evening, Player, Shared
from tests.chaos.spectator import Spectator

AFTER_BROKEN_S: Final = 0.5
MATCHED_S: Final = 60.0

Collect = Callable[[str, int], Coroutine[Any, Any, None]]
"""Takes the logs of a room, and how many games it had, while the room exists."""


@dataclass(slots=True, kw_only=True)
class Traffic(Shared):
    """All tables, and what they leave behind."""

    collect: Collect
    listeners: list[Listener] = field(default_factory=list)
    """All players and spectators."""
    stays: list[Stay] = field(default_factory=list)
    games_ended: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    """Why tables had to leave a room early."""

    def table(self, number: int, kind: str, *, matched: bool) -> "Table":
        """A table with its players, and a spectator where it is not matched."""
        game = GAMES[kind]
        # Matched tables have options of their own, so that no two of them share a pool.
        limits = {"turn_ms": 3_000 + number} if matched else {}
        config = game.config(game.rule_sets[0], **limits)
        players = [Player(self, number, kind, seat) for seat in range(seats_of(config))]
        # A matched room is open to nobody else.
        spectator = None if matched else Spectator(self, number, kind)
        self.listeners += players if spectator is None else [*players, spectator]
        return Table(self, number, config, players, spectator)


class Table:
    """Players who sit in one room after the other."""

    def __init__(
        self,
        traffic: Traffic,
        number: int,
        config: GameConfig,
        players: Sequence[Player],
        spectator: Spectator | None,
    ) -> None:
        self._traffic = traffic
        self._number = number
        self._config = config
        self._players = players
        self._spectator = spectator
        self._room_id = ""
        self._evening = Evening(traffic.stopping)
        self.is_open = asyncio.Event()
        """Set once everybody has a session."""

    @property
    def moved_at(self) -> float:
        """When anybody at the table last saw something happen."""
        return max(player.moved_at for player in self._players)

    async def run(self) -> None:
        """Plays until the traffic stops; where it is cancelled, that is a stay unfinished."""
        async with AsyncExitStack() as stack:
            for player in self._players:
                await stack.enter_async_context(player.client)
            if self._spectator is not None:
                await stack.enter_async_context(self._spectator.client)
            self.is_open.set()
            while not self._traffic.stopping.is_set():
                await self._spend_evening()

    async def _spend_evening(self) -> None:
        self._room_id, finished = "", False
        self._evening = Evening(self._traffic.stopping)
        try:
            rooms = await (self._met() if self._spectator is None else self._seated())
            self._room_id = rooms[0].room_id
            async with asyncio.TaskGroup() as tasks:
                for player, room in zip(self._players, rooms, strict=True):
                    tasks.create_task(player.play(room, self._evening))
                if self._spectator is not None:
                    tasks.create_task(self._spectator.watch(self._room_id, self._evening))
            finished = True
        except* (Broken, Refused, TimeoutError, aiohttp.ClientError, OSError) as group:
            self._traffic.broken.update(_reason(error) for error in group.exceptions)
            finished = True
            await asyncio.sleep(AFTER_BROKEN_S)
        finally:
            await self._part(finished=finished)

    async def _part(self, *, finished: bool) -> None:
        """Everybody leaves; the logs are read while the room exists."""
        if self._room_id:
            self._traffic.games_ended += self._evening.games
            stay = Stay(
                table=self._number,
                room_id=self._room_id,
                finished=finished,
                moved_at=self.moved_at,
                ended_at=now_ms(),
            )
            self._traffic.stays.append(stay)
        try:
            if finished:
                await asyncio.gather(*(player.stand_up(self._room_id) for player in self._players))
                spectators = () if self._spectator is None else (self._spectator,)
                await asyncio.gather(*(each.look_away() for each in (*self._players, *spectators)))
        finally:
            # Also where the campaign ends meanwhile: what no log says counts as lost.
            if self._room_id:
                await _to_its_end(self._traffic.collect(self._room_id, self._evening.games + 1))

    async def _seated(self) -> list[Room]:
        """One opens a room, the others come by its code; its spectator needs but its id."""
        first, *others = (player.client for player in self._players)
        options = RoomOptions(private=True, spectators=True)
        opened = await first.open_room(self._config, options=options)
        self._room_id = opened.room_id
        room = await first.watch(opened.room_id)
        return [room, *[await client.join(opened.code) for client in others]]

    async def _met(self) -> list[Room]:
        """Everybody asks for a match, and gets the same."""
        return await asyncio.gather(*(self._matched_room(each.client) for each in self._players))

    async def _matched_room(self, client: Client) -> Room:
        await client.enqueue(self._config)
        async with asyncio.timeout(MATCHED_S):
            room_id = await client.assigned()
        if not room_id:
            raise Broken("its ticket was cancelled")
        return await client.watch(room_id)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Awaits it, however often it is cancelled meanwhile, and is cancelled only then."""
    task, is_cancelled = asyncio.create_task(work), False
    while not task.done():
        try:
            # Which leaves the task alone where it is cancelled itself.
            await asyncio.wait([task])
        except asyncio.CancelledError:
            is_cancelled = True
    task.result()
    if is_cancelled:
        raise asyncio.CancelledError


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"[:120]
