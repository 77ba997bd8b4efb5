"""What a room is asked to be, and what it begins as."""

import base64
import hashlib
import secrets
from dataclasses import dataclass

from msgspec import UNSET

from parlor.engine import events, gathering, room_clocks
from parlor.engine.audiences import first_item
from parlor.engine.host import Host
from parlor.engine.options import written_out
from parlor.engine.record import Head, Room, RoomRecord, SeatRecord
from parlor.engine.sealing import TOKEN_BYTES, Sealed
from parlor.engine.seating import first_host
from parlor.engine.step import Refused
from parlor.serving import tracing
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest
from parlor.v1.error_reason_pb2 import ErrorReason

LINK_BYTES = 16
"""Randomness of a link's token."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was found sound."""

    request: EngineServiceOpenRoomRequest
    room_id: str
    config: bytes
    """The encoded `GameConfig`, every option written out."""
    seats: int


def asked(host: Host, request: EngineServiceOpenRoomRequest, *, shards: int) -> Asked:
    """The request with what follows from it; raises Refused: MALFORMED, UNKNOWN_KIND, INVALID_CONFIG."""
    if not 1 <= len(request.request_id) <= 64:
        raise _malformed("request_id", "1 to 64 characters")
    config, seats = written_out(
        host, request.config, unbounded=request.unbounded, may_be_newer=request.matched
    )
    named = [player.player for player in request.players if player.player]
    if len(request.players) > seats or len(set(named)) != len(named):
        raise _malformed("players", f"at most {seats}, each once")
    room_id = _room_id(host.game.kind, request.opener, request.request_id, shards)
    return Asked(request, room_id, config, seats)


def founded(host: Host, wish: Asked, *, code: str, at: int, outages: int) -> Sealed:
    """The room as it begins at `at`, in a shard whose last outage had the number `outages`.

    It is what sealing a first step would give, without a record before it: in a rush, that is
    several times the work.
    """
    request, token = wish.request, secrets.token_bytes(TOKEN_BYTES)
    waits = host.game.bounds_waiting and not request.matched
    ready_due = gathering.ready_due(host, wish.config, at) if waits else UNSET
    named = [
        SeatRecord(
            player=player.player,
            name=player.name,
            bot=player.bot,
            ready_due=ready_due if player.player else UNSET,
        )
        for player in request.players
    ]
    seats = (*named, *(SeatRecord() for _ in range(wish.seats - len(named))))
    record = RoomRecord(
        room_id=wish.room_id,
        kind=host.game.kind,
        rules=host.game.rules,
        config=wish.config,
        seats=seats,
        heads=(Head(seq=1, token=token),) * (wish.seats + 1),
        seed=host.seed(),
        code=code,
        link_token=secrets.token_urlsafe(LINK_BYTES),
        spectators=request.options.spectators,
        private=request.options.private,
        matched=request.matched,
        invited=tuple(seat.player for seat in named if seat.player),
        host=first_host(seats),
        ready_due=at + host.limits.connect_ms if request.matched else 0,
        # Nobody is connected yet.
        idle_due=at + host.limits.open_idle_ms,
        still_due=at + host.limits.still_ms if waits else UNSET,
        version=1,
        token=token,
        at=at,
        op=request.request_id,
        outages=outages,
    )
    room = Room(record=record)
    item = first_item(host, record, events.ready_opened(record))
    item.trace_parent = tracing.current().traceparent
    due = room_clocks.earliest(host, room)
    return Sealed(room=room, due=due.at if due else 0, item=item.SerializeToString())


def _room_id(kind: str, opener: str, request_id: str, shards: int) -> str:
    """The same for the same request, whoever computes it."""
    digest = hashlib.blake2b(f"{opener}\0{request_id}".encode(), digest_size=15).digest()
    shard = int.from_bytes(digest[:4], "big") % shards
    rest = base64.b32encode(digest).decode().lower()
    return f"s{shard}-{kind}-{rest}"


def _malformed(field: str, message: str) -> Refused:
    return Refused(ErrorReason.ERROR_REASON_MALFORMED, message, {"field": field})
