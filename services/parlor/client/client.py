"""One player's session, kept across connections: requests are answered once, rooms miss nothing."""

import asyncio
import random
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Self

import aiohttp
import structlog

from parlor.client import codec
from parlor.client.errors import Refused, SessionOver
from parlor.client.link import Link, LinkDown, Parted, linked
from parlor.client.login import login_at_any
from parlor.client.past import Past
from parlor.client.requests import PASSING, Requests, retry_after_ms
from parlor.client.room import Room
from parlor.client.rooms import Rooms
from parlor.client.ticket import Ticket
from parlor.v1 import play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import PartyUpdate, TicketExplanation, TicketUpdate
from parlor.v1.play_pb2 import (
    Answer,
    ClientFrame,
    Command,
    Goodbye,
    GoodbyeReason,
    Maintenance,
    RoomOpened,
    ServerFrame,
    Welcome,
)
from parlor.v1.room_pb2 import GameConfig, RoomOptions

log = structlog.get_logger(__name__)

_SHORTEST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 5.0
_LONGEST_REFUSED_S: Final = 1.0
"""After a gateway that answers and cannot let anybody in yet: one that wants more rest says so."""


class Client:
    """A session; open while the context is entered.

    `urls` are gateways, such as `http://127.0.0.1:8080`: one is chosen at random, and another where
    there is one after each break. The player is the one of `token`, or a new guest of the name
    `guest`, where the operator allows guests; a `bot` is shown as one to everybody. `json` is for
    reading along: protobuf is smaller and faster. `heard` is called with every frame before anything
    comes of it, and must not block. `chance` decides what is random, for tests.

    Entering raises SessionOver where the token is not accepted, and what `login` raises. What is
    asked raises `Refused` for what the server says no to, SessionOver once the session has ended for
    good, or TimeoutError where nobody answered for 30 s: then the same `request_id` may be used to ask
    again, and what was carried out is not carried out twice. A lost connection raises nothing: the
    session comes back, sends again what was not answered, and rooms miss nothing.
    """

    def __init__(
        self,
        urls: Sequence[str],
        *,
        token: str = "",
        guest: str = "",
        bot: bool = False,
        json: bool = False,
        heard: Callable[[ServerFrame], None] = lambda _: None,
        chance: random.Random | None = None,
    ) -> None:
        if not urls or bool(token) == bool(guest):
            raise ValueError("a client needs a gateway, and either a token or a guest's name")
        self._chance = chance or random.Random()
        self._urls = [url.rstrip("/") for url in urls]
        self._next_url = self._chance.randrange(len(urls))
        self._guest = guest
        self._bot = bot
        self._subprotocol = codec.JSON if json else codec.PROTO
        self._heard = heard
        self._link: Link | None = None
        self._away_ms = 0
        self._keeper: asyncio.Task[None] | None = None
        self._open = asyncio.Event()
        self._over: Exception | None = None
        self._asides: set[asyncio.Task[None]] = set()
        self._requests = Requests(self._send, self._chance)
        self._rooms = Rooms(self, self._send, self._aside)
        self._ticket = Ticket()
        self.past = Past(self._ask_history)
        """Past games: ratings, leaderboards, history."""
        self.token = token
        """Who the player is; keep it secret. A guest's is known once the session is open."""
        self.welcome = Welcome()
        """What the newest connection was welcomed with."""
        self.maintenance: Maintenance | None = None
        """The maintenance that is planned or has begun, as far as is known; None without one."""
        self.url = ""
        """The gateway of the newest connection; empty before the first."""
        self.party: PartyUpdate | None = None
        """The player's party as it was last heard of."""
        self.connections = 0
        """How many connections there have been."""

    @property
    def player(self) -> str:
        """Who the token says the player is."""
        return self.welcome.player

    @property
    def rooms(self) -> Mapping[str, Room]:
        """The rooms that are followed, by id."""
        return self._rooms.followed

    @property
    def ticket(self) -> TicketUpdate | None:
        """The ticket as it was last heard of."""
        return self._ticket.last

    @property
    def is_away(self) -> bool:
        """Whether there is no connection at the moment."""
        return self._link is None

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
        """Opens a room, and takes its first seat unless told otherwise.

        The answer has its id, for `watch`, and the code by which others `join` it.
        """
        request_id = request_id or _new_id()
        opening = play_pb2.OpenRoom(
            request_id=request_id, config=config, options=options, join=join
        )
        answer = await self._requests.ask(request_id, ClientFrame(open_room=opening))
        return answer.opened

    async def watch(self, room_id: str = "", *, code: str = "") -> Room:
        """The room with this id or code, followed from now on: as its seat, or as a spectator where
        the room allows them. The same object for as long as it is followed.
        """
        return await self._rooms.watch(room_id, code)

    async def join(self, code: str) -> Room:
        """The room with this code, with a seat in it, also where nobody else may look."""
        try:
            room = await self.watch(code=code)
        except Refused as refused:
            room_id = refused.metadata.get("room_id", "")
            if refused.reason != ErrorReason.ERROR_REASON_NO_SPECTATORS or not room_id:
                raise
            await self.command(Command(room_id=room_id, join=play_pb2.Join(code=code)))
            return await self.watch(room_id)
        if room.seat is None:
            await room.join(code=code)
        return room

    async def unwatch(self, room: Room) -> None:
        """Follows a room no longer."""
        await self._rooms.unwatch(room.room_id)

    async def join_by_link(self, room_id: str, link_token: str) -> Room:
        """The room that a link leads to, with a seat in it."""
        join = play_pb2.Join(link_token=link_token)
        await self.command(Command(room_id=room_id, join=join))
        return await self.watch(room_id)

    async def enqueue(
        self,
        config: GameConfig,
        *,
        region: str = "",
        stake: str = "",
        party_code: str = "",
        request_id: str = "",
    ) -> None:
        """Asks to be matched, with the party that the player leads where its code is given;
        `assigned` waits for the room.
        """
        request_id = request_id or _new_id()
        asking = play_pb2.Enqueue(
            request_id=request_id, config=config, region=region, stake=stake, party_code=party_code
        )
        self._begin_ticket()
        try:
            await self._requests.ask(request_id, ClientFrame(enqueue=asking))
        except Refused as refused:
            # The answer was lost, and a repeat finds the player in the room that the ticket led to.
            led_to = self.ticket.room_id if self.ticket is not None else ""
            if not led_to or refused.metadata.get("place") != f"room:{led_to}":
                raise

    async def dequeue(self, *, request_id: str = "") -> None:
        """Gives the ticket back; `Refused` with TICKET_MATCHED where it is too late."""
        request_id = request_id or _new_id()
        asking = play_pb2.Dequeue(request_id=request_id)
        gone = (ErrorReason.ERROR_REASON_TICKET_NOT_FOUND,)
        answer = await self._requests.ask(request_id, ClientFrame(dequeue=asking), done=gone)
        if not answer.HasField("accepted"):
            # Word of its end was lost with the answer.
            self._ticket.given_back()

    async def explain(self) -> TicketExplanation:
        """Why the ticket waits."""
        request_id = _new_id()
        asking = play_pb2.Explain(request_id=request_id)
        return (await self._requests.ask(request_id, ClientFrame(explain=asking))).explained

    async def create_party(self, *, request_id: str = "") -> PartyUpdate:
        """Begins a party."""
        request_id = request_id or _new_id()
        asking = play_pb2.CreateParty(request_id=request_id)
        return (await self._requests.ask(request_id, ClientFrame(create_party=asking))).party

    async def join_party(self, code: str, *, request_id: str = "") -> PartyUpdate:
        """Joins the party with this code; its leader's ticket is then this player's too."""
        request_id = request_id or _new_id()
        asking = play_pb2.JoinParty(request_id=request_id, code=code)
        self._begin_ticket()
        return (await self._requests.ask(request_id, ClientFrame(join_party=asking))).party

    async def leave_party(self, member: str = "", *, request_id: str = "") -> PartyUpdate:
        """Leaves the party, or takes another member out of it."""
        request_id = request_id or _new_id()
        asking = play_pb2.LeaveParty(request_id=request_id, member=member)
        frame, gone = ClientFrame(leave_party=asking), (ErrorReason.ERROR_REASON_PARTY_NOT_FOUND,)
        answer = await self._requests.ask(request_id, frame, done=gone)
        if not answer.HasField("party") and member and self.party is not None:
            return self.party
        return answer.party

    async def assigned(self) -> str:
        """The id of the room that the ticket leads to, once it does; empty where it is cancelled."""
        return await self._ticket.room_id()

    async def command(self, command: Command) -> Answer:
        """Sends a command until it is answered, under one id; a room's own methods are simpler."""
        if not command.request_id:
            command.request_id = _new_id()
        return await self._requests.ask(command.request_id, ClientFrame(command=command))

    async def _ask_history(self, asked: play_pb2.AskHistory) -> play_pb2.HistoryAnswer:
        asked.request_id = _new_id()
        answer = await self._requests.ask(asked.request_id, ClientFrame(ask_history=asked))
        return answer.history

    def ask_again(self, room: Room) -> None:
        """Asks for what is missing behind a room's position."""
        self._rooms.ask_again(room)

    def _begin_ticket(self) -> None:
        """A ticket is asked for that leads to none of the rooms in which the player has a seat."""
        seated = (room_id for room_id, room in self.rooms.items() if room.seat is not None)
        self._ticket.begin({self.welcome.room_id, *seated})

    # One connection after the other.

    async def _log_in(self) -> str:
        self._next_url, guest = await login_at_any(
            self._urls, self._guest, bot=self._bot, first=self._next_url, chance=self._chance
        )
        return guest.token

    async def _keep(self) -> None:
        """Keeps a connection until the session is over."""
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
                await self._connect_again_and_again(http)
        except Exception as error:
            # A defect, here or in what `heard` does: nobody shall wait for a session that is dead.
            if not isinstance(error, SessionOver):
                log.exception("session_failed")
            self._end(error)

    async def _connect_again_and_again(self, http: aiohttp.ClientSession) -> None:
        """Runs connections with growing pauses between those that fail; raises SessionOver."""
        pause_s = _SHORTEST_PAUSE_S
        while True:
            before = self.connections
            try:
                await self._run(http)
                wait_s = 0.0
            except Parted as parted:
                if _is_final(parted.goodbye):
                    raise SessionOver(parted.goodbye) from None
                wait_s = _wait_ms(parted.goodbye) / 1000
                pause_s = min(pause_s, _LONGEST_REFUSED_S)
            except LinkDown as down:
                wait_s, self._away_ms = self._away_ms / 1000, 0
                log.debug("link_down", cause=str(down))
            if self.connections > before:
                pause_s = _SHORTEST_PAUSE_S
            await asyncio.sleep(wait_s + pause_s * self._chance.uniform(0.5, 1))
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _run(self, http: aiohttp.ClientSession) -> None:
        """One connection, from its hello to its end."""
        url = self._urls[self._next_url]
        self._next_url = (self._next_url + 1) % len(self._urls)
        async with linked(
            http,
            url,
            token=self.token,
            positions=self._rooms.positions,
            subprotocol=self._subprotocol,
        ) as link:
            self.url = url
            self._welcomed(link)
            alive = asyncio.create_task(link.keep_alive())
            try:
                for frame in (*self._requests.repeated(), *self._rooms.frames):
                    # What was carried out on the way is answered the same.
                    await link.send(frame)
                async for received in link.frames():
                    self._take(received)
            finally:
                self._link = None
                alive.cancel()

    def _welcomed(self, link: Link) -> None:
        self._link = link
        self.welcome = link.welcome
        # What is planned is told behind each welcome.
        self.maintenance = None
        self.connections += 1
        self._rooms.resumed()
        self._ticket.welcomed(link.welcome)
        self._heard(ServerFrame(welcome=link.welcome))
        self._open.set()

    def _take(self, frame: ServerFrame) -> None:
        self._heard(frame)
        match frame.WhichOneof("frame"):
            case "answer":
                self._requests.take(frame.answer)
            case "entry" | "view" | "chat":
                self._rooms.take(frame)
            case "heartbeat":
                self._rooms.take_heartbeat(frame.heartbeat)
            case "ticket":
                self._ticket.take(frame.ticket)
            case "party":
                self.party = frame.party if frame.party.code else None
            case "refusal":
                self._rooms.take_refusal(frame.refusal)
            case "maintenance":
                is_planned = frame.maintenance.HasField("start_time")
                self.maintenance = frame.maintenance if is_planned else None
            case kind:
                log.warning("unexpected_frame", frame=kind)

    async def _send(self, frame: ClientFrame) -> None:
        """Sends over the present connection; without one, what must arrive is sent by the next."""
        if self._link is not None:
            await self._link.send(frame)

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        """Does something beside the reading; it ends with the session."""
        task = asyncio.create_task(work)
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    def _end(self, error: Exception) -> None:
        """The session is over for everybody who waits for something."""
        if self._over is None:
            self._over = error
            self._requests.end(error)
            self._rooms.end(error)
            self._ticket.end(error)


def _is_final(goodbye: Goodbye) -> bool:
    """Whether a client does not come back by itself after this."""
    if goodbye.reason == GoodbyeReason.GOODBYE_REASON_REFUSED:
        return goodbye.refusal.reason not in PASSING
    return goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED


def _wait_ms(goodbye: Goodbye) -> int:
    return goodbye.retry_after_ms or retry_after_ms(goodbye.refusal)


def _new_id() -> str:
    return secrets.token_hex(12)
