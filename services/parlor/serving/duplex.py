"""One Redis connection that many callers write to at once and one reader reads.

Redis answers in the order of the commands, so nobody has to wait for an answer before the next
command is written. Everything queued during one turn of the event loop travels in one write.
redis-py's Connection opens the socket, with TLS, AUTH and SELECT as the URL says; its pool and its
one-command-at-a-time client cost a factor of three here.
"""

import asyncio
import contextlib
import math
from collections.abc import Callable
from typing import Any, Final

import hiredis
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving.sentinel import LOOK_EVERY_S, PrimaryConnection, Replaced
from parlor.serving.tasks import stop

Argument = bytes | str | int | float

Reply = Any
"""What Redis answered, bytes undecoded; a ResponseError where it refused the command."""

_CHECKS_PER_TIMEOUT: Final = 4
_REPLIES_PER_STEP: Final = 64


class Duplex:
    """An open connection; `run` it in one task, `send` from anywhere, until `run` raises."""

    def __init__(self, connection: AbstractConnection, timeout_s: float) -> None:
        self._connection = connection
        self._timeout_s = timeout_s
        self._queued: list[bytes] = []
        self._wake = asyncio.Event()
        self._unanswered = 0
        self._heard = 0

    @classmethod
    async def open(cls, redis: Redis, timeout_s: float) -> "Duplex":
        """A new connection, outside the pool of `redis`, to its server; raises RedisError."""
        pool = redis.connection_pool
        connection = pool.connection_class(**(pool.connection_kwargs | {"socket_timeout": None}))
        try:
            async with asyncio.timeout(timeout_s):
                await connection.connect()  # type: ignore[no-untyped-call]
        except TimeoutError:
            await _closed(connection)
            raise RedisTimeoutError("timeout connecting to Redis") from None
        except BaseException:
            await _closed(connection)
            raise
        return cls(connection, timeout_s)

    def send(self, command: bytes) -> None:
        """Writes one packed command with everything else of this turn."""
        self._queued.append(command)
        self._unanswered += 1
        self._wake.set()

    async def run(self, on_reply: Callable[[Reply], None], *, pushes: bool = False) -> None:
        """Gives every reply to `on_reply`, in order, until the connection breaks: then raises
        RedisError.

        A connection that owes an answer and gives none for the timeout counts as broken; sooner where
        Sentinel has replaced its server. With `pushes`, messages arrive that answer nothing; the caller then
        watches the silence itself.
        """
        tasks = [asyncio.create_task(self._write()), asyncio.create_task(self._read(on_reply))]
        if not pushes:
            tasks.append(asyncio.create_task(self._watch()))
            if isinstance(self._connection, PrimaryConnection):
                tasks.append(asyncio.create_task(self._look(self._connection)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            errors = await stop(*tasks)
            await _closed(self._connection)
        for error in errors:
            raise error
        raise RedisConnectionError("connection to Redis was closed")

    async def is_replaced(self) -> bool:
        """Whether Sentinel has made another server the primary, so that waiting for this one is in vain."""
        connection = self._connection
        return isinstance(connection, PrimaryConnection) and await connection.is_replaced()

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            data = b"".join(self._queued)
            self._queued.clear()
            await self._connection.send_packed_command(data, check_health=False)

    async def _read(self, on_reply: Callable[[Reply], None]) -> None:
        read = self._connection.read_response
        while True:
            try:
                reply = await read(disable_decoding=True, timeout=math.inf)
            except ResponseError as refusal:
                reply = refusal
            self._heard += 1
            self._unanswered -= 1
            on_reply(reply)
            if self._heard % _REPLIES_PER_STEP == 0:
                # A full buffer is read without a pause; nothing else of the process would move.
                await asyncio.sleep(0)

    async def _watch(self) -> None:
        # Counts its own wakings instead of comparing times: a process that was stopped, or starved
        # of the processor, finds its answers waiting in the socket and must not take its own
        # absence for Redis's.
        silent = 0
        heard = self._heard
        while True:
            await asyncio.sleep(self._timeout_s / _CHECKS_PER_TIMEOUT)
            silent = silent + 1 if self._unanswered and self._heard == heard else 0
            heard = self._heard
            if silent > _CHECKS_PER_TIMEOUT:
                raise RedisTimeoutError("Redis did not answer in time")

    async def _look(self, connection: PrimaryConnection) -> None:
        # Beside the counting, which a sentinel that is silent itself would slow down.
        while True:
            heard = self._heard
            await asyncio.sleep(LOOK_EVERY_S)
            if self._unanswered and self._heard == heard and await connection.is_replaced():
                raise Replaced


def packed(*command: Argument) -> bytes:
    """A command as it travels."""
    # hiredis declares a tuple of one element and takes any.
    data: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]
    return data


async def _closed(connection: AbstractConnection) -> None:
    # It may be broken; that is why it is being closed.
    with contextlib.suppress(RedisError, OSError):
        await connection.disconnect(nowait=True)
