"""Scripts whose writes have to reach a replica before anybody may count on them."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from redis.exceptions import NoScriptError, RedisError

from parlor.serving.batch import ServerBatch
from parlor.serving.duplex import Argument
from parlor.serving.script import Script

_Sent = tuple["asyncio.Future[Any]", "asyncio.Future[bool]"]
"""The answers to a write and to the WAIT behind it."""


class Replication(Protocol):
    """Runs scripts and says what of them the replicas have."""

    async def run(
        self, script: Script, keys: Sequence[Argument], args: Sequence[Argument] = ()
    ) -> tuple[Any, bool]:
        """What the script returns, and whether as many replicas as are asked for are known to have its writes.

        Raises as `Batch.call` does; see Script for the one error after which it is called again.
        """

    async def aclose(self) -> None:
        """Closes all connections."""


class ServerReplication:
    """Runs scripts in rounds with one WAIT behind each, on a batch that carries nothing else.

    WAIT speaks of the writes of its own connection only, so a round is called in one go: its writes
    and its WAIT then travel on the same one. WAIT also holds up what comes after it there, so that
    what is called meanwhile makes the next round; a lost replica costs everybody two timeouts at
    most, and not one for each write before theirs.

    `replicas`, at least 1, have to confirm within `confirm_ms`.
    """

    def __init__(self, batch: ServerBatch, *, confirm_ms: int, replicas: int = 1) -> None:
        self._batch = batch
        # To Redis, 0 means for ever.
        self._confirm_ms = max(1, confirm_ms)
        self._replicas = replicas
        self._queued: list[tuple[tuple[Argument, ...], asyncio.Future[_Sent]]] = []
        self._is_waiting = False

    async def run(
        self, script: Script, keys: Sequence[Argument], args: Sequence[Argument] = ()
    ) -> tuple[Any, bool]:
        """As of every Replication."""
        try:
            return await self._run("EVALSHA", script.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await self._run("EVAL", script.text, len(keys), *keys, *args)

    async def aclose(self) -> None:
        """As of every Replication."""
        await self._batch.aclose()

    async def _run(self, *command: Argument) -> tuple[Any, bool]:
        loop = asyncio.get_running_loop()
        sent: asyncio.Future[_Sent] = loop.create_future()
        self._queued.append((command, sent))
        if not self._is_waiting:
            self._is_waiting = True
            # At the end of this turn of the loop, with what else it brings.
            loop.call_soon(self._send)
        written, confirmed = await sent
        # Many wait for the one answer: none of them may cancel it.
        return await written, await asyncio.shield(confirmed)

    def _send(self) -> None:
        """Sends a round; nothing is awaited here, for a break in between would part it."""
        queued = [(command, sent) for command, sent in self._queued if not sent.done()]
        self._queued.clear()
        if not queued:
            self._is_waiting = False
            return
        writes = [self._batch.call(*command) for command, _ in queued]
        confirmed: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        answer = self._batch.call("WAIT", self._replicas, self._confirm_ms)
        answer.add_done_callback(lambda done: self._answered(done, confirmed))
        for (_, sent), written in zip(queued, writes, strict=True):
            sent.set_result((written, confirmed))

    def _answered(self, answer: "asyncio.Future[int]", confirmed: "asyncio.Future[bool]") -> None:
        try:
            confirmed.set_result(answer.result() >= self._replicas)
        except RedisError:
            # The connection broke, or the server has become a replica itself: nothing is known.
            confirmed.set_result(False)
        self._send()
