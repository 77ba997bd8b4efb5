"""Automatic pipelining to a Redis Cluster: what is called in one turn travels in one write per server.

A command goes to the primary of its key's slot. It is sent again only where a server said that it
has not even begun: because the slot is elsewhere (MOVED, ASK), on its way (TRYAGAIN) or nowhere
(CLUSTERDOWN). A lost answer ends as it does with one server: only the caller can know what to do.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving.batch import ServerBatch
from parlor.serving.cluster import Cluster
from parlor.serving.duplex import Argument
from parlor.serving.slots import Address, grouped, key_of, slot_of

T = TypeVar("T")

UNSETTLED: Final = (AskError, TryAgainError, ClusterDownError)
"""How a server says that it does not serve the slot, or not now; MovedError is one of the first."""

RESEND_S: Final = 1.0
"""How long a command follows its slot before its caller hears of it."""
_PAUSE_S: Final = 0.02

_ANY_SLOT: Final = 0
"""Whose primary gets what any server can answer: all processes ask the same one for the time."""


class _Sending:
    """A command on its way."""

    __slots__ = ("command", "slot", "until", "waiting")

    def __init__(self, command: Sequence[Argument], slot: int, until: float) -> None:
        self.command = command
        self.slot = slot
        self.until = until
        self.waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()


class ClusterBatch:
    """A Batch for all primaries of a cluster, with one connection to each."""

    def __init__(self, cluster: Cluster, *, timeout_ms: int = 2000) -> None:
        self._cluster = cluster
        self._timeout_ms = timeout_ms
        self._servers: dict[Address, ServerBatch] = {}

    def call(self, *command: Argument) -> "asyncio.Future[Any]":
        """As of every Batch; while a slot moves, commands of one key may overtake each other."""
        key = key_of(command)
        slot = _ANY_SLOT if key is None else slot_of(key)
        sending = _Sending(command, slot, asyncio.get_running_loop().time() + RESEND_S)
        self._send(sending)
        return sending.waiting

    def by_slot(self, items: Sequence[T], key: Callable[[T], Argument]) -> list[list[T]]:
        """As of every Batch."""
        return grouped(items, lambda item: slot_of(key(item)))

    def by_server(self, items: Sequence[T], key: Callable[[T], Argument]) -> list[list[T]]:
        """As of every Batch; raises ConnectionError where a slot is nobody's."""
        return grouped(items, lambda item: self._cluster.primary_of(slot_of(key(item))))

    async def aclose(self) -> None:
        """As of every Batch."""
        await asyncio.gather(*(server.aclose() for server in self._servers.values()))

    def _send(self, sending: _Sending) -> None:
        """To where its slot is, as far as is known."""
        try:
            address = self._cluster.primary_of(sending.slot)
        except RedisConnectionError as error:
            sending.waiting.set_exception(error)
        else:
            self._send_to(address, sending)

    def _send_to(self, address: Address, sending: _Sending) -> None:
        answer = self._server(address).call(*sending.command)
        answer.add_done_callback(lambda done: self._answered(address, sending, done))

    def _answered(self, address: Address, sending: _Sending, answer: "asyncio.Future[Any]") -> None:
        error = answer.exception()
        if sending.waiting.done():
            # Given up.
            return
        if error is None:
            sending.waiting.set_result(answer.result())
        elif isinstance(error, UNSETTLED) and asyncio.get_running_loop().time() < sending.until:
            self._send_again(address, sending, error)
        else:
            if isinstance(error, (RedisConnectionError, RedisTimeoutError)):
                # Its replica may have taken its place.
                self._cluster.refresh_soon()
            sending.waiting.set_exception(error)

    def _send_again(self, address: Address, sending: _Sending, error: RedisError) -> None:
        if isinstance(error, MovedError):
            self._send_to(self._cluster.moved(error, address), sending)
        elif isinstance(error, AskError):
            target = (error.host or address[0], error.port)
            # Of one turn, so nothing comes between the two.
            self._server(target).call("ASKING").add_done_callback(_seen)
            self._send_to(target, sending)
        else:
            self._cluster.refresh_soon()
            asyncio.get_running_loop().call_later(_PAUSE_S, self._send_after_pause, sending)

    def _send_after_pause(self, sending: _Sending) -> None:
        if not sending.waiting.done():
            self._send(sending)

    def _server(self, address: Address) -> ServerBatch:
        server = self._servers.get(address)
        if server is None:
            client = self._cluster.client(address)
            server = self._servers[address] = ServerBatch(client, timeout_ms=self._timeout_ms)
        return server


def _seen(answer: "asyncio.Future[Any]") -> None:
    if not answer.cancelled():
        answer.exception()
