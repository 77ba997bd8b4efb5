"""Where ended games come from: a stream per shard, read by one consumer group over all of them."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from parlor.archive import scripts
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.archive_service_pb2 import LogLine

GROUP: Final = "archive"
_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An ended game as a stream has it."""

    shard: int
    entry_id: bytes
    game: bytes
    """An encoded `FinishedGame`, for all that is known yet."""
    token: bytes


class Source:
    """The streams of all shards, for one replica."""

    def __init__(self, batch: Batch, keys: Keys, *, replica: str, shards: int, log_ms: int) -> None:
        self._batch = batch
        self._keys = keys
        self._replica = replica
        self._shards = range(shards)
        self._log_ms = log_ms

    async def hold(self, lease_ms: int) -> bool:
        """Whether this replica is the one to archive, for this long at least."""
        owner = self._keys.archive_owner()
        return bool(await scripts.HOLD(self._batch, [owner], [self._replica, lease_ms]))

    async def release(self) -> None:
        """Lets another replica archive."""
        await scripts.RELEASE(self._batch, [self._keys.archive_owner()], [self._replica])

    async def take(self, per_shard: int) -> list[Entry]:
        """Up to so many unacknowledged entries of each shard."""
        taken = await asyncio.gather(*(self._take(shard, per_shard) for shard in self._shards))
        return [entry for entries in taken for entry in entries]

    async def log(self, room_id: str, game_no: int) -> list[LogLine]:
        """The lines of a game's log; empty where Redis has lost it."""
        key, after = self._keys.log(room_id, game_no), "-"
        lines: list[LogLine] = []
        while True:
            page = await self._batch.call("XRANGE", key, after, "+", "COUNT", _PAGE)
            lines += (_line(entry_id, _fields(raw)) for entry_id, raw in page)
            if len(page) < _PAGE:
                return lines
            after = f"({page[-1][0].decode()}"

    async def done(
        self, archived: Iterable[tuple[Entry, str, int]], rejected: Iterable[Entry]
    ) -> None:
        """Acknowledges entries, the archived ones with their room and number. A repeat changes nothing."""
        games = list(archived)
        bad = list(rejected)
        await asyncio.gather(
            *(
                self._done(
                    shard,
                    [game for game in games if game[0].shard == shard],
                    [entry.entry_id for entry in bad if entry.shard == shard],
                )
                for shard in {entry.shard for entry in (*(game[0] for game in games), *bad)}
            )
        )

    async def _take(self, shard: int, most: int) -> list[Entry]:
        raw = await scripts.TAKE(
            self._batch, [self._keys.finished(shard)], [GROUP, self._replica, most]
        )
        entries = []
        for entry_id, values in raw:
            fields = _fields(values)
            entries.append(
                Entry(
                    shard=shard,
                    entry_id=entry_id,
                    game=fields.get(b"game", b""),
                    token=fields.get(b"token", b""),
                )
            )
        return entries

    async def _done(
        self, shard: int, games: Sequence[tuple[Entry, str, int]], bad: Sequence[bytes]
    ) -> None:
        logs = [self._keys.log(room_id, game_no) for _, room_id, game_no in games]
        ids = [entry.entry_id for entry, _, _ in games]
        await scripts.DONE(
            self._batch,
            [self._keys.finished(shard), *logs],
            [GROUP, self._log_ms, len(ids), *ids, *bad],
        )


def _fields(raw: Sequence[Any]) -> dict[bytes, bytes]:
    return dict(zip(raw[::2], raw[1::2], strict=True))


def _line(entry_id: bytes, fields: dict[bytes, bytes]) -> LogLine:
    what = fields[b"what"].decode()
    body = fields[b"body"]
    return LogLine(
        version=int(entry_id.partition(b"-")[0]),
        at=int(fields[b"at"]),
        what=what,
        seat=int(fields[b"seat"]),
        body=_nameless(body) if what == "start" else body,
    )


def _nameless(start: bytes) -> bytes:
    """The body of a first line without who sat where: a name that is kept twice is erased once."""
    fields: dict[str, Any] = msgspec.msgpack.decode(start)
    fields.pop("sitters", None)
    return msgspec.msgpack.encode(fields)
