"""Scripts whose writes have to reach a replica before anybody may count on them."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final, Protocol

from redis.exceptions import NoScriptError, RedisError

from parlor.serving.batch import ServerBatch
from parlor.serving.duplex import Argument
from parlor.serving.script import Script

LAG_S: Final = 2
"""How long ago a primary may have heard from a replica that counts as present; each speaks once a second."""

LEFT_S: Final = 5.0
"""For how long one that was present and has gone has to confirm all the same: it may be the new primary,
and Sentinel moves those that still confirm here within a second or two.
"""

_ONLINE: Final = re.compile(rb"^slave\d+:.*,state=online,.*,lag=(\d+)", re.MULTILINE)
_HISTORY: Final = re.compile(rb"^master_replid:(\w+)", re.MULTILINE)

_Sent = tuple["asyncio.Future[Any]", "asyncio.Future[bool]"]
"""The answers to a write and to the WAIT behind it."""


class Replication(Protocol):
    """Runs scripts and says what of them the replicas have."""

    async def run(
        self, script: Script, keys: Sequence[Argument], args: Sequence[Argument] = ()
    ) -> tuple[Any, bool]:
        """What the script returns, and whether all replicas that have to confirm are known to have its writes.

        Raises as `Batch.call` does; see Script for the one error after which it is called again.
        """

    async def aclose(self) -> None:
        """Closes all connections."""


class ServerReplication:
    """Runs scripts in rounds with one WAIT behind each, on a batch that carries nothing else.

    All replicas that are present have to confirm, and `least`, at least 1, in any case: whichever of
    them is promoted has what was confirmed. One that is silent does not count from `LAG_S` on, and one
    that is gone not `left_s` later, so that only these few seconds are unconfirmed.

    WAIT speaks of the writes of its own connection only, so a round is called in one go: its writes
    and its WAIT then travel on the same one. WAIT also holds up what comes after it there, so that
    what is called meanwhile makes the next round; a lost replica costs everybody two timeouts of
    `confirm_ms` at most, and not one for each write before theirs.
    """

    def __init__(
        self, batch: ServerBatch, *, confirm_ms: int, least: int = 1, left_s: float = LEFT_S
    ) -> None:
        self._batch = batch
        # To Redis, 0 means for ever.
        self._confirm_ms = max(1, confirm_ms)
        self._least = least
        self._presence = Presence(left_s)
        self._needed = 0
        """How many have to confirm; 0 until the primary has said how many there are."""
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
        if not self._needed:
            self._batch.call("INFO", "replication").add_done_callback(self._counted)
            return
        queued = [(command, sent) for command, sent in self._queued if not sent.done()]
        self._queued.clear()
        if not queued:
            self._is_waiting = False
            return
        writes = [self._batch.call(*command) for command, _ in queued]
        confirmed: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        # Asked after the wait: one that came or went meanwhile is counted as it is now.
        answers = asyncio.gather(
            self._batch.call("WAIT", self._needed, self._confirm_ms),
            self._batch.call("INFO", "replication"),
        )
        answers.add_done_callback(lambda done: self._answered(done, confirmed))
        for (_, sent), written in zip(queued, writes, strict=True):
            sent.set_result((written, confirmed))

    def _counted(self, asked: "asyncio.Future[bytes]") -> None:
        """Sends the first round: a wait for fewer than there are would be over too early."""
        # Where nothing is known, what the round is told says why.
        self._needed = self._least
        if not asked.cancelled() and asked.exception() is None:
            self._needed = max(self._least, self._presence.needed(asked.result(), _now()))
        self._send()

    def _answered(
        self, answers: "asyncio.Future[tuple[int, bytes]]", confirmed: "asyncio.Future[bool]"
    ) -> None:
        try:
            confirming, info = answers.result()
        except RedisError:
            # The connection broke, or the server has become a replica itself: nothing is known.
            confirmed.set_result(False)
        else:
            self._needed = max(self._least, self._presence.needed(info, _now()))
            confirmed.set_result(confirming >= self._needed)
        self._send()


class Presence:
    """How many replicas of a primary have to confirm, by what it says of them from time to time.

    A primary that was frozen and replaced goes on for a moment with the replicas that nobody has moved
    yet. That another one has gone is all that it knows of the new primary.
    """

    def __init__(self, left_s: float = LEFT_S) -> None:
        self._left_s = left_s
        self._history = b""
        """Which primary it is: one that was promoted has another history of writes."""
        self._present = 0
        self._fewest = 0
        self._since = 0.0
        """When there came to be so few."""

    def needed(self, info: bytes, now: float) -> int:
        """How many, by the primary's `INFO replication` at `now`, in seconds of a steady clock."""
        found = _HISTORY.search(info)
        history = found[1] if found else b""
        connected, heard = len(_ONLINE.findall(info)), present(info)
        if history == self._history and connected and not heard:
            # All at once: it was the primary that stood still, and heard nobody.
            return self._present
        if history != self._history or connected >= self._present:
            self._history, self._present, self._fewest = history, heard, heard
            return heard
        if self._fewest > connected or self._fewest == self._present:
            self._fewest, self._since = connected, now
        if now - self._since < self._left_s:
            return self._present
        self._present = self._fewest = heard
        return heard


def present(info: bytes) -> int:
    """How many replicas a primary has that it heard from lately, by its `INFO replication`."""
    return sum(int(lag) <= LAG_S for lag in _ONLINE.findall(info))


def _now() -> float:
    return asyncio.get_running_loop().time()
