"""The rooms that a session follows, and the one that it has asked for."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from parlor.client.errors import Refused
from parlor.client.requests import PASSING, retry_after_ms
from parlor.client.room import Room, Session
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import ClientFrame, Heartbeat, Refusal, ServerFrame, Unwatch, Watch
from parlor.v1.room_pb2 import Position, RoomView

log = structlog.get_logger(__name__)

_VIEW_S: Final = 30.0
_AGAIN_S: Final = 0.25
_AWAY: Final = PASSING - {ErrorReason.ERROR_REASON_TOO_FAST}
"""After these a room is asked for again; who asks for too many is told."""
_MOST_POSITIONS: Final = 8
"""What a hello may name; a session follows no more unless a gateway has let go of some meanwhile."""
_MOST_LEFT: Final = 64


@dataclass(slots=True, eq=False)
class _Asked:
    """A room that was asked for and has not come."""

    watch: Watch
    room: "asyncio.Future[Room]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def is_answered_by(self, view: RoomView) -> bool:
        """A spectator of a private room is not told its code: such a view answers a code, whether the
        room is new or was watched before.
        """
        if self.watch.room_id:
            return view.room_id == self.watch.room_id
        return view.code == self.watch.code if view.code else not view.HasField("seat")


class Rooms:
    """All rooms of one session."""

    def __init__(
        self,
        session: Session,
        send: Callable[[ClientFrame], Coroutine[Any, Any, None]],
        aside: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._session = session
        self._send = send
        self._aside = aside
        self._asked: _Asked | None = None
        self._one_at_a_time = asyncio.Lock()
        self._behind: dict[str, int] = {}
        self._over: Exception | None = None
        self._left: deque[str] = deque(maxlen=_MOST_LEFT)
        """Rooms let go last: a view of one may still have been on its way."""
        self._later: set[str] = set()
        """Rooms that will be asked for again: once, however many requests were refused."""
        self.followed: dict[str, Room] = {}

    @property
    def positions(self) -> tuple[Position, ...]:
        """From where a new connection goes on."""
        return tuple(room.position for room in self._told)

    @property
    def _told(self) -> list[Room]:
        """The rooms that a hello names: the newest."""
        return list(self.followed.values())[-_MOST_POSITIONS:]

    @property
    def frames(self) -> tuple[ClientFrame, ...]:
        """What a new connection has to send again."""
        return () if self._asked is None else (ClientFrame(watch=self._asked.watch),)

    async def watch(self, room_id: str, code: str) -> Room:
        """The room, followed from now on; raises `Refused`, SessionOver or TimeoutError."""
        if room_id in self.followed:
            return self.followed[room_id]
        # A refusal does not always say which room it refuses.
        async with self._one_at_a_time:
            asked = _Asked(Watch(room_id=room_id, code=code))
            self._asked = asked
            try:
                if self._over is not None:
                    raise self._over
                await self._send(ClientFrame(watch=asked.watch))
                async with asyncio.timeout(_VIEW_S):
                    return await asked.room
            finally:
                self._asked = None

    async def unwatch(self, room_id: str) -> None:
        """Follows the room no longer."""
        self._left.append(room_id)
        if self.followed.pop(room_id, None) is not None:
            await self._send(ClientFrame(unwatch=Unwatch(room_id=room_id)))

    def ask_again(self, room: Room) -> None:
        """Asks for what is missing behind the room's position."""
        watch = Watch(room_id=room.room_id, position=room.position)
        self._aside(self._send(ClientFrame(watch=watch)))

    def resumed(self) -> None:
        """A new connection was told the positions; the other rooms are asked for."""
        self._behind.clear()
        told = self._told
        for room in self.followed.values():
            room.resumed()
            if room not in told:
                self.ask_again(room)

    def end(self, error: Exception) -> None:
        """Nothing will come any more."""
        self._over = error
        if self._asked is not None and not self._asked.room.done():
            self._asked.room.set_exception(error)
        for room in self.followed.values():
            room.end(error)

    # What is received.

    def take(self, frame: ServerFrame) -> None:
        """Gives a frame to its room."""
        match frame.WhichOneof("frame"):
            case "view":
                self._take_view(frame.view)
            case "entry" if frame.entry.room_id in self.followed:
                room = self.followed[frame.entry.room_id]
                room.take_entry(frame.entry)
                if room.closed:
                    del self.followed[room.room_id]
            case "chat" if frame.chat.room_id in self.followed:
                self.followed[frame.chat.room_id].take_chat(frame.chat)

    def take_heartbeat(self, beat: Heartbeat) -> None:
        """Two beats in which nothing came, and the server is ahead: something was lost."""
        behind: dict[str, int] = {}
        for head in beat.heads:
            room = self.followed.get(head.room_id)
            if room is None or head.seq <= room.view.seq:
                continue
            if self._behind.get(head.room_id) == room.view.seq:
                room.miss()
            behind[head.room_id] = room.view.seq
        self._behind = behind

    def take_refusal(self, refusal: Refusal) -> None:
        """A room that was asked for is refused, or one that was followed is closed to the player."""
        room_id = refusal.metadata.get("room_id", "")
        refused = Refused.of(refusal)
        if room_id in self.followed and refusal.reason in PASSING:
            # The gateway has let go of the room until its engine, or the store, is back.
            if room_id not in self._later:
                self._later.add(room_id)
                self._aside(self._ask_later(self.followed[room_id], retry_after_ms(refusal)))
        elif room_id in self.followed:
            self.followed.pop(room_id).lose()
        elif self._asked is not None and refusal.reason in _AWAY:
            self._aside(self._watch_later(self._asked, retry_after_ms(refusal)))
        elif self._asked is not None and not self._asked.room.done():
            self._asked.room.set_exception(refused)
        else:
            log.warning("frame_refused", reason=refused.name)

    async def _ask_later(self, room: Room, after_ms: int) -> None:
        await asyncio.sleep(max(_AGAIN_S, after_ms / 1000))
        self._later.discard(room.room_id)
        self.ask_again(room)

    async def _watch_later(self, asked: _Asked, after_ms: int) -> None:
        await asyncio.sleep(max(_AGAIN_S, after_ms / 1000))
        if asked is self._asked and not asked.room.done():
            await self._send(ClientFrame(watch=asked.watch))

    def _take_view(self, view: RoomView) -> None:
        room = self.followed.get(view.room_id)
        if room is None and self._is_late(view):
            return
        if room is None:
            room = self.followed[view.room_id] = Room(self._session, view)
        else:
            room.take_view(view)
        asked = self._asked
        if asked is not None and not asked.room.done() and asked.is_answered_by(view):
            asked.room.set_result(room)

    def _is_late(self, view: RoomView) -> bool:
        """Whether it is of a room that was let go, without a seat in it, and not asked for again."""
        if view.room_id not in self._left or view.HasField("seat"):
            return False
        watch = None if self._asked is None else self._asked.watch
        return watch is None or not (watch.code or watch.room_id == view.room_id)
