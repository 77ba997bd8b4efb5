"""Opening rooms: the same request opens the same room, however often and wherever it arrives."""

import base64
import hashlib
import secrets
from collections.abc import Callable

import structlog

from parlor.engine import events, metrics, outages, scripts
from parlor.engine.host import Host
from parlor.engine.options import written_out
from parlor.engine.places import Places
from parlor.engine.record import Head, Room, RoomRecord, SeatRecord
from parlor.engine.sealing import sealed
from parlor.engine.seating import rehosted
from parlor.engine.step import Refused, Step
from parlor.engine.store import Commit, Lost, RoomGone, RoomStore
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import engine_service_pb2, play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason

_log = structlog.get_logger(__name__)

CODE_TRIES = 20
CODE_HELD_S = 60
"""How long a code waits for its room; then a replica that died in between has lost it."""


LINK_BYTES = 16
"""Randomness of a link's token."""


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

    async def open(
        self, request: engine_service_pb2.EngineServiceOpenRoomRequest
    ) -> play_pb2.RoomOpened:
        """The room of this request, opened now or before; raises Refused and leaves nothing behind otherwise."""
        config, seats = self._parsed(request)
        room_id = self._room_id(request.opener, request.request_id)
        is_full = self._is_full()
        # A matched room takes nothing before it is made: whether it is there already, making it says.
        if (is_full or not request.matched) and (opened := await self._opened(room_id)):
            return await self._kept(opened)
        # Matched players hold no ticket any more: they get their room, and are told there that nothing begins.
        if not request.matched:
            self._may_begin()
        if is_full:
            raise Refused(
                ErrorReason.ERROR_REASON_OVERLOADED, "no new rooms now", {"retry_after_ms": "5000"}
            )
        await self._take_places(request, room_id)
        # A matched room is nobody's to share.
        code = "" if request.matched else await self._new_code(room_id)
        # Looked at before the room is dated: it is not to be credited with what was before it.
        past = outages.newest((await self._store.look_at_shard(room_id)).outages)
        room = self._new_room(request, room_id, config, seats, code, past)
        try:
            await self._create(room)
        except Lost:
            # The same request was here at the same time.
            if code:
                await self._batch.call("DEL", self._keys.code(code))
            there = await self._opened(room_id)
            opened = there or play_pb2.RoomOpened(room_id=room_id)
        else:
            opened = _opened(room.record)
            metrics.ROOMS_OPENED.labels(self._host.game.kind).inc()
            _log.info("room_opened", room=room_id, matched=request.matched)
        return await self._kept(opened)

    async def _kept(self, opened: play_pb2.RoomOpened) -> play_pb2.RoomOpened:
        """The answer for a room that is there; its code is kept, also by a repeat: the first may have ended before."""
        if opened.code:
            await self._batch.call("PERSIST", self._keys.code(opened.code))
        return opened

    async def forget(self, room: Room) -> None:
        """Removes what a closed room has outside of its shard, and its logs."""
        record = room.record
        await self._store.forget_logs(record.room_id, record.game_no)
        if record.code:
            await scripts.FORGET_CODE(self._batch, [self._keys.code(record.code)], [record.room_id])

    def _parsed(
        self, request: engine_service_pb2.EngineServiceOpenRoomRequest
    ) -> tuple[bytes, int]:
        """The configuration with every option written out, encoded, and the number of seats."""
        if not 1 <= len(request.request_id) <= 64:
            raise _malformed("request_id", "1 to 64 characters")
        config, seats = written_out(self._host, request.config, unbounded=request.unbounded)
        named = [player.player for player in request.players if player.player]
        if len(request.players) > seats or len(set(named)) != len(named):
            raise _malformed("players", f"at most {seats}, each once")
        return config, seats

    def _room_id(self, opener: str, request_id: str) -> str:
        digest = hashlib.blake2b(f"{opener}\0{request_id}".encode(), digest_size=15).digest()
        shard = int.from_bytes(digest[:4], "big") % self._shards
        rest = base64.b32encode(digest).decode().lower()
        return f"s{shard}-{self._host.game.kind}-{rest}"

    async def _opened(self, room_id: str) -> play_pb2.RoomOpened | None:
        """The room as it was opened before, once that is as durable as asked for; None without one."""
        try:
            stored = await self._store.load(room_id)
            await self._store.confirm(stored)
        except (RoomGone, Lost):
            return None
        return _opened(stored.room.record)

    async def _take_places(
        self, request: engine_service_pb2.EngineServiceOpenRoomRequest, room_id: str
    ) -> None:
        """Takes the named players' places, all or none. Matched players' move from their tickets with the match."""
        if request.matched:
            return
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

    def _new_room(
        self,
        request: engine_service_pb2.EngineServiceOpenRoomRequest,
        room_id: str,
        config: bytes,
        seats: int,
        code: str,
        past_outages: int,
    ) -> Room:
        at = self._clock.now()
        named = [
            SeatRecord(player=player.player, name=player.name, bot=player.bot)
            for player in request.players
        ]
        record = RoomRecord(
            room_id=room_id,
            kind=self._host.game.kind,
            rules=self._host.game.rules,
            config=config,
            seats=(*named, *(SeatRecord() for _ in range(seats - len(named)))),
            heads=(Head(),) * (seats + 1),
            seed=self._host.seed(),
            code=code,
            link_token=secrets.token_urlsafe(LINK_BYTES),
            spectators=request.options.spectators,
            private=request.options.private,
            matched=request.matched,
            invited=tuple(player.player for player in request.players if player.player),
            ready_due=at + self._host.limits.connect_ms if request.matched else 0,
            at=at,
            op=request.request_id,
            outages=past_outages,
        )
        room, _ = rehosted(Room(record=record))
        return room

    async def _create(self, room: Room) -> None:
        step = Step(room=room, happenings=(events.ready_opened(room.record),))
        seal = sealed(self._host, room.record, step, at=room.record.at, op=room.record.op)
        await self._store.commit(
            Commit(check="create", before=None, room=seal.room, due=seal.due, item=seal.item)
        )


def _opened(record: RoomRecord) -> play_pb2.RoomOpened:
    return play_pb2.RoomOpened(
        room_id=record.room_id, code=record.code, link_token=record.link_token
    )


def _malformed(field: str, message: str) -> Refused:
    return Refused(ErrorReason.ERROR_REASON_MALFORMED, message, {"field": field})
