"""How the scripts of rooms are run: done at once, or not before a replica of Redis has what they wrote.

With ReplicatedWrites, a step or a line of chat is published, and its sender told of it, only once a
replica has it. What no replica confirmed in time is in the record all the same: whoever sends the
request again finds it there, and it is confirmed anew. Nobody sends a clock's step again; it stays
unpublished, and the gateways find it in the feed within a second, as they find every entry whose
message was lost. So what is seen may be taken back by a failover, as a view marked rewound; what is
acknowledged is not.
"""

import contextlib
from collections.abc import Awaitable, Sequence

from redis.exceptions import RedisError

from parlor.engine import metrics, scripts
from parlor.engine.step import Refused
from parlor.serving.keys import Keys
from parlor.serving.redis import Argument, Batch, Replication, Script
from parlor.v1.error_reason_pb2 import ErrorReason


class Unconfirmed(Refused):
    """No replica confirmed in time what was written: it stands until a failover, and may not stand then."""

    def __init__(self) -> None:
        super().__init__(
            ErrorReason.ERROR_REASON_COMMIT_UNCONFIRMED,
            "no replica of the store confirmed in time; send the request again",
        )


class Writes:
    """Scripts that count once the primary has run them; they publish by themselves."""

    def __init__(self, batch: Batch, keys: Keys) -> None:
        self._batch = batch
        self._keys = keys

    def channel(self, room_id: str) -> str:
        """Where a script publishes; empty where it is not to."""
        return self._keys.live(room_id)

    def run(
        self,
        script: Script,
        keys: Sequence[Argument],
        args: Sequence[Argument],
        *,
        room_id: str,
        item: bytes,
    ) -> Awaitable[bytes]:
        """What the script says, which tells `item` to the gateways if it is b"committed"."""
        return script(self._batch, keys, args)

    async def create(self, keys: Sequence[Argument], args: Sequence[Argument]) -> list[bytes]:
        """What the script that makes rooms says of each; nothing is published."""
        outcomes: list[bytes] = await scripts.CREATE(self._batch, keys, args)
        return outcomes

    async def confirm(self, room_id: str, field: str, held: bytes) -> bool:
        """Whether what was committed before is still held: that the room's `field` is `held`, or is there at all."""
        return True

    async def tell(self, room_id: str, item: bytes) -> None:
        """Publishes what the script that wrote it was not to."""


class ReplicatedWrites(Writes):
    """Scripts that count, and are published, once all replicas present have their writes; else raise Unconfirmed."""

    def __init__(self, batch: Batch, keys: Keys, kind: str, replication: Replication) -> None:
        super().__init__(batch, keys)
        self._kind = kind
        self._replication = replication

    def channel(self, room_id: str) -> str:
        return ""

    async def run(
        self,
        script: Script,
        keys: Sequence[Argument],
        args: Sequence[Argument],
        *,
        room_id: str,
        item: bytes,
    ) -> bytes:
        outcome = await self._run(script, keys, args)
        if outcome == b"committed" and item:
            await self.tell(room_id, item)
        return outcome

    async def create(self, keys: Sequence[Argument], args: Sequence[Argument]) -> list[bytes]:
        outcomes: list[bytes]
        outcomes, is_confirmed = await self._replication.run(scripts.CREATE, keys, args)
        if b"committed" in outcomes and not is_confirmed:
            metrics.UNCONFIRMED.labels(self._kind).inc(outcomes.count(b"committed"))
            raise Unconfirmed
        return outcomes

    async def confirm(self, room_id: str, field: str, held: bytes) -> bool:
        # A WAIT alone would be content at once on a connection that has written nothing.
        key = self._keys.room(room_id)
        return await self._run(scripts.WRITE_AGAIN, [key], [field, held]) == b"committed"

    async def tell(self, room_id: str, item: bytes) -> None:
        # Where this fails, gateways find an entry in the feed.
        with contextlib.suppress(RedisError):
            await self._batch.call("SPUBLISH", self._keys.live(room_id), item)

    async def _run(
        self, script: Script, keys: Sequence[Argument], args: Sequence[Argument]
    ) -> bytes:
        outcome: bytes
        outcome, is_confirmed = await self._replication.run(script, keys, args)
        if outcome == b"committed" and not is_confirmed:
            metrics.UNCONFIRMED.labels(self._kind).inc()
            raise Unconfirmed
        return outcome
