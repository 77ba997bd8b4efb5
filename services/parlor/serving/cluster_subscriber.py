"""Subscriptions in a Redis Cluster: a connection to each primary.

A channel belongs to a slot, and is subscribed to where that is served. What Redis itself publishes,
such as the expirations of keys, every server tells of its own keys only, so a pattern is subscribed
to on all primaries. When slots or primaries change, both go with them, and that counts as a gap:
messages may have been lost on the way.
"""

import asyncio
from collections.abc import Callable

import structlog
from redis.exceptions import MovedError, RedisError

from parlor.serving.cluster import Cluster
from parlor.serving.slots import Address, slot_of
from parlor.serving.subscriber import (
    Listener,
    ServerSubscriber,
    Subscription,
    Topic,
    encoded,
    within,
)

log = structlog.get_logger(__name__)


class ClusterSubscriber:
    """A Subscriber of all primaries of a cluster."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        on_reconnect: Callable[[], None] | None = None,
        heartbeat_ms: int = 1000,
        timeout_ms: int = 2000,
    ) -> None:
        self._cluster = cluster
        self._on_reconnect = [on_reconnect] if on_reconnect else []
        self._heartbeat_ms = heartbeat_ms
        self._timeout_ms = timeout_ms
        self._patterns: dict[Topic, Listener] = {}
        self._channels: dict[Topic, Subscription] = {}
        self._at: dict[Topic, Address] = {}
        """Where each channel is subscribed to; missing where it was dropped."""
        self._servers: dict[Address, ServerSubscriber] = {}
        self._moving: set[asyncio.Future[list[BaseException | None]]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._open = False

    @property
    def connected(self) -> bool:
        """As of every Subscriber."""
        return (
            self._servers.keys() == self._cluster.primaries
            and all(server.connected for server in self._servers.values())
            and len(self._at) == len(self._channels)
            and not self._moving
        )

    async def __aenter__(self) -> "ClusterSubscriber":
        try:
            for address in self._cluster.primaries:
                self._servers[address] = await self._server(address).start()
        except BaseException:
            await self.__aexit__()
            raise
        self._open = True
        self._cluster.on_refresh(self._settle)
        self._settle()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        for server in self._servers.values():
            await server.aclose()
        await asyncio.gather(*self._closing)

    def add_reconnect_listener(self, listener: Callable[[], None]) -> None:
        """As of every Subscriber; a change of slots or primaries is a gap."""
        self._on_reconnect.append(listener)

    async def subscribe(self, channel: bytes | str, listener: Listener) -> None:
        """As of every Subscriber."""
        topic = Topic(encoded(channel), is_pattern=False)
        subscription = Subscription(listener)
        replaced = self._channels.get(topic)
        if replaced is not None:
            subscription.waiting += replaced.waiting
            replaced.waiting = []
        confirmed = subscription.confirmed()
        self._channels[topic] = subscription
        self._place(topic, subscription)
        try:
            await within(self._timeout_ms / 1000, confirmed)
        except BaseException:
            if self._channels.get(topic) is subscription and len(subscription.waiting) <= 1:
                await self.unsubscribe(channel)
            raise

    async def psubscribe(self, pattern: bytes | str, listener: Listener) -> None:
        """As of every Subscriber: returns when all primaries confirmed."""
        topic = Topic(encoded(pattern), is_pattern=True)
        self._patterns[topic] = listener
        subscriptions = [Subscription(listener) for _ in self._servers]
        confirmed = [subscription.confirmed() for subscription in subscriptions]
        for server, subscription in zip(self._servers.values(), subscriptions, strict=True):
            server.join(topic, subscription)
        try:
            await within(self._timeout_ms / 1000, _all(confirmed))
        except BaseException:
            if self._patterns.get(topic) is listener:
                del self._patterns[topic]
                for server in self._servers.values():
                    server.leave(topic)
            raise

    async def unsubscribe(self, channel: bytes | str) -> None:
        """As of every Subscriber."""
        topic = Topic(encoded(channel), is_pattern=False)
        subscription = self._channels.pop(topic, None)
        if subscription is not None:
            # Its server may be gone and never confirm.
            subscription.confirm()
        if topic in self._at:
            self._servers[self._at.pop(topic)].leave(topic)

    def _server(self, address: Address) -> ServerSubscriber:
        server = ServerSubscriber(
            self._cluster.client(address),
            on_reconnect=self._tell_of_gap,
            on_dropped=lambda topic, error: self._dropped(address, topic, error),
            heartbeat_ms=self._heartbeat_ms,
            timeout_ms=self._timeout_ms,
        )
        for topic, listener in self._patterns.items():
            server.join(topic, Subscription(listener))
        return server

    def _place(self, topic: Topic, subscription: Subscription) -> None:
        """Subscribes where the channel is now; what is nowhere waits for the next refresh."""
        address = self._address_of(topic)
        if address is not None:
            self._at[topic] = address
            self._servers[address].join(topic, subscription)

    def _address_of(self, topic: Topic) -> Address | None:
        try:
            address = self._cluster.primary_of(slot_of(topic.name))
        except RedisError:
            return None
        return address if address in self._servers else None

    def _settle(self) -> None:
        """Makes connections those of the primaries, and takes every channel to where it is served."""
        if not self._open:
            return
        primaries = self._cluster.primaries
        for address in primaries - self._servers.keys():
            self._servers[address] = self._server(address)
            self._servers[address].begin()
        moved = []
        for topic, subscription in self._channels.items():
            here = self._address_of(topic)
            if topic in self._at:
                if self._at[topic] == here:
                    continue
                self._servers[self._at.pop(topic)].leave(topic)
            if here is not None:
                # A new one, or the confirmation that is still owed there would count for here.
                fresh = Subscription(subscription.listener, subscription.waiting)
                subscription.waiting = []
                self._channels[topic] = fresh
                moved.append(fresh.confirmed())
                self._place(topic, fresh)
        if moved:
            log.info("channels_moved", channels=len(moved))
            moving = _all(moved)
            self._moving.add(moving)
            moving.add_done_callback(self._moved)
        for address in self._servers.keys() - primaries:
            closing = asyncio.create_task(self._servers.pop(address).aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _dropped(self, address: Address, topic: Topic, error: RedisError | None) -> None:
        """A server serves the channel no more, or not yet: placed again as soon as it is known where."""
        if self._at.get(topic) == address:
            del self._at[topic]
            if isinstance(error, MovedError):
                self._cluster.moved(error, address)
            self._cluster.refresh_soon()

    def _moved(self, moving: "asyncio.Future[list[BaseException | None]]") -> None:
        self._moving.discard(moving)
        self._tell_of_gap()

    def _tell_of_gap(self) -> None:
        for listener in self._on_reconnect:
            try:
                listener()
            except Exception:
                log.exception("reconnect_listener_failed")


def _all(
    confirmed: "list[asyncio.Future[None]]",
) -> "asyncio.Future[list[BaseException | None]]":
    return asyncio.gather(*confirmed, return_exceptions=True)
