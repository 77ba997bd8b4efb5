"""One pub/sub connection for a whole process, with thousands of channels on it.

redis-py's own PubSub reconnects without a word, so that messages lost in the gap stay unknown, and
does not notice a server that went silent. This one says when it was away, and looks for a
heartbeat.

Channels are sharded ones (SSUBSCRIBE, SPUBLISH): in a Cluster their messages go to the servers of
one slot instead of all, and for one server they are what plain ones are.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving.duplex import Duplex, Reply, packed
from parlor.serving.sentinel import Replaced
from parlor.serving.tasks import stop

log = structlog.get_logger(__name__)

Listener = Callable[[bytes, bytes], None]
"""Gets (channel, data), in the order Redis sent them; it may not block."""

_MISSED_BEATS: Final = 3
_SHORTEST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.25
"""Until it is back, players hear nothing and nobody new is let in: longer would show as a pause of its own."""


class Subscriber(Protocol):
    """Subscriptions that outlive their connection.

    After a break it connects again with a growing pause, subscribes to everything again, waits
    until Redis confirmed, and tells the reconnect listeners. Messages published in between are
    lost: whoever cannot bear that repairs it there. A topic has one listener; subscribing to it
    again replaces the listener.
    """

    @property
    def connected(self) -> bool:
        """Whether every topic is subscribed to; a readiness check may look at it."""

    async def __aenter__(self) -> "Subscriber":
        """Connects; raises RedisError where that fails: at its start a process then waits for Redis."""

    async def __aexit__(self, *_: object) -> None:
        """Disconnects and forgets every topic."""

    def add_reconnect_listener(self, listener: Callable[[], None]) -> None:
        """Calls `listener` too after each gap."""

    async def subscribe(self, channel: bytes | str, listener: Listener) -> None:
        """Returns when Redis confirmed: what is published from then on arrives.

        Raises redis's TimeoutError, and takes the subscription back, where that takes longer than
        the timeout.
        """

    async def psubscribe(self, pattern: bytes | str, listener: Listener) -> None:
        """As `subscribe`, for all that Redis itself publishes on channels that match; the listener
        gets the channel's name.
        """

    async def unsubscribe(self, channel: bytes | str) -> None:
        """Nothing of the channel is delivered from now on; one not subscribed to is no error."""


class Topic(NamedTuple):
    """A channel, or a pattern over channels."""

    name: bytes
    is_pattern: bool

    @property
    def join(self) -> str:
        return "PSUBSCRIBE" if self.is_pattern else "SSUBSCRIBE"

    @property
    def leave(self) -> str:
        return "PUNSUBSCRIBE" if self.is_pattern else "SUNSUBSCRIBE"


@dataclass(slots=True, eq=False)
class Subscription:
    """A wanted topic, and who waits for Redis to confirm it."""

    listener: Listener
    waiting: list["asyncio.Future[None]"] = field(default_factory=list)

    def confirmed(self) -> "asyncio.Future[None]":
        """Done with the next confirmation."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        return future

    def confirm(self) -> None:
        """Tells all who wait."""
        for future in self.waiting:
            if not future.done():
                future.set_result(None)
        self.waiting.clear()


class _Owed(NamedTuple):
    """An answer that the connection owes."""

    command: str
    topic: Topic | None
    then: Callable[[], None]

    def is_this(self, reply: Reply) -> bool:
        if self.topic is None:
            return reply in (b"PONG", [b"pong", b""])
        # Named in small letters, and followed by the number of topics.
        named = [self.command.lower().encode(), self.topic.name]
        return isinstance(reply, list) and reply[:2] == named


class ServerSubscriber:
    """A Subscriber of one server."""

    def __init__(
        self,
        redis: Redis,
        *,
        on_reconnect: Callable[[], None] | None = None,
        on_dropped: Callable[[Topic, RedisError | None], None] | None = None,
        heartbeat_ms: int = 1000,
        timeout_ms: int = 2000,
    ) -> None:
        """`on_dropped` learns of channels that the server serves no more, and how it said so."""
        self._redis = redis
        self._on_reconnect = [on_reconnect] if on_reconnect else []
        self._on_dropped = on_dropped
        self._heartbeat_s = heartbeat_ms / 1000
        self._timeout_s = timeout_ms / 1000
        self._topics: dict[Topic, Subscription] = {}
        self._owed: deque[_Owed] = deque()
        """In the order of the commands, as Redis answers them."""
        self._missed = 0
        self._duplex: Duplex | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._connected = False

    @property
    def connected(self) -> bool:
        """As of every Subscriber."""
        return self._connected

    async def start(self) -> "ServerSubscriber":
        """Connects; raises RedisError where that fails."""
        self._keeper = self._kept(await Duplex.open(self._redis, self._timeout_s))
        return self

    def begin(self) -> None:
        """Connects beside, and tells the reconnect listeners when it has."""
        self._keeper = self._kept(None)

    async def aclose(self) -> None:
        """Closes the connection and forgets every topic."""
        if self._keeper is not None:
            await stop(self._keeper)
        for subscription in self._topics.values():
            for future in subscription.waiting:
                future.cancel()
        self._topics.clear()

    async def __aenter__(self) -> "ServerSubscriber":
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def add_reconnect_listener(self, listener: Callable[[], None]) -> None:
        """As of every Subscriber."""
        self._on_reconnect.append(listener)

    async def subscribe(self, channel: bytes | str, listener: Listener) -> None:
        """As of every Subscriber."""
        await self._subscribe(Topic(encoded(channel), is_pattern=False), listener)

    async def psubscribe(self, pattern: bytes | str, listener: Listener) -> None:
        """As of every Subscriber."""
        await self._subscribe(Topic(encoded(pattern), is_pattern=True), listener)

    async def unsubscribe(self, channel: bytes | str) -> None:
        """As of every Subscriber."""
        self.leave(Topic(encoded(channel), is_pattern=False))

    async def _subscribe(self, topic: Topic, listener: Listener) -> None:
        subscription = Subscription(listener)
        replaced = self._topics.get(topic)
        if replaced is not None:
            # Their confirmation may still be on its way; the one asked for now comes later and
            # serves them too.
            subscription.waiting += replaced.waiting
            replaced.waiting = []
        confirmed = subscription.confirmed()
        self.join(topic, subscription)
        try:
            await within(self._timeout_s, confirmed)
        except BaseException:
            if self._topics.get(topic) is subscription and len(subscription.waiting) <= 1:
                self.leave(topic)
            raise

    def join(self, topic: Topic, subscription: Subscription) -> None:
        """Asks for the topic, now and after every gap, until it is left or dropped."""
        self._topics[topic] = subscription
        if self._duplex is not None:
            self._send_join(self._duplex, topic, subscription)

    def leave(self, topic: Topic) -> None:
        """Asks for the topic no more; one not asked for is no error."""
        if self._topics.pop(topic, None) is not None and self._duplex is not None:
            self._owed.append(_Owed(topic.leave, topic, _nothing))
            self._duplex.send(packed(topic.leave, topic.name))

    def _send_join(self, duplex: Duplex, topic: Topic, subscription: Subscription) -> None:
        # One command for each: one that a Cluster's server refuses takes no other with it.
        self._owed.append(_Owed(topic.join, topic, subscription.confirm))
        duplex.send(packed(topic.join, topic.name))

    def _kept(self, first: Duplex | None) -> "asyncio.Task[None]":
        return asyncio.create_task(self._keep(first), name="redis-subscriber")

    async def _keep(self, duplex: Duplex | None) -> None:
        """Runs one connection after the other."""
        pause_s = _SHORTEST_PAUSE_S
        gap = duplex is None
        while True:
            try:
                if duplex is None:
                    duplex = await Duplex.open(self._redis, self._timeout_s)
                await self._run(duplex, gap=gap)
            except (RedisError, OSError) as error:
                if self._connected:
                    pause_s = _SHORTEST_PAUSE_S
                log.warning(
                    "subscriber_disconnected",
                    error=type(error).__name__,
                    pause_ms=round(pause_s * 1000),
                )
            except Exception:
                # A defect. Without a connection the process would hear nothing for ever.
                log.exception("subscriber_failed")
            finally:
                self._duplex = None
                self._connected = False
            duplex, gap = None, True
            # Jittered, or all processes would come back in the same instant.
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _run(self, duplex: Duplex, *, gap: bool) -> None:
        self._owed.clear()
        self._missed = 0
        self._duplex = duplex
        for topic, subscription in self._topics.items():
            self._send_join(duplex, topic, subscription)
        self._owed.append(_Owed("PING", None, lambda: self._resumed(gap=gap)))
        duplex.send(packed("PING"))
        beat = asyncio.create_task(self._beat(duplex))
        reader = asyncio.create_task(duplex.run(self._take, pushes=True))
        try:
            await asyncio.wait((beat, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            errors = await stop(beat, reader)
        for error in errors:
            raise error

    def _resumed(self, *, gap: bool) -> None:
        self._connected = True
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
            if self._missed and await duplex.is_replaced():
                raise Replaced
            self._missed += 1
            self._owed.append(_Owed("PING", None, _nothing))
            duplex.send(packed("PING"))

    def _take(self, reply: Reply) -> None:
        self._missed = 0
        match reply:
            case [b"smessage", channel, data]:
                self._deliver(Topic(channel, is_pattern=False), channel, data)
            case [b"pmessage", pattern, channel, data]:
                self._deliver(Topic(pattern, is_pattern=True), channel, data)
            case _ if self._owed and self._owed[0].is_this(reply):
                self._owed.popleft().then()
            case [b"sunsubscribe", channel, int()] if self._on_dropped is not None:
                # The slot has left the server, and its channels with it.
                self._drop(Topic(channel, is_pattern=False), None)
            case ResponseError() if (
                self._on_dropped is not None
                and self._owed
                and (topic := self._owed[0].topic) is not None
            ):
                if self._owed.popleft().command == topic.join:
                    self._drop(topic, reply)
            case ResponseError():
                raise reply
            case _:
                raise RedisConnectionError("Redis answered what nobody asked")

    def _drop(self, topic: Topic, error: RedisError | None) -> None:
        if self._topics.pop(topic, None) is not None and self._on_dropped is not None:
            self._on_dropped(topic, error)

    def _deliver(self, topic: Topic, channel: bytes, data: bytes) -> None:
        subscription = self._topics.get(topic)
        if subscription is None:
            # It was on its way while the topic was left.
            return
        try:
            subscription.listener(channel, data)
        except Exception:
            # One listener's defect must not take the feed from all others.
            log.exception("listener_failed", pattern=topic.is_pattern)


async def within(timeout_s: float, confirmed: "asyncio.Future[Any]") -> None:
    """Waits for a confirmation; raises redis's TimeoutError where it takes too long."""
    try:
        async with asyncio.timeout(timeout_s):
            await confirmed
    except TimeoutError:
        raise RedisTimeoutError("Redis did not confirm the subscription in time") from None


def encoded(name: bytes | str) -> bytes:
    """A name as Redis sends it."""
    return name.encode() if isinstance(name, str) else name


def _nothing() -> None:
    """An answer that nobody waits for."""
