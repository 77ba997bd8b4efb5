"""One pub/sub connection for a whole process, with thousands of channels on it.

redis-py's own PubSub reconnects without a word, so that messages lost in the gap stay unknown, and
does not notice a server that went silent. This one says when it was away, and looks for a
heartbeat.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving.duplex import Duplex, Reply, packed

log = structlog.get_logger(__name__)

Listener = Callable[[bytes, bytes], None]
"""Gets (channel, data), in the order Redis sent them; it may not block."""

_MISSED_BEATS: Final = 3
_CHANNELS_PER_COMMAND: Final = 500
_SHORTEST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 2.0


class _Topic(NamedTuple):
    """A channel, or a pattern over channels."""

    name: bytes
    is_pattern: bool

    @property
    def join(self) -> str:
        return "PSUBSCRIBE" if self.is_pattern else "SUBSCRIBE"

    @property
    def leave(self) -> str:
        return "PUNSUBSCRIBE" if self.is_pattern else "UNSUBSCRIBE"


@dataclass(slots=True, eq=False)
class _Subscription:
    """A wanted topic, and who waits for Redis to confirm it."""

    listener: Listener
    waiting: list["asyncio.Future[None]"] = field(default_factory=list)

    def confirm(self) -> None:
        for future in self.waiting:
            if not future.done():
                future.set_result(None)
        self.waiting.clear()


class Subscriber:
    """Subscriptions that outlive their connection.

    After a break it connects again with a growing pause, subscribes to everything again, waits
    until Redis confirmed, and calls `on_reconnect`. Messages published in between are lost: whoever
    cannot bear that repairs it there. A topic has one listener; subscribing to it again replaces
    the listener.
    """

    def __init__(
        self,
        redis: Redis,
        *,
        on_reconnect: Callable[[], None] | None = None,
        heartbeat_ms: int = 1000,
        timeout_ms: int = 2000,
    ) -> None:
        self._redis = redis
        self._on_reconnect = [on_reconnect] if on_reconnect else []
        self._heartbeat_s = heartbeat_ms / 1000
        self._timeout_s = timeout_ms / 1000
        self._topics: dict[_Topic, _Subscription] = {}
        # What the connection owes, in the order of the commands: Redis confirms each topic of each
        # command in turn.
        self._owed: deque[Callable[[], None]] = deque()
        self._missed = 0
        self._duplex: Duplex | None = None
        self._keeper: asyncio.Task[None] | None = None
        self.connected = asyncio.Event()
        """Set while every topic is subscribed to; a readiness check may look at it."""

    async def start(self) -> "Subscriber":
        """Connects; raises RedisError where that fails: a process that starts without Redis says so."""
        duplex = await Duplex.open(self._redis, self._timeout_s)
        self._keeper = asyncio.create_task(self._keep(duplex), name="redis-subscriber")
        return self

    async def aclose(self) -> None:
        """Closes the connection and forgets every topic."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        for subscription in self._topics.values():
            for future in subscription.waiting:
                future.cancel()
        self._topics.clear()

    async def __aenter__(self) -> "Subscriber":
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def add_reconnect_listener(self, listener: Callable[[], None]) -> None:
        """Calls `listener` too after each gap."""
        self._on_reconnect.append(listener)

    async def subscribe(self, channel: bytes | str, listener: Listener) -> None:
        """Returns when Redis confirmed: what is published from then on arrives.

        Raises redis's TimeoutError, and takes the subscription back, where that takes longer than
        the timeout.
        """
        await self._join(_Topic(_encoded(channel), is_pattern=False), listener)

    async def psubscribe(self, pattern: bytes | str, listener: Listener) -> None:
        """As `subscribe`, for every channel that matches; the listener gets the channel's name."""
        await self._join(_Topic(_encoded(pattern), is_pattern=True), listener)

    async def unsubscribe(self, channel: bytes | str) -> None:
        """Nothing of the channel is delivered from now on; one not subscribed to is no error."""
        self._leave(_Topic(_encoded(channel), is_pattern=False))

    async def punsubscribe(self, pattern: bytes | str) -> None:
        """As `unsubscribe`, for a pattern."""
        self._leave(_Topic(_encoded(pattern), is_pattern=True))

    async def _join(self, topic: _Topic, listener: Listener) -> None:
        confirmed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        subscription = _Subscription(listener, [confirmed])
        replaced = self._topics.get(topic)
        if replaced is not None:
            # Their confirmation may still be on its way; the one asked for now comes later and
            # serves them too.
            subscription.waiting += replaced.waiting
            replaced.waiting = []
        self._topics[topic] = subscription
        if self._duplex is not None:
            self._owed.append(subscription.confirm)
            self._duplex.send(packed(topic.join, topic.name))
        try:
            async with asyncio.timeout(self._timeout_s):
                await confirmed
        except BaseException as error:
            if self._topics.get(topic) is subscription and len(subscription.waiting) <= 1:
                self._leave(topic)
            if isinstance(error, TimeoutError):
                raise RedisTimeoutError("Redis did not confirm the subscription in time") from None
            raise

    def _leave(self, topic: _Topic) -> None:
        if self._topics.pop(topic, None) is not None and self._duplex is not None:
            self._owed.append(_nothing)
            self._duplex.send(packed(topic.leave, topic.name))

    async def _keep(self, first: Duplex) -> None:
        """Runs one connection after the other."""
        duplex: Duplex | None = first
        pause_s = _SHORTEST_PAUSE_S
        gap = False
        while True:
            try:
                if duplex is None:
                    duplex = await Duplex.open(self._redis, self._timeout_s)
                await self._run(duplex, gap=gap)
            except (RedisError, OSError) as error:
                if self.connected.is_set():
                    pause_s = _SHORTEST_PAUSE_S
                log.warning(
                    "subscriber_disconnected",
                    error=type(error).__name__,
                    pause_ms=round(pause_s * 1000),
                )
            finally:
                self._duplex = None
                self.connected.clear()
            duplex, gap = None, True
            # Jittered, or all processes would come back in the same instant.
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _run(self, duplex: Duplex, *, gap: bool) -> None:
        self._owed.clear()
        self._missed = 0
        self._duplex = duplex
        self._join_all(duplex)
        self._owed.append(lambda: self._resumed(gap=gap))
        duplex.send(packed("PING"))
        beat = asyncio.create_task(self._beat(duplex))
        reader = asyncio.create_task(duplex.run(self._take, pushes=True))
        try:
            await asyncio.wait((beat, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            beat.cancel()
            reader.cancel()
            ends = await asyncio.gather(beat, reader, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    def _join_all(self, duplex: Duplex) -> None:
        for is_pattern in (False, True):
            topics = [topic for topic in self._topics if topic.is_pattern is is_pattern]
            for start in range(0, len(topics), _CHANNELS_PER_COMMAND):
                part = topics[start : start + _CHANNELS_PER_COMMAND]
                self._owed.extend(self._topics[topic].confirm for topic in part)
                duplex.send(packed(part[0].join, *(topic.name for topic in part)))

    def _resumed(self, *, gap: bool) -> None:
        self.connected.set()
        if gap:
            log.info("subscriber_reconnected", topics=len(self._topics))
            for listener in self._on_reconnect:
                try:
                    listener()
                except Exception:
                    log.exception("reconnect_listener_failed")

    async def _beat(self, duplex: Duplex) -> None:
        """Raises TimeoutError when beats in a row had no answer: a network died without a word."""
        while True:
            await asyncio.sleep(self._heartbeat_s)
            if self._missed >= _MISSED_BEATS:
                raise RedisTimeoutError("Redis fell silent")
            self._missed += 1
            self._owed.append(_nothing)
            duplex.send(packed("PING"))

    def _take(self, reply: Reply) -> None:
        self._missed = 0
        match reply:
            case [b"message", channel, data]:
                self._deliver(_Topic(channel, is_pattern=False), channel, data)
            case [b"pmessage", pattern, channel, data]:
                self._deliver(_Topic(pattern, is_pattern=True), channel, data)
            case ResponseError():
                raise reply
            case _ if self._owed:
                self._owed.popleft()()
            case _:
                raise RedisConnectionError("Redis answered what nobody asked")

    def _deliver(self, topic: _Topic, channel: bytes, data: bytes) -> None:
        subscription = self._topics.get(topic)
        if subscription is None:
            # It was on its way while the topic was left.
            return
        try:
            subscription.listener(channel, data)
        except Exception:
            # One listener's defect must not take the feed from all others.
            log.exception("listener_failed", pattern=topic.is_pattern)


def _encoded(name: bytes | str) -> bytes:
    return name.encode() if isinstance(name, str) else name


def _nothing() -> None:
    """An answer that nobody waits for."""
