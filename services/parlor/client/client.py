"""One player's session, kept across connections: requests are answered once, rooms miss nothing."""

import asyncio
import random
import secrets
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import aiohttp
import structlog

from parlor.client import codec
from parlor.client.errors import Refused, SessionOver
from parlor.client.link import Link, LinkDown, Parted, linked
from parlor.client.login import login
from parlor.client.room import Room
from parlor.v1 import play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.play_pb2 import (
    Answer,
    ClientFrame,
    Command,
    Goodbye,
    GoodbyeReason,
    RoomOpened,
    ServerFrame,
    Welcome,
)
from parlor.v1.room_pb2 import GameConfig, RoomOptions

log = structlog.get_logger(__name__)

UNANSWERED: Final = 8
"""How many requests may be unanswered; more would be refused."""

_ANSWER_S: Final = 30.0
_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 5.0

_AGAIN: Final = frozenset(
    {
        ErrorReason.ERROR_REASON_TOO_FAST,
        ErrorReason.ERROR_REASON_OVERLOADED,
        ErrorReason.ERROR_REASON_DRAINING,
        ErrorReason.ERROR_REASON_NO_ENGINE,
        ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
        ErrorReason.ERROR_REASON_COMMIT_UNCONFIRMED,
        ErrorReason.ERROR_REASON_CONFLICT,
        ErrorReason.ERROR_REASON_TIMEOUT,
    }
)
"""Refusals after which the same request is sent again: it may do better, or was carried out."""


_ENDED: Final = frozenset({TicketState.TICKET_STATE_ASSIGNED, TicketState.TICKET_STATE_CANCELLED})
"""States that a ticket does not leave."""


@dataclass(slots=True, eq=False)
class _Request:
    """A request without an answer."""

    request_id: str
    frame: ClientFrame
    answer: "asyncio.Future[Answer]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(slots=True, eq=False)
class _Watching:
    """A room that was asked for and has not come."""

    frame: ClientFrame
    room: "asyncio.Future[Room]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Client:
    """A session; open while the context is entered.

    `urls` are gateways, such as `http://127.0.0.1:8080`: one is chosen at random, and another where
    there is one after each break. `heard` is called with every frame before anything comes of it.
    """

    def __init__(
        self,
        urls: Sequence[str],
        *,
        token: str = "",
        guest: str = "",
        bot: bool = False,
        json: bool = False,
        heard: Callable[[ServerFrame], None] | None = None,
        chance: random.Random | None = None,
    ) -> None:
        if not urls or bool(token) == bool(guest):
            raise ValueError("a client needs a gateway, and either a token or a guest's name")
        self._chance = chance or random.Random()
        self._urls = [url.rstrip("/") for url in urls]
        self._next_url = self._chance.randrange(len(urls))
        self.token = token
        """Who the player is; keep it secret. A guest's is known once the session is open."""
        self._guest = guest
        self._bot = bot
        self._subprotocol = codec.JSON if json else codec.PROTO
        self._heard = heard
        self._link: Link | None = None
        self._away_ms = 0
        self._keeper: asyncio.Task[None] | None = None
        self._open = asyncio.Event()
        self._over: Exception | None = None
        self._requests: list[_Request] = []
        self._slots = asyncio.Semaphore(UNANSWERED)
        self._watching: _Watching | None = None
        self._watch_lock = asyncio.Lock()
        self._behind: dict[str, int] = {}
        self._asides: set[asyncio.Task[None]] = set()
        self._ticket_moved = asyncio.Event()
        self.rooms: dict[str, Room] = {}
        """The rooms that are followed, by id."""
        self.welcome = Welcome()
        """What the newest connection was welcomed with."""
        self.ticket: TicketUpdate | None = None
        """The ticket as it was last heard of."""
        self.connections = 0
        """How many connections there have been."""

    @property
    def player(self) -> str:
        """Who the token says the player is."""
        return self.welcome.player

    async def __aenter__(self) -> Self:
        if not self.token:
            self.token = await self._log_in()
        self._keeper = asyncio.create_task(self._keep(), name="client")
        opened = asyncio.create_task(self._open.wait())
        try:
            await asyncio.wait((opened, self._keeper), return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        if self._over is not None:
            await self.aclose()
            raise self._over
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the session; whoever waits for something gets SessionOver."""
        tasks = [task for task in (self._keeper, *self._asides) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._end(SessionOver())

    @property
    def is_away(self) -> bool:
        """Whether there is no connection at the moment."""
        return self._link is None

    def drop(self, *, away_ms: int = 0) -> None:
        """Breaks the connection, as a dead network would; the session comes back by itself.

        It stays away for at least `away_ms`.
        """
        if self._link is not None:
            self._away_ms = away_ms
            self._link.drop()

    # What can be asked.

    async def open_room(
        self,
        config: GameConfig,
        *,
        options: RoomOptions | None = None,
        join: bool = True,
        request_id: str = "",
    ) -> RoomOpened:
        """Opens a room, and takes its first seat unless told otherwise."""
        request_id = request_id or _new_id()
        opening = play_pb2.OpenRoom(
            request_id=request_id, config=config, options=options, join=join
        )
        answer = await self._request(request_id, ClientFrame(open_room=opening))
        return answer.opened

    async def watch(self, room_id: str = "", *, code: str = "") -> Room:
        """The room with this id or code, followed from now on."""
        if room_id in self.rooms:
            return self.rooms[room_id]
        # One at a time: a refusal does not say which request it refuses.
        async with self._watch_lock:
            watching = _Watching(ClientFrame(watch=play_pb2.Watch(room_id=room_id, code=code)))
            self._watching = watching
            try:
                self._check_over()
                await self._send(watching.frame)
                async with asyncio.timeout(_ANSWER_S):
                    return await watching.room
            finally:
                self._watching = None

    async def unwatch(self, room: Room) -> None:
        """Follows a room no longer."""
        self.rooms.pop(room.room_id, None)
        await self._send(ClientFrame(unwatch=play_pb2.Unwatch(room_id=room.room_id)))

    async def enqueue(self, config: GameConfig, *, request_id: str = "") -> None:
        """Asks to be matched; `assigned` waits for the room."""
        request_id = request_id or _new_id()
        asking = play_pb2.Enqueue(request_id=request_id, config=config)
        self.ticket = None
        await self._request(request_id, ClientFrame(enqueue=asking))

    async def dequeue(self, *, request_id: str = "") -> None:
        """Gives the ticket back."""
        request_id = request_id or _new_id()
        await self._request(
            request_id, ClientFrame(dequeue=play_pb2.Dequeue(request_id=request_id))
        )

    async def assigned(self) -> str:
        """The id of the room that the ticket leads to, once it does; empty where it is cancelled."""
        while True:
            self._check_over()
            if self.ticket is not None and self.ticket.state in _ENDED:
                return self.ticket.room_id
            self._ticket_moved.clear()
            await self._ticket_moved.wait()

    async def command(self, command: Command) -> Answer:
        """Sends a command until it is answered, under one id; raises `Refused`."""
        if not command.request_id:
            command.request_id = _new_id()
        return await self._request(command.request_id, ClientFrame(command=command))

    def ask_again(self, room: Room) -> None:
        """Asks for what is missing behind a room's position."""
        watch = play_pb2.Watch(room_id=room.room_id, position=room.position)
        self._aside(self._send(ClientFrame(watch=watch)))

    async def _request(self, request_id: str, frame: ClientFrame) -> Answer:
        """The answer to a request, sent again while that makes sense.

        Raises `Refused`, SessionOver, or TimeoutError: then nobody knows whether it was carried
        out, and the same request id may be used to ask.
        """
        pause_s = _SHORTEST_PAUSE_S
        async with self._slots, asyncio.timeout(_ANSWER_S):
            while True:
                answer = await self._ask(_Request(request_id, frame))
                if not answer.HasField("refused"):
                    return answer
                if answer.refused.reason not in _AGAIN:
                    raise Refused.of(answer.refused)
                wait_ms = _retry_after_ms(answer.refused)
                await asyncio.sleep(max(wait_ms / 1000, pause_s * self._chance.uniform(0.5, 1)))
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _ask(self, request: _Request) -> Answer:
        self._check_over()
        self._requests.append(request)
        try:
            await self._send(request.frame)
            return await request.answer
        finally:
            self._requests.remove(request)

    async def _send(self, frame: ClientFrame) -> None:
        """Sends over the present connection; without one, what must arrive is sent by the next."""
        if self._link is not None:
            await self._link.send(frame)

    def _check_over(self) -> None:
        if self._over is not None:
            raise self._over

    # One connection after the other.

    async def _log_in(self) -> str:
        url = self._urls[self._next_url]
        return (await login(url, self._guest, bot=self._bot)).token

    async def _keep(self) -> None:
        """Keeps a connection until the session is over."""
        pause_s = _SHORTEST_PAUSE_S
        timeout = aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(timeout=timeout) as http:
            while True:
                wait_s = 0.0
                before = self.connections
                try:
                    await self._run(http)
                except Parted as parted:
                    if _is_final(parted.goodbye):
                        self._end(SessionOver(parted.goodbye))
                        return
                    wait_s = _wait_ms(parted.goodbye) / 1000
                except LinkDown as down:
                    wait_s, self._away_ms = self._away_ms / 1000, 0
                    log.debug("link_down", cause=str(down))
                except SessionOver as over:
                    self._end(over)
                    return
                if self.connections > before:
                    pause_s = _SHORTEST_PAUSE_S
                await asyncio.sleep(wait_s + pause_s * self._chance.uniform(0.5, 1))
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _run(self, http: aiohttp.ClientSession) -> None:
        """One connection, from its hello to its end."""
        url = self._urls[self._next_url]
        self._next_url = (self._next_url + 1) % len(self._urls)
        positions = [room.position for room in self.rooms.values() if not room.closed]
        async with linked(
            http, url, token=self.token, positions=positions, subprotocol=self._subprotocol
        ) as link:
            self._welcomed(link)
            alive = asyncio.create_task(link.keep_alive())
            try:
                await self._resume(link)
                async for frame in link.frames():
                    self._take(frame)
            finally:
                self._link = None
                alive.cancel()

    def _welcomed(self, link: Link) -> None:
        self._link = link
        self.welcome = link.welcome
        self.connections += 1
        self._behind.clear()
        for room in self.rooms.values():
            room.resumed()
        self._welcome_ticket(link.welcome)
        self._hear(ServerFrame(welcome=link.welcome))
        self._open.set()

    def _welcome_ticket(self, welcome: Welcome) -> None:
        """The ticket after a reconnection: one that is not mentioned any more has ended."""
        if welcome.HasField("ticket"):
            self._take_ticket(welcome.ticket)
        elif self.ticket is not None and self.ticket.state not in _ENDED:
            state = TicketState.TICKET_STATE_CANCELLED
            if welcome.room_id:
                state = TicketState.TICKET_STATE_ASSIGNED
            ended = TicketUpdate(state=state, room_id=welcome.room_id)
            ended.ticket_id = self.ticket.ticket_id
            self._take_ticket(ended)

    async def _resume(self, link: Link) -> None:
        """Sends again what has no answer; what was answered on the way is answered the same."""
        for request in list(self._requests):
            await link.send(request.frame)
        if self._watching is not None:
            await link.send(self._watching.frame)

    def _end(self, error: Exception) -> None:
        """The session is over for everybody who waits for something."""
        if self._over is None:
            self._over = error
        for request in self._requests:
            if not request.answer.done():
                request.answer.set_exception(self._over)
        if self._watching is not None and not self._watching.room.done():
            self._watching.room.set_exception(self._over)
        for room in self.rooms.values():
            room.end(self._over)
        self._ticket_moved.set()

    # What is received.

    def _hear(self, frame: ServerFrame) -> None:
        if self._heard is not None:
            self._heard(frame)

    def _take(self, frame: ServerFrame) -> None:
        self._hear(frame)
        match frame.WhichOneof("frame"):
            case "answer":
                self._take_answer(frame.answer)
            case "entry":
                if frame.entry.room_id in self.rooms:
                    self.rooms[frame.entry.room_id].take_entry(frame.entry)
            case "view":
                self._take_view(frame)
            case "chat":
                if frame.chat.room_id in self.rooms:
                    self.rooms[frame.chat.room_id].take_chat(frame.chat)
            case "heartbeat":
                self._take_heartbeat(frame.heartbeat)
            case "ticket":
                self._take_ticket(frame.ticket)
            case "refusal":
                self._take_refusal(frame.refusal)
            case _:
                log.warning("unexpected_frame", frame=frame.WhichOneof("frame"))

    def _take_answer(self, answer: Answer) -> None:
        """The oldest request with this id is answered; the same id may have been sent twice."""
        for request in self._requests:
            if request.request_id == answer.request_id and not request.answer.done():
                request.answer.set_result(answer)
                return

    def _take_view(self, frame: ServerFrame) -> None:
        view = frame.view
        room = self.rooms.get(view.room_id)
        if room is None:
            room = self.rooms[view.room_id] = Room(self, view)
        else:
            room.take_view(view)
        if self._watching is not None and not self._watching.room.done():
            wanted = self._watching.frame.watch
            if view.room_id == wanted.room_id or (wanted.code and view.code == wanted.code):
                self._watching.room.set_result(room)

    def _take_heartbeat(self, beat: play_pb2.Heartbeat) -> None:
        """Two beats in which nothing came, and the server is ahead: something was lost."""
        behind: dict[str, int] = {}
        for head in beat.heads:
            room = self.rooms.get(head.room_id)
            if room is None or head.seq <= room.view.seq:
                continue
            room.take_head(head, again=self._behind.get(head.room_id) == room.view.seq)
            behind[head.room_id] = room.view.seq
        self._behind = behind

    def _take_ticket(self, ticket: TicketUpdate) -> None:
        self.ticket = ticket
        self._ticket_moved.set()

    def _take_refusal(self, refusal: play_pb2.Refusal) -> None:
        if self._watching is not None and not self._watching.room.done():
            self._watching.room.set_exception(Refused.of(refusal))
        else:
            log.warning("frame_refused", reason=Refused.of(refusal).name)

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        """Does something beside the reading; it ends with the session."""
        task = asyncio.create_task(work)
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)


def _is_final(goodbye: Goodbye) -> bool:
    """Whether a client does not come back by itself after this."""
    if goodbye.reason == GoodbyeReason.GOODBYE_REASON_REFUSED:
        return goodbye.refusal.reason not in _AGAIN
    return goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED


def _wait_ms(goodbye: Goodbye) -> int:
    return goodbye.retry_after_ms or _retry_after_ms(goodbye.refusal)


def _retry_after_ms(refusal: play_pb2.Refusal) -> int:
    """How long the server asks to wait; 0 where it does not say."""
    text = refusal.metadata.get("retry_after_ms", "")
    return int(text) if text.isdecimal() else 0


def _new_id() -> str:
    return secrets.token_hex(12)
