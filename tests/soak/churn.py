"""Players who come, do one thing, and go: all that a room or a ticket can go through.

The players are always the same, so that what is kept of each is there after the warm-up.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

import aiohttp

from parlor.cli.simulated import GAMES
from parlor.client import Client, Refused, Room, SessionOver
from parlor.client.games import seats_of
from parlor.v1.play_pb2 import Command, Leave
from parlor.v1.room_pb2 import GameConfig, RoomOptions, RoomStatus
from tests.soak.hints import ask_for_hint

VISIT_S: Final = 30.0
"""How long a visit may take; one that takes longer is broken off, as a player would."""
STEPS_SEEN: Final = 12
"""How much of a game those see who leave it to its clocks."""
HINTED: Final = 20
"""Of so many decisions of a seat, a hint is asked for one on average, and for the first."""
POOLS: Final = 200
"""So many pools a table uses before it comes to the first again."""
VISITS: Final = (
    "played",
    "played_with_bots",
    "walked_out",
    "abandoned",
    "left",
    "cancelled",
    "matched",
)
"""What players come for."""
CONFIGS: Final[Mapping[str, GameConfig]] = {
    kind: game.config(game.rule_sets[0]) for kind, game in GAMES.items()
}

HURRIED: Final[Mapping[str, GameConfig]] = {
    kind: game.config(game.rule_sets[0], turn_ms=200, claim_ms=100, settle_ms=100, autoplay_ms=50)
    for kind, game in GAMES.items()
}
"""Games whose clocks end them soon."""


@dataclass(slots=True)
class Churn:
    """A table's worth of players of one kind of game, and what they did."""

    urls: Sequence[str]
    kind: str
    number: int
    chance: random.Random
    done: Counter[str]
    """Visits by what was done, of all tables together."""
    tokens: dict[int, str] = field(default_factory=dict)
    met: int = 0

    async def run(self, until: asyncio.Event) -> None:
        """One visit after the other: each of them once in every round, and at least one round."""
        visits = {
            "played": self._play,
            "played_with_bots": self._play_with_bots,
            "walked_out": self._walk_out,
            "abandoned": self._abandon,
            "left": self._leave,
            "cancelled": self._change_their_minds,
            "matched": self._meet,
        }
        is_first = True
        while is_first or not until.is_set():
            for name in self.chance.sample(VISITS, len(VISITS)):
                if is_first or not until.is_set():
                    await self._make(name, visits[name])
            is_first = False

    async def _make(self, name: str, visit: "Visit") -> None:
        """One visit."""
        try:
            async with asyncio.timeout(VISIT_S), AsyncExitStack() as stack:
                clients = [
                    await stack.enter_async_context(self._client(seat))
                    for seat in range(seats_of(CONFIGS[self.kind]))
                ]
                for seat, client in enumerate(clients):
                    self.tokens[seat] = client.token
                await self._stand_up(clients)
                await visit(clients)
                self.done[name] += 1
        except* (Refused, SessionOver, TimeoutError, aiohttp.ClientError) as group:
            self.done.update(_reason(error) for error in group.exceptions)

    def _client(self, seat: int) -> Client:
        token = self.tokens.get(seat, "")
        return Client(
            self.urls,
            token=token,
            guest="" if token else f"{self.kind}-{self.number}-{seat + 1}",
            json=seat == 0,
            chance=random.Random(self.chance.getrandbits(64)),
        )

    async def _stand_up(self, clients: Sequence[Client]) -> None:
        """Everybody leaves where they still sit."""
        for client in clients:
            room_id = client.welcome.room_id
            if room_id:
                try:
                    await client.command(Command(room_id=room_id, leave=Leave()))
                except Refused as refused:
                    self.done[f"still seated: {refused.name}"] += 1

    async def _seated(
        self, clients: Sequence[Client], configs: Mapping[str, GameConfig] = CONFIGS
    ) -> list[Room]:
        first, *others = clients
        opened = await first.open_room(configs[self.kind], options=RoomOptions(spectators=True))
        return [
            await first.watch(opened.room_id),
            *[await client.join(opened.code) for client in others],
        ]

    async def _play(self, clients: Sequence[Client]) -> None:
        """A game to its end, with a word."""
        rooms = await self._seated(clients)
        await rooms[0].say("hello")
        await self._played(rooms)
        await self._stand_up(clients)

    async def _play_with_bots(self, clients: Sequence[Client]) -> None:
        """A game to its end, with bots in all seats but one."""
        first = clients[0]
        opened = await first.open_room(CONFIGS[self.kind])
        room = await first.watch(opened.room_id)
        await room.add_bots()
        await self._played([room])
        await self._stand_up([first])

    async def _walk_out(self, clients: Sequence[Client]) -> None:
        """A game is begun; its clocks have to end it."""
        rooms = await self._seated(clients, HURRIED)
        await self._played(rooms, steps=STEPS_SEEN)

    async def _abandon(self, clients: Sequence[Client]) -> None:
        """A room is opened, and forgotten by people whose network dies."""
        await self._seated(clients)
        for client in clients:
            client.drop(away_ms=1_000)

    async def _leave(self, clients: Sequence[Client]) -> None:
        """A room is opened and left as it should be."""
        for room in await self._seated(clients):
            await room.leave()

    async def _change_their_minds(self, clients: Sequence[Client]) -> None:
        """Tickets are taken and given back."""
        for client in clients[:-1]:
            await client.enqueue(CONFIGS[self.kind])
        for client in clients[:-1]:
            await client.dequeue()

    async def _meet(self, clients: Sequence[Client]) -> None:
        """Tickets lead to a room, and its game is played."""
        # Of its own, or tables would be mixed; and another one each time, for pools come and go too.
        self.met = (self.met + 1) % POOLS
        turn_ms = 3_000 + POOLS * self.number + self.met
        config = GAMES[self.kind].config(GAMES[self.kind].rule_sets[0], turn_ms=turn_ms)
        for client in clients:
            await client.enqueue(config)
        rooms = [await client.watch(await client.assigned()) for client in clients]
        await self._played(rooms)
        await self._stand_up(clients)

    async def _played(self, rooms: Sequence[Room], *, steps: int = 0) -> None:
        """Everybody plays to the end, or until somebody has seen so many steps."""
        for room in rooms:
            await room.ready(entropy=self.chance.randbytes(16))
        async with asyncio.TaskGroup() as tasks:
            for seat, room in enumerate(rooms):
                tasks.create_task(self._play_seat(room, steps, self.tokens[seat]))

    async def _play_seat(self, room: Room, steps: int, token: str) -> None:
        game = GAMES[self.kind]
        answered = seen = 0
        async for _ in room.changes():
            seen += 1
            if room.view.status == RoomStatus.ROOM_STATUS_FINISHED or (steps and seen > steps):
                return
            view = room.game_view
            decision = 0 if view is None else game.decision(view)
            if decision > answered:
                if not answered or not self.chance.randrange(HINTED):
                    url = self.chance.choice(self.urls)
                    self.done[await ask_for_hint(url, token, self.kind, view)] += 1
                answered = decision
                try:
                    await room.act(game.choose(view, self.chance))
                except Refused as refused:
                    self.done[f"move: {refused.name}"] += 1


Visit = Callable[[Sequence[Client]], Awaitable[None]]


def _reason(error: BaseException) -> str:
    return error.name if isinstance(error, Refused) else type(error).__name__
