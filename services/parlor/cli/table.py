"""One table of simulated players, and the games that they play one after the other."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from parlor.cli.person import Habits, Person
from parlor.cli.simulated import SimulatedGame
from parlor.cli.tally import Tally
from parlor.client import Client, Room
from parlor.client.games import seats_of
from parlor.v1.room_pb2 import GameConfig, RoomOptions


@dataclass(slots=True)
class Quota:
    """The games that are still to be begun, by whichever table is free."""

    left: int

    def take(self) -> bool:
        """Takes one; False when none is left."""
        if self.left == 0:
            return False
        self.left -= 1
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all tables of a run have in common."""

    urls: Sequence[str]
    game: SimulatedGame
    config: GameConfig
    habits: Habits
    say: Callable[[str], None]


class Table:
    """The players of one room."""

    def __init__(
        self, number: int, setting: Setting, quota: Quota, tally: Tally, chance: random.Random
    ) -> None:
        self.number = number
        self._setting = setting
        self._quota = quota
        self._tally = tally
        self._chance = chance
        self._seats = seats_of(setting.config)
        self._wanted = 0
        self._ended = 0
        self._began = time.monotonic()
        self.people: list[Person] = []
        self.room: Room | None = None
        """As the first player sees it; None before there is one."""

    @property
    def stands(self) -> str:
        """Where the table is, for a run that takes too long."""
        if self.room is None:
            return f"table {self.number} has no room yet"
        return f"table {self.number} is in game {self.room.view.game_no} of {self._wanted}"

    def wants(self) -> int:
        return self._wanted

    def ended(self, room: Room) -> None:
        """Counts a game once, tells of it, and goes on to the next where there is one."""
        if room.view.game_no <= self._ended:
            return
        self._ended = room.view.game_no
        self._tally.games_finished += 1
        result = room.view.result
        scores = " ".join(f"{score:+d}" for score in result.scores)
        took = time.monotonic() - self._began
        self._setting.say(
            f"table {self.number} game {self._ended}: {result.reason} {scores} ({took:.1f} s)"
        )
        self._begin_next()

    async def run(self) -> None:
        """Plays until no games are left to begin."""
        self._begin_next()
        if not self._wanted:
            return
        async with AsyncExitStack() as stack:
            people = self.people = [self._person(index) for index in range(self._seats)]
            clients = [await stack.enter_async_context(person.client) for person in people]
            rooms = await self._seated(clients)
            self.room = rooms[0]
            async with asyncio.TaskGroup() as tasks:
                for person, room in zip(people, rooms, strict=True):
                    tasks.create_task(person.play(room, self))
            for person, room in zip(people, rooms, strict=True):
                assert room.seat is not None
                self._tally.add(room.seat, room.counts)
                self._tally.leaks += person.leaks.leaks
            for room in rooms:
                await room.leave()

    def _begin_next(self) -> None:
        if self._quota.take():
            self._wanted += 1
            self._began = time.monotonic()

    def _person(self, index: int) -> Person:
        chance = random.Random(self._chance.getrandbits(64))
        return Person(
            self._setting.urls,
            name=f"Player {self.number}-{index + 1}",
            # One of them speaks JSON, as a browser does.
            json=index == self._seats - 1,
            game=self._setting.game,
            tally=self._tally,
            chance=chance,
            habits=self._setting.habits,
        )

    async def _seated(self, clients: Sequence[Client]) -> list[Room]:
        """Everybody's view of one room: the first opens it, the others come by its code."""
        options = RoomOptions(private=True)
        opened = await clients[0].open_room(self._setting.config, options=options)
        first = await clients[0].watch(opened.room_id)
        return [first, *[await client.join(opened.code) for client in clients[1:]]]
