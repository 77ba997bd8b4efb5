"""Rooms in Redis: loaded whole, changed by one script per step.

A missing room key means that there is no such room; everything else of a room goes with it.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from parlor.engine import outages, scripts
from parlor.engine.formats import RELEASED, Formats, Written
from parlor.engine.outages import Seen
from parlor.engine.record import Room
from parlor.engine.sealing import Sealed
from parlor.engine.snapshot import StateCodec, encode
from parlor.engine.step import LogLine
from parlor.engine.writes import Writes
from parlor.serving.keys import FEED_LENGTH, Keys, shard_of
from parlor.serving.redis import Argument, Batch

REPEATS = 16
"""Accepted requests that are remembered per player."""

CHAT_LINES = 50

LOG_PAGE = 500
"""Lines of a log that are read at once."""

_ANSWERED = "answered:"


class RoomGone(Exception):
    """There is no such room (any more). Answered with ROOM_NOT_FOUND."""


class Lost(Exception):
    """The commit met another one, or a Redis that came back older: nothing was written. Caught by the lane."""


class Skewed(Lost):
    """The step was dated too far from Redis time: it waited for too long, or the estimate is off."""


class Unattended(Lost):
    """The room's shard has had an outage that the room has not taken up, or may be in one: nothing was written."""


class Early(Exception):
    """The clock is not due yet by Redis time: nothing was written. Caught by the lane."""


class Answered(msgspec.Struct, frozen=True, array_like=True):
    """An accepted request and its answer."""

    request_id: str
    digest: bytes
    """Of the command, so that the same id with other content is noticed."""
    frame: bytes
    """The encoded answer."""


class Kept(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A room as bytes, as it is kept in memory between its steps.

    Thousands of rooms as objects would have the garbage collector hold up the event loop for a third
    of a second at a time; bytes it does not look into.
    """

    record: Written
    state: bytes
    answered: dict[str, bytes]
    """By player, the remembered requests, encoded."""
    chat: int
    """Lines said so far."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A room as it was read or committed."""

    room: Room
    kept: Kept

    def answered(self, player: str) -> tuple[Answered, ...]:
        """What is remembered of the player's requests, the oldest first."""
        raw = self.kept.answered.get(player)
        return _ANSWERS.decode(raw) if raw else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """All that one script writes."""

    check: str
    """`command`, `clock`, `outage` or `fault`."""
    before: Stored
    """What the step began from."""
    room: Room
    due: int
    """The room's earliest deadline in ms; 0 for none."""
    line: LogLine | None = None
    item: bytes = b""
    """The encoded FeedItem; empty where nobody receives anything."""
    player: str = ""
    answered: tuple[Answered, ...] = ()
    """All that is remembered of `player` from now on."""
    finished: bytes = b""
    """The encoded FinishedGame; empty where none ended."""
    closes: bool = False


_ANSWERS = msgspec.msgpack.Decoder(tuple[Answered, ...])


class RoomStore:
    """The rooms of one kind of game."""

    def __init__(
        self,
        batch: Batch,
        keys: Keys,
        kind: str,
        codec: StateCodec,
        *,
        replica: str = "",
        writes: Writes | None = None,
        unarchived_ms: int = 0,
        formats: Formats = RELEASED,
    ) -> None:
        self._batch = batch
        self._keys = keys
        self._kind = kind
        self._codec = codec
        self._replica = replica
        """Who commits; the owner of a shard may say that a clock has run out before its next beat."""
        self._writes = writes or Writes(batch, keys)
        self._unarchived_ms = unarchived_ms
        self._formats = formats
        # Until it is known what the others read.
        self._format = formats.reads[0]

    def agree(self, fleet: Iterable[Sequence[int]]) -> None:
        """Writes from now on what all of these replicas, of which each reads some formats, can read."""
        self._format = self._formats.agreed(fleet)

    async def load(self, room_id: str) -> Stored:
        """The room as it stands; raises RoomGone, or UnreadableRecord for another release's."""
        pairs = await self._batch.call("HGETALL", self._keys.room(room_id))
        fields = {key.decode(): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}
        if "record" not in fields:
            raise RoomGone(room_id)
        written = Written(fields["record"], fields.get("added", b""))
        room = Room(
            record=self._formats.decode(written.record, written.added),
            state=self._codec.decode(fields["state"]),
        )
        answered = {
            key.removeprefix(_ANSWERED): value
            for key, value in fields.items()
            if key.startswith(_ANSWERED)
        }
        kept = Kept(
            record=written,
            state=fields["state"],
            answered=answered,
            chat=int(fields.get("chat", 0)),
        )
        return Stored(room, kept)

    def recall(self, kept: Kept) -> Stored:
        """The room that was kept."""
        room = Room(record=self._formats.recall(kept.record), state=self._codec.recall(kept.state))
        return Stored(room, kept)

    async def is_current(self, room: Room) -> bool:
        """Whether nothing has been committed since `room` was read."""
        held = await self._batch.call(
            "HMGET", self._keys.room(room.record.room_id), "version", "token"
        )
        return bool(held == [str(room.record.version).encode(), room.record.token])

    async def look_at_shard(self, room_id: str) -> Seen:
        """The room's shard; an outage that lasts ends with this look."""
        shard = shard_of(room_id)
        beat, lost, raw = await scripts.LOOK(
            self._batch,
            [self._keys.owner(shard, self._kind), self._keys.outages(shard, self._kind)],
        )
        outages.noted(self._kind, [lost])
        return Seen(beat, tuple(map(outages.parsed, raw)))

    async def newest_outages(self, room_ids: Sequence[str]) -> list[int]:
        """The number of the last outage of each room's shard, 0 for none; one that lasts ends with this look.

        As of `create`, their keys are such as one script may touch.
        """
        shards = dict.fromkeys(map(shard_of, room_ids))
        keys = [
            key
            for shard in shards
            for key in (self._keys.owner(shard, self._kind), self._keys.outages(shard, self._kind))
        ]
        lost, numbers = await scripts.LOOK_AT_ALL(self._batch, keys)
        outages.noted(self._kind, lost)
        newest = dict(zip(shards, numbers, strict=True))
        return [newest[shard_of(room_id)] for room_id in room_ids]

    async def create(self, rooms: Sequence[Sealed]) -> list[bool]:
        """Stores new rooms whose keys one script may touch; of each, whether it is new: one that was
        there stays as it is.

        A connection error or a timeout leaves open what happened; Unconfirmed says that they were
        stored. Nothing is published: before a room is there, nobody follows it.
        """
        keys: list[Argument] = []
        args: list[Argument] = []
        for sealed in rooms:
            record = sealed.room.record
            room_id = record.room_id
            written = self._formats.encode(record, self._format)
            keys += (
                self._keys.room(room_id),
                self._keys.feed(room_id),
                self._keys.timer(self._kind, room_id),
                self._keys.deadlines(shard_of(room_id), self._kind),
            )
            args += (
                room_id,
                record.version,
                record.token,
                sealed.due,
                written.record,
                written.added,
                sealed.item,
            )
        return [outcome == b"committed" for outcome in await self._writes.create(keys, args)]

    async def commit(self, commit: Commit) -> Stored:
        """Stores a step if the room is still as it was read, and gives the room as it is stored.

        Raises Lost, Unattended, Early or RoomGone having written nothing; a connection error or a timeout
        leaves open what happened, and the caller reloads and looks; Unconfirmed says that it was
        stored. Record, log, feed and deadline go in one script: a crash between them would leave a
        room that nobody wakes.
        """
        record, keys, line = commit.room.record, self._keys, commit.line
        room_id, before = record.room_id, commit.before
        kept = _kept_after(commit, self._formats.encode(commit.room.record, self._format))
        log = keys.log(room_id, line.game_no if line else record.game_no)
        outcome = await self._writes.run(
            scripts.COMMIT,
            [
                keys.room(room_id),
                log,
                keys.feed(room_id),
                keys.timer(self._kind, room_id),
                keys.deadlines(shard_of(room_id), self._kind),
                keys.chat(room_id),
                keys.owner(shard_of(room_id), self._kind),
                keys.finished(shard_of(room_id)),
            ],
            [
                commit.check,
                before.room.record.version,
                before.room.record.token,
                record.at,
                record.version,
                record.token,
                commit.due,
                room_id,
                kept.record.record,
                kept.state,
                _ANSWERED + commit.player if commit.player else "",
                kept.answered.get(commit.player, b""),
                commit.item,
                self._writes.channel(room_id),
                FEED_LENGTH,
                int(commit.closes),
                before.room.record.outages,
                self._replica,
                before.kept.chat,
                commit.finished if self._unarchived_ms else b"",
                self._unarchived_ms,
                kept.record.added,
                *_log_fields(commit),
            ],
            room_id=room_id,
            item=commit.item,
        )
        match outcome:
            case b"committed":
                return Stored(commit.room, kept)
            case b"early":
                raise Early(room_id)
            case b"gone":
                raise RoomGone(room_id)
            case b"skewed":
                raise Skewed(room_id)
            case b"unattended":
                raise Unattended(room_id)
            case _:
                raise Lost(outcome.decode())

    async def say(
        self,
        stored: Stored,
        *,
        line: bytes,
        item: bytes,
        player: str,
        answered: tuple[Answered, ...],
    ) -> None:
        """Appends a line of chat if none came since `stored`; raises Lost or RoomGone otherwise.

        Unconfirmed says that it was appended.
        """
        room_id = stored.room.record.room_id
        outcome = await self._writes.run(
            scripts.SAY,
            [self._keys.room(room_id), self._keys.chat(room_id)],
            [
                stored.kept.chat,
                line,
                CHAT_LINES,
                _ANSWERED + player,
                encode(answered),
                item,
                self._writes.channel(room_id),
                stored.room.record.version,
                stored.room.record.token,
            ],
            room_id=room_id,
            item=item,
        )
        if outcome == b"gone":
            raise RoomGone(room_id)
        if outcome != b"committed":
            raise Lost(outcome.decode())

    async def confirm(self, stored: Stored, player: str = "") -> None:
        """Makes sure of what was committed before: the player's remembered answers, or the room.

        Raises Unconfirmed; Lost where Redis does not hold what `stored` does, for a failover may
        have taken it back.
        """
        field = _ANSWERED + player if player else "version"
        held = stored.kept.answered[player] if player else b""
        if not await self._writes.confirm(stored.room.record.room_id, field, held):
            raise Lost("not held")

    async def tell(self, room_id: str, item: bytes) -> None:
        """Publishes an item that was confirmed only now, unless its script has."""
        await self._writes.tell(room_id, item)

    async def chat(self, room_id: str) -> list[bytes]:
        """The last lines of chat, encoded, the oldest first."""
        lines: list[bytes] = await self._batch.call("LRANGE", self._keys.chat(room_id), 0, -1)
        return lines[::-1]

    async def log(self, room_id: str, game_no: int) -> list[dict[bytes, bytes]]:
        """The lines of one game's log, in order; empty where there is none (any more)."""
        lines: list[dict[bytes, bytes]] = []
        after = "-"
        while True:
            page = await self._batch.call(
                "XRANGE", self._keys.log(room_id, game_no), after, "+", "COUNT", LOG_PAGE
            )
            lines += (dict(zip(fields[::2], fields[1::2], strict=True)) for _, fields in page)
            if len(page) < LOG_PAGE:
                return lines
            after = f"({page[-1][0].decode()}"

    async def forget_logs(self, room_id: str, games: int) -> None:
        """Forgets the logs of a room that is gone, those that the archive still has to read after a while."""
        logs = [self._keys.log(room_id, number) for number in range(1, games + 1)]
        # One that is archived has an expiry already, which stays.
        forgets = [
            self._batch.call("PEXPIRE", log, self._unarchived_ms, "NX")
            if self._unarchived_ms
            else self._batch.call("UNLINK", log)
            for log in logs
        ]
        await asyncio.gather(*forgets)


def _kept_after(commit: Commit, record: Written) -> Kept:
    before = commit.before.kept
    answered = before.answered
    if commit.player:
        answered = {**answered, commit.player: encode(commit.answered)}
    state = commit.room.state
    return Kept(
        record=record,
        state=encode(state) if state is not None else b"",
        answered=answered,
        chat=before.chat,
    )


def _log_fields(commit: Commit) -> list[str | int | bytes]:
    line = commit.line
    if line is None:
        return []
    record = commit.room.record
    return [
        "token",
        record.token,
        "at",
        record.at,
        "what",
        line.what,
        "seat",
        line.seat,
        "body",
        line.body,
        *(("sitters", line.sitters) if line.sitters else ()),
    ]
