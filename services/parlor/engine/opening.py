"""Opening rooms: the same request opens the same room, however often and wherever it arrives."""

import asyncio
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import structlog
from redis.exceptions import RedisError

from parlor.engine import metrics, scripts
from parlor.engine.founding import Asked, asked, founded
from parlor.engine.host import Host
from parlor.engine.places import Places
from parlor.engine.record import Room, RoomRecord
from parlor.engine.snapshot import UnreadableRecord
from parlor.engine.step import Refused
from parlor.engine.store import Lost, RoomGone, RoomStore
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import RoomOpened

_log = structlog.get_logger(__name__)

CODE_TRIES = 20
CODE_HELD_S = 60
"""How long a code waits for its room; then a replica that died in between has lost it."""

_AT_A_TIME = 32
"""Rooms that are made in one step of the event loop, and by one script: nobody moves meanwhile."""

Opened: TypeAlias = RoomOpened | Refused | RedisError | UnreadableRecord
"""A room, or why there is none."""


def random_code() -> str:
    """Six digits that nobody can guess from those given before."""
    return f"{secrets.randbelow(1_000_000):06d}"


class Opening:
    """Opens rooms of one kind of game."""

    def __init__(
        self,
        host: Host,
        store: RoomStore,
        places: Places,
        clock: RedisClock,
        batch: Batch,
        keys: Keys,
        *,
        shards: int,
        is_full: Callable[[], bool] = lambda: False,
        may_begin: Callable[[], None] = lambda: None,
        code: Callable[[], str] = random_code,
    ) -> None:
        self._host = host
        self._store = store
        self._places = places
        self._clock = clock
        self._batch = batch
        self._keys = keys
        self._shards = shards
        self._is_full = is_full
        self._may_begin = may_begin
        self._code = code

    async def open(self, request: EngineServiceOpenRoomRequest) -> RoomOpened:
        """The room of this request, opened now or before; raises Refused and leaves nothing behind otherwise."""
        if request.matched:
            (opened,) = await self.open_matched([request])
            return _or_raised(opened)
        wish = asked(self._host, request, shards=self._shards)
        if there := await self._opened(wish.room_id):
            return await self._kept(there)
        self._may_begin()
        if self._is_full():
            raise _full()
        await self._take_places(request, wish.room_id)
        code = await self._new_code(wish.room_id)
        opened = _or_raised((await self._made([wish], code))[wish.room_id])
        if opened.code != code:
            # The same request was here at the same time.
            await self._batch.call("DEL", self._keys.code(code))
        return await self._kept(opened)

    async def open_matched(self, requests: Sequence[EngineServiceOpenRoomRequest]) -> list[Opened]:
        """The rooms of matched players, each on its own, in the order of their requests.

        They get their rooms also where nothing begins at the moment, and are told so there: they
        hold no ticket any more. Their places move from the tickets with the match.
        """
        wishes = [self._asked(request) for request in requests]
        # The same request twice is one.
        sound = {wish.room_id: wish for wish in wishes if isinstance(wish, Asked)}
        opened = await (self._found(sound) if self._is_full() else self._made_all(sound))
        return [opened[wish.room_id] if isinstance(wish, Asked) else wish for wish in wishes]

    async def forget(self, room: Room) -> None:
        """Removes what a closed room has outside of its shard, and its logs."""
        record = room.record
        await self._store.forget_logs(record.room_id, record.game_no)
        if record.code:
            await scripts.FORGET_CODE(self._batch, [self._keys.code(record.code)], [record.room_id])

    def _asked(self, request: EngineServiceOpenRoomRequest) -> Asked | Refused:
        try:
            return asked(self._host, request, shards=self._shards)
        except Refused as refused:
            return refused

    async def _found(self, room_ids: Collection[str]) -> dict[str, Opened]:
        """The rooms that are there; the others find the replica full."""
        found = await asyncio.gather(*map(self._there, room_ids))
        return {room_id: there or _full() for room_id, there in zip(room_ids, found, strict=True)}

    async def _made_all(self, wishes: Mapping[str, Asked]) -> dict[str, Opened]:
        """The rooms, made or found, by their ids; `wishes` likewise."""
        groups = self._batch.by_slot([*wishes.values()], lambda wish: self._keys.room(wish.room_id))
        parts = [
            group[start : start + _AT_A_TIME]
            for group in groups
            for start in range(0, len(group), _AT_A_TIME)
        ]
        made = await asyncio.gather(*map(self._made_or_not, parts))
        return dict(chain.from_iterable(opened.items() for opened in made))

    async def _made_or_not(self, wishes: Sequence[Asked]) -> dict[str, Opened]:
        try:
            # Nobody but the matched comes into their room: it has no code.
            return await self._made(wishes, code="")
        except (Refused, RedisError) as error:
            return dict.fromkeys((wish.room_id for wish in wishes), error)

    async def _made(self, wishes: Sequence[Asked], code: str) -> dict[str, Opened]:
        """Makes rooms whose keys one script may touch, but those that are there already; by room.

        Raises RedisError, or Unconfirmed, where it is not known what was made.
        """
        # Looked at before the rooms are dated: they are not to be credited with what was before them.
        outages = await self._store.newest_outages([wish.room_id for wish in wishes])
        at = self._clock.now()
        rooms = [
            founded(self._host, wish, code=code, at=at, outages=newest)
            for wish, newest in zip(wishes, outages, strict=True)
        ]
        are_new = await self._store.create(rooms)
        metrics.ROOMS_OPENED.labels(self._host.game.kind).inc(sum(are_new))
        made: dict[str, Opened] = {}
        old: list[str] = []
        for room, is_new in zip(rooms, are_new, strict=True):
            record = room.room.record
            if is_new:
                made[record.room_id] = _opened(record)
            else:
                old.append(record.room_id)
        if made:
            _log.info("rooms_opened", rooms=[*made])
        # All at once: whoever asks again was not answered in time, and is not to find this slower.
        found = await asyncio.gather(*map(self._there, old))
        for room_id, there in zip(old, found, strict=True):
            # It may have been closed since.
            made[room_id] = there or RoomOpened(room_id=room_id)
        return made

    async def _there(self, room_id: str) -> Opened | None:
        """The room as it was opened before, or why that is not known; None without one."""
        try:
            return await self._opened(room_id)
        except (Refused, RedisError, UnreadableRecord) as error:
            return error

    async def _opened(self, room_id: str) -> RoomOpened | None:
        """The room as it was opened before, once that is as durable as asked for; None without one."""
        try:
            stored = await self._store.load(room_id)
            await self._store.confirm(stored)
        except (RoomGone, Lost):
            return None
        return _opened(stored.room.record)

    async def _kept(self, opened: RoomOpened) -> RoomOpened:
        """The answer for a room that is there; its code is kept, also by a repeat: the first may have ended before."""
        if opened.code:
            await self._batch.call("PERSIST", self._keys.code(opened.code))
        return opened

    async def _take_places(self, request: EngineServiceOpenRoomRequest, room_id: str) -> None:
        """Takes the named players' places, all or none."""
        taken: list[str] = []
        try:
            for player in request.players:
                if player.player:
                    await self._places.take(player.player, room_id)
                    taken.append(player.player)
        except Refused:
            await self._places.free(room_id, tuple(taken))
            raise

    async def _new_code(self, room_id: str) -> str:
        for _ in range(CODE_TRIES):
            code = self._code()
            if await self._batch.call(
                "SET", self._keys.code(code), room_id, "NX", "EX", CODE_HELD_S
            ):
                return code
        raise Refused(ErrorReason.ERROR_REASON_OVERLOADED, "no free code was found")


def _opened(record: RoomRecord) -> RoomOpened:
    return RoomOpened(room_id=record.room_id, code=record.code, link_token=record.link_token)


def _or_raised(opened: Opened) -> RoomOpened:
    if isinstance(opened, Exception):
        raise opened
    return opened


def _full() -> Refused:
    return Refused(
        ErrorReason.ERROR_REASON_OVERLOADED, "no new rooms now", {"retry_after_ms": "5000"}
    )
