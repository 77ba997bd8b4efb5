"""The beginning of a session: who the client is, that it is the player's newest, and where the
player is.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

import structlog

from parlor.gateway.checks import PROTOCOL, check_hello
from parlor.gateway.outlet import Frame
from parlor.gateway.payload import Payload
from parlor.gateway.resume import Position
from parlor.gateway.ticket import TICKET
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Hello, ServerFrame, Welcome
from parlor.wire.times import timestamp

if TYPE_CHECKING:
    from parlor.gateway.session import Session

log = structlog.get_logger(__name__)

SERVER: Final = "parlor-gateway/0.1.0"


async def hello_of(incoming: AsyncIterator[Frame], *, within_ms: int) -> Hello | None:
    """The hello that comes first; None where the client left before it. Raises ServiceError."""
    try:
        async with asyncio.timeout(within_ms / 1000):
            first = await anext(incoming, None)
    except TimeoutError:
        raise ServiceError(
            ErrorReason.ERROR_REASON_HELLO_EXPECTED, "hello did not come in time"
        ) from None
    if first is None:
        return None
    if isinstance(first, ServiceError):
        raise first
    return check_hello(first)


async def greet(session: "Session", hello: Hello) -> None:
    """Opens the session: replaces the player's older one, welcomes, and follows the rooms.

    Raises ServiceError or RedisError.
    """
    gateway = session.gateway
    session.identify(gateway.tokens.verify(hello.token))
    who = session.who
    await gateway.newest.arrive(who.player, session)
    place, moved_from = await gateway.players.whereabouts(who.player)
    kind, _, place = place.partition(":")
    room_id = place if kind == "room" else ""
    welcome = Welcome(
        player=who.player,
        name=who.name,
        protocol=PROTOCOL,
        server=SERVER,
        server_time=timestamp(gateway.clock.now()),
        room_id=room_id,
        heartbeat_ms=gateway.config.heartbeat_ms,
    )
    if kind == "ticket":
        await session.ticket.resume(place, welcome)
    session.send(Payload.of(ServerFrame(welcome=welcome)))
    client = hello.client if hello.client.isprintable() else "?"
    log.info("session_opened", player=who.player, connection=session.connection, client=client)
    if kind == "room" and moved_from.startswith(TICKET):
        # Where somebody does not come to that table, the ticket waits again.
        session.ticket.follow(moved_from.removeprefix(TICKET), seated=True)
    if "match" in who.scopes:
        await session.party.resume()
    if "play" in who.scopes:
        for followed, position in _positions(hello, room_id).items():
            session.rooms.follow(followed, position)


def _positions(hello: Hello, room_id: str) -> dict[str, Position | None]:
    """Where to go on in each room, the player's own first; None where only a view helps."""
    positions: dict[str, Position | None] = {room_id: None} if room_id else {}
    for position in hello.positions:
        positions[position.room_id] = (position.seq, position.token) if position.token else None
    return positions
