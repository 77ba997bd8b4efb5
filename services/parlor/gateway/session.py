"""A session: one client's connection from its hello to its end, whatever it is carried by.

The session takes frames one after the other and waits for none of what they ask: answers come back
as calls, entries from the rooms it follows, and both leave through the outlet, which never waits
either.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any, Final, ParamSpec, Unpack

import structlog

from parlor.gateway import frames, metrics
from parlor.gateway.gateway import Gateway, player_of
from parlor.gateway.greeting import greet, hello_of
from parlor.gateway.limits import Bucket, Purse, Rate, too_fast
from parlor.gateway.outlet import Frame, Outlet
from parlor.gateway.party import PartyWatch
from parlor.gateway.payload import Payload
from parlor.gateway.requests import Requests
from parlor.gateway.session_rooms import SessionRooms
from parlor.gateway.ticket import TicketWatch
from parlor.gateway.tokens import Identity
from parlor.serving import ServiceError, tracing
from parlor.serving.errors import reason_name
from parlor.serving.failures import as_refusal
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import GoodbyeReason, Hello
from parlor.wire.times import timestamp

log = structlog.get_logger(__name__)

P = ParamSpec("P")

_LONGEST_PAUSE_MS: Final = 1_000
_LOOK_S: Final = 0.05
"""Between two looks at a client that is slow to read."""


class _Over(Exception):
    """Leaves the session's tasks; caught by `run`."""


class Session:
    """One session."""

    def __init__(
        self, gateway: Gateway, outlet: Outlet, address: str, *, trace_parent: str = ""
    ) -> None:
        self.gateway = gateway
        self.address = address
        self._trace_parent = trace_parent
        self.connection = 0
        self.goodbye: GoodbyeReason.ValueType | None = None
        """Why the gateway ended it; None while it runs and when the client did."""
        self.who: Identity = _NOBODY
        self.player = Player()
        self._outlet = outlet
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()
        self._over = asyncio.Event()
        self._tasks: asyncio.TaskGroup | None = None
        self._faults = 0
        self._is_welcome = False
        config = gateway.config
        self._most_waiting = config.outgoing_bytes // 2
        self._bucket = Bucket(Rate(config.frames_per_s, config.frames_burst), self._loop.time)
        self._purses: tuple[Purse, ...] = ()
        self._requests = Requests(self)
        self.rooms = SessionRooms(self)
        self.ticket = TicketWatch(self)
        self.party = PartyWatch(self)

    # Its course.

    async def run(self, incoming: AsyncIterator[Frame]) -> None:
        """Serves the client until either side ends it; the transport then closes."""
        opened = metrics.connections.labels(self._outlet.transport)
        opened.inc()
        try:
            self.gateway.sessions.add(self)
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                tasks.create_task(self._serve(incoming))
                await self._over.wait()
                raise _Over
        except* _Over:
            pass
        except* ServiceError as refusals:
            for refusal in refusals.exceptions:
                if isinstance(refusal, ServiceError):
                    self.refuse_all(refusal)
        finally:
            try:
                await self._leave()
                await self._outlet.close(self.goodbye)
            finally:
                self.gateway.sessions.remove(self)
                opened.dec()

    async def _serve(self, incoming: AsyncIterator[Frame]) -> None:
        try:
            hello = await self._hello(incoming)
            if hello is not None:
                self.heard()
                await greet(self, hello)
                self._is_welcome = True
                notice = self.gateway.notices.current()
                if notice is not None:
                    self.send(notice)
                self.spawn(self._beat)
                await self._read(incoming)
        except Exception as error:
            self._failed(error)
        finally:
            try:
                await self.gateway.sessions.one_by_one()
            finally:
                self._over.set()

    async def _hello(self, incoming: AsyncIterator[Frame]) -> Hello | None:
        strangers = self.gateway.strangers
        strangers.came(self.address)
        try:
            return await hello_of(incoming, within_ms=self.gateway.config.hello_ms)
        finally:
            strangers.left(self.address)

    async def _read(self, incoming: AsyncIterator[Frame]) -> None:
        async for frame in incoming:
            self.heard()
            wait_ms = self._wait_ms(frame)
            if wait_ms:
                self._requests.refuse(frame, too_fast(wait_ms))
                # Not reading holds a flood back where it comes from, and limits the refusals too.
                await asyncio.sleep(min(wait_ms, _LONGEST_PAUSE_MS) / 1000)
            elif isinstance(frame, ServiceError):
                self.fault(frame)
            else:
                self._requests.take(frame)
                if pause_s := self._bucket.pause_s:
                    await asyncio.sleep(pause_s)
            if self._outlet.waiting > self._most_waiting:
                await self._taken()
                if self._outlet.is_gone:
                    return

    async def _taken(self) -> None:
        """Returns when the client has taken enough of what waits for it, or is gone.

        Until then nothing is read from it: what it asks for would only come to wait as well, and to
        make it takes time that others need.
        """
        metrics.reads_paused.inc()
        most = self._outlet.taken
        while self._outlet.waiting > self._most_waiting and not self._outlet.is_gone:
            if (taken := self._outlet.taken) > most:
                # It is slow, not silent.
                most = taken
                self.heard()
            await asyncio.sleep(_LOOK_S)

    def _wait_ms(self, frame: Frame) -> int:
        wait_ms = self._bucket.take()
        is_ping = not isinstance(frame, ServiceError) and frame.WhichOneof("frame") == "ping"
        if is_ping:
            return wait_ms
        for purse in self._purses:
            wait_ms = wait_ms or purse.take(self.spawn)
        return wait_ms

    async def _beat(self) -> None:
        """Beats, and notices a client that has fallen silent or whose token has run out."""
        config, loop = self.gateway.config, self._loop
        beat_at = loop.time() + config.heartbeat_ms / 1000
        while True:
            silent_at = self._heard_at + config.silence_ms / 1000
            await asyncio.sleep(max(0.0, min(beat_at, silent_at) - loop.time()))
            now = loop.time()
            if now >= self._heard_at + config.silence_ms / 1000:
                self.end(GoodbyeReason.GOODBYE_REASON_SILENT)
                return
            if time.time() >= self.who.expires_s:
                self.refuse_all(
                    ServiceError(ErrorReason.ERROR_REASON_INVALID_TOKEN, "the token has expired")
                )
                return
            if now >= beat_at:
                beat_at += config.heartbeat_ms / 1000
                self.beat()
                self._outlet.ping()

    async def _leave(self) -> None:
        self.rooms.unfollow_all()
        if self.who is not _NOBODY:
            await self.gateway.newest.leave(self.who.player, self)
            log.info(
                "session_closed",
                player=self.who.player,
                connection=self.connection,
                goodbye=None if self.goodbye is None else GoodbyeReason.Name(self.goodbye),
            )

    # What others do with it.

    def identify(self, who: Identity) -> None:
        """Learns whose it is."""
        self.who, self.player = who, player_of(who)
        limits = self.gateway.limits
        self._purses = (
            limits.requests.purse(who.player),
            limits.address_requests.purse(self.address),
        )

    def span(self, name: str, **facts: Unpack[tracing.Facts]) -> tracing.Span:
        """The first span of one of its requests."""
        return tracing.began(
            name, caller=self._trace_parent, is_trusted=self.who.is_backend, **facts
        )

    def heard(self) -> None:
        """Notes that the client lives."""
        self._heard_at = self._loop.time()

    def send(self, payload: Payload) -> None:
        """Sends to the client; one that reads too slowly is cut, and nobody waits for it."""
        if not self._over.is_set() and not self._outlet.send(payload):
            self.end(GoodbyeReason.GOODBYE_REASON_TOO_SLOW)

    def tell(self, payload: Payload) -> None:
        """Sends what all sessions are told; the welcome comes first."""
        if self._is_welcome:
            self.send(payload)

    def beat(self) -> None:
        """Sends the server's time, and where the rooms stand for this client."""
        self.send(frames.heartbeat(timestamp(self.gateway.clock.now()), self.rooms.heads()))

    def end(
        self,
        reason: "GoodbyeReason.ValueType",
        *,
        error: ServiceError | None = None,
        retry_after_ms: int = 0,
    ) -> None:
        """Says goodbye, as far as that gets through, and ends the session."""
        if self._over.is_set():
            return
        self.goodbye = reason
        metrics.cuts.labels(
            GoodbyeReason.Name(reason).removeprefix("GOODBYE_REASON_").lower()
        ).inc()
        self._outlet.farewell(frames.goodbye(reason, error=error, retry_after_ms=retry_after_ms))
        self._over.set()

    def refuse_all(self, error: ServiceError) -> None:
        """Ends the session for what the client did, or could not be given."""
        metrics.refusals.labels(reason_name(error.reason)).inc()
        retry_after_ms = int(error.metadata.get("retry_after_ms", 0))
        self.end(GoodbyeReason.GOODBYE_REASON_REFUSED, error=error, retry_after_ms=retry_after_ms)

    def replaced(self) -> None:
        """Ends it, because the player has a newer one."""
        self.end(GoodbyeReason.GOODBYE_REASON_REPLACED)

    def drained(self, retry_after_ms: int) -> None:
        """Ends it, because the gateway stops."""
        self.end(GoodbyeReason.GOODBYE_REASON_DRAINING, retry_after_ms=retry_after_ms)

    def spawn(
        self, work: Callable[P, Coroutine[Any, Any, None]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Runs `work` beside, for as long as the session lives at most; not at all in one that is over."""
        if self._tasks is not None and not self._over.is_set():
            self._tasks.create_task(self._guarded(partial(work, *args, **kwargs)))

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Ends the session: a defect costs this client that, and nobody else anything."""
        self.refuse_all(as_refusal(error, player=self.who.player))

    def fault(self, error: ServiceError) -> None:
        """Answers a malformed frame; who sends too many is cut."""
        self._faults += 1
        if self._faults >= self.gateway.config.malformed:
            self.refuse_all(error)
        else:
            self.refuse(error)

    def refuse(self, error: ServiceError) -> None:
        """Refuses a frame that names no request."""
        metrics.refusals.labels(reason_name(error.reason)).inc()
        self.send(frames.refusal(error))


_NOBODY: Final = Identity(player="", name="", bot=False, scopes=frozenset(), expires_s=0)
