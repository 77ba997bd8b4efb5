"""One followed room: where the client stands in it, how it looks, and what can be asked of it."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from parlor.client import folding, games
from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import Accepted, Answer, Command, Entry
from parlor.v1.room_pb2 import Event, GameConfig, Position, RoomOptions, RoomStatus, RoomView

_SEATED_S = 10.0


class Session(Protocol):
    """What a room needs of its client."""

    @property
    def player(self) -> str:
        """Whose session it is."""

    async def command(self, command: Command) -> Answer:
        """Sends a command until it is answered."""

    def ask_again(self, room: "Room") -> None:
        """Asks for what is missing behind the room's position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What has changed since the last change that was looked at."""

    entries: tuple[Entry, ...] = ()
    """The steps, in order; empty where a view replaced what was known."""


@dataclass(slots=True, kw_only=True)
class Counts:
    """What went wrong on the way, and how much came."""

    entries: int = 0
    events: int = 0
    views: int = 0
    gaps: int = 0
    """Entries that came before the one they follow."""
    duplicates: int = 0
    """Entries that had come before, and views that go back without saying so."""
    rewound: int = 0
    """Views after which the store had lost what was seen."""
    mismatches: int = 0
    """Games whose seed is not the one that was committed to before the deal."""


class Room:
    """A room as this client's player sees it; `view` and `game_view` are always up to date.

    `Client.watch` gives it. What is asked raises as in `Client`; what the rules refuse has changed
    nothing.
    """

    def __init__(self, session: Session, first: RoomView) -> None:
        self._session = session
        self._watchers: list[_Watcher] = []
        self._over: Exception | None = None
        self._repairing = False
        self._promised: dict[int, bytes] = {}
        self.room_id = first.room_id
        self.view = RoomView()
        """All but the game; changed in place."""
        self.game_view: Any = None
        """The game as its rules see it; None before the first deal."""
        self.counts = Counts()
        self.closed = False
        """Whether the room is gone, or closed to the player."""
        self.take_view(first)

    @property
    def seat(self) -> int | None:
        """The player's seat."""
        return self.view.seat if self.view.HasField("seat") else None

    @property
    def position(self) -> Position:
        """What was last received."""
        return Position(room_id=self.room_id, seq=self.view.seq, token=self.view.token)

    async def changes(self) -> AsyncIterator[Change]:
        """What has changed, whenever it has: at once, then until the room is gone.

        Changes that come faster than they are looked at are given as one. Raises SessionOver.
        """
        if self._over is not None:
            raise self._over
        watcher = _Watcher()
        self._watchers.append(watcher)
        try:
            yield Change()
            while not self.closed or watcher.entries:
                yield await watcher.next()
        finally:
            self._watchers.remove(watcher)

    # What can be asked.

    async def join(
        self, seat: int | None = None, *, code: str = "", request_id: str = ""
    ) -> Accepted:
        """Takes a seat, the first free one unless named; returns when the view shows it."""
        accepted = await self._ask(request_id, join=play_pb2.Join(seat=seat, code=code))
        # The answer may be faster than the view of the new seat.
        async with asyncio.timeout(_SEATED_S):
            async for _ in self.changes():
                if self.seat is not None:
                    break
        return accepted

    async def leave(self, *, request_id: str = "") -> Accepted:
        """Gives the seat up."""
        return await self._ask(request_id, leave=play_pb2.Leave())

    async def ready(
        self, ready: bool = True, *, entropy: bytes = b"", request_id: str = ""
    ) -> Accepted:
        """Declares ready for the next game, or takes it back. `entropy`, at most 32 bytes, is mixed
        into its draws, so that nobody else can have chosen them alone.
        """
        return await self._ask(request_id, ready=play_pb2.Ready(ready=ready, entropy=entropy))

    async def act(self, action: Any, *, request_id: str = "") -> Accepted:
        """Acts in the running game; `action` is one of its rules', such as `Bid` of
        `parlor.rules.doudizhu.actions`, and names the decision of `game_view.prompt` that it answers.
        """
        return await self._ask(request_id, act=games.action_message(self.view, action))

    async def say(self, text: str, *, request_id: str = "") -> Accepted:
        """Says a line of chat."""
        return await self._ask(request_id, say=play_pb2.Say(text=text))

    async def dissolve(self, agree: bool = True, *, request_id: str = "") -> Accepted:
        """Proposes to end the game, or answers the proposal."""
        return await self._ask(request_id, dissolve=play_pb2.Dissolve(agree=agree))

    async def kick(self, seat: int, *, request_id: str = "") -> Accepted:
        """Empties another's seat."""
        return await self._ask(request_id, kick=play_pb2.Kick(seat=seat))

    async def add_bots(self, count: int = 0, *, request_id: str = "") -> Accepted:
        """Asks for bots to take free seats: all of them, or so many."""
        return await self._ask(request_id, add_bots=play_pb2.AddBots(count=count))

    async def swap_seats(self, first: int, second: int, *, request_id: str = "") -> Accepted:
        """Exchanges the contents of two seats."""
        return await self._ask(
            request_id, swap_seats=play_pb2.SwapSeats(first=first, second=second)
        )

    async def set_options(
        self,
        config: GameConfig | None = None,
        options: RoomOptions | None = None,
        *,
        request_id: str = "",
    ) -> Accepted:
        """Changes the room's options; who was ready is not any more."""
        return await self._ask(
            request_id, set_options=play_pb2.SetOptions(config=config, options=options)
        )

    async def _ask(self, request_id: str, **command: Any) -> Accepted:
        asked = Command(request_id=request_id, room_id=self.room_id, **command)
        answer = await self._session.command(asked)
        return answer.accepted

    # What is received. Only the client calls these.

    def take_view(self, view: RoomView) -> None:
        """Replaces what is known, unless that is newer."""
        same_audience = _seat(view) == _seat(self.view) and self.view.room_id != ""
        if view.rewound:
            self.counts.rewound += 1
        elif same_audience and view.seq < self.view.seq:
            self.counts.duplicates += 1
            return
        self.counts.views += 1
        self._repairing = False
        self.view.CopyFrom(view)
        self.game_view = games.view_of(view)
        games.strip(self.view)
        self._promise(
            view.game_no + (view.status != RoomStatus.ROOM_STATUS_PLAYING), view.commitment
        )
        self._tell(None)

    def take_entry(self, entry: Entry) -> None:
        """Folds the step that follows the position; counts and repairs what does not follow."""
        if entry.seq <= self.view.seq:
            self.counts.duplicates += 1
            return
        if entry.seq > self.view.seq + 1:
            self.miss()
            return
        self._repairing = False
        self.counts.entries += 1
        self.counts.events += len(entry.events)
        self.view.seq, self.view.token = entry.seq, entry.token
        for event in entry.events:
            self._fold(event)
        self._tell(entry)

    def take_chat(self, chat: play_pb2.Chat) -> None:
        """Adds a line of chat."""
        folding.add_chat(self.view, chat.line)
        self._tell(None)

    def end(self, error: Exception) -> None:
        """Nothing will come any more."""
        self._over = error
        for watcher in self._watchers:
            watcher.fail(error)

    def lose(self) -> None:
        """The room is closed to the player: nobody may watch it, or it is gone."""
        self.closed = True
        self._tell(None)

    def miss(self) -> None:
        """Something behind the position is missing: counted once, and asked for."""
        if not self._repairing:
            self._repairing = True
            self.counts.gaps += 1
            self._session.ask_again(self)

    def resumed(self) -> None:
        """A new connection was told the position: what is missing comes by itself."""
        self._repairing = False

    def _fold(self, event: Event) -> None:
        folding.fold(self.view, event, self._session.player)
        match event.WhichOneof("event"):
            case "ready_opened":
                self._promise(self.view.game_no + 1, event.ready_opened.commitment)
            case "game_started":
                self._promise(event.game_started.game_no, event.game_started.commitment)
                self.game_view = games.before(self.view)
            case "game_ended":
                self._check_seed(event.game_ended.result.game_no, event.game_ended.result.seed)
            case "room_closed":
                self.closed = True
            case "seat_changed" | "host_changed" | "dissolve_changed" | "options_changed" | None:
                pass
            case _ if self.game_view is not None:
                self.game_view = games.folded(self.game_view, event)

    def _promise(self, game_no: int, commitment: bytes) -> None:
        """Remembers the commitment to a game's seed, as it was first given."""
        if self._promised.setdefault(game_no, commitment) != commitment:
            self.counts.mismatches += 1

    def _check_seed(self, game_no: int, seed: bytes) -> None:
        promised = self._promised.pop(game_no, None)
        if promised is not None and hashlib.sha256(seed).digest() != promised:
            self.counts.mismatches += 1

    def _tell(self, entry: Entry | None) -> None:
        for watcher in self._watchers:
            watcher.tell(entry)


@dataclass(slots=True)
class _Watcher:
    """Somebody who looks at changes."""

    entries: list[Entry] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    error: Exception | None = None

    def tell(self, entry: Entry | None) -> None:
        if entry is None:
            # A view holds all that came before it.
            self.entries.clear()
        else:
            self.entries.append(entry)
        self.changed.set()

    def fail(self, error: Exception) -> None:
        self.error = error
        self.changed.set()

    async def next(self) -> Change:
        await self.changed.wait()
        if self.error is not None:
            raise self.error
        self.changed.clear()
        change = Change(entries=tuple(self.entries))
        self.entries.clear()
        return change


def _seat(view: RoomView) -> int | None:
    return view.seat if view.HasField("seat") else None
