"""The rooms of one session: which it follows, and its player's seats in them."""

from typing import TYPE_CHECKING, Final

from parlor.gateway.checks import check_room_id
from parlor.gateway.payload import Payload
from parlor.gateway.resume import Audience, Position
from parlor.serving import ServiceError, tracing
from parlor.serving.errors import reason_name
from parlor.serving.failures import as_refusal
from parlor.serving.keys import kind_of
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import GoodbyeReason
from parlor.v1.room_pb2 import Position as PositionMessage

if TYPE_CHECKING:
    from parlor.gateway.session import Session

_COMING_BACK: Final = frozenset(
    {
        GoodbyeReason.GOODBYE_REASON_REPLACED,
        GoodbyeReason.GOODBYE_REASON_DRAINING,
        GoodbyeReason.GOODBYE_REASON_TOO_SLOW,
    }
)
"""Goodbyes after which the player is there already, or reconnects at once."""


class SessionRooms:
    """A `Recipient` on a session's behalf."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._followed: set[str] = set()

    @property
    def player(self) -> Player:
        """Who receives."""
        return self._session.player

    def send(self, payload: Payload) -> None:
        """Takes what goes to the client."""
        self._session.send(payload)

    def seated(self, room_id: str, seat: Audience) -> None:
        """Keeps the seat online for as long as it is the player's."""
        session = self._session
        presences = session.gateway.presences
        if seat is None:
            presences.give_back(room_id, session.player, session.connection)
        else:
            presences.hold(room_id, session.player, session.connection, session.replaced)

    def unfollowed(self, room_id: str) -> None:
        """Forgets the room."""
        self._followed.discard(room_id)
        session = self._session
        presences = session.gateway.presences
        if session.goodbye in _COMING_BACK:
            # Nobody shall see the player go offline in between; who does not come is found when
            # the lease runs out.
            presences.forget(room_id, session.player, session.connection)
        else:
            presences.give_back(room_id, session.player, session.connection)

    def follows(self, room_id: str) -> bool:
        """Whether the room is followed, or about to be."""
        return room_id in self._followed

    def follow(self, room_id: str, position: Position | None) -> None:
        """Follows a room from `position`, or with a view; what comes of it is sent, a refusal too."""
        self._session.spawn(self._follow, room_id, position)

    def unfollow(self, room_id: str) -> None:
        """Follows it no more."""
        self._session.gateway.following.unfollow(self, room_id)

    def unfollow_all(self) -> None:
        """Follows nothing more."""
        for room_id in tuple(self._followed):
            self.unfollow(room_id)

    def heads(self) -> list[PositionMessage]:
        """Where each room stands for this client."""
        rooms = (self._session.gateway.following.room(room_id) for room_id in self._followed)
        heads = (room.head_for(self) for room in rooms if room is not None)
        return [head for head in heads if head is not None]

    async def _follow(self, room_id: str, position: Position | None) -> None:
        with self._span() as span:
            try:
                check_room_id(room_id)
                span.note(room=room_id, kind=kind_of(room_id))
                most = self._session.gateway.config.follows
                if len(self._followed | {room_id}) > most:
                    raise ServiceError(
                        ErrorReason.ERROR_REASON_TOO_FAST, f"at most {most} rooms at once"
                    )
                self._followed.add(room_id)
                await self._session.gateway.following.follow(self, room_id, position)
            except Exception as error:
                refusal = as_refusal(error, room=room_id)
                span.note(refused=reason_name(refusal.reason))
                self._refuse(refusal, room_id)

    def _span(self) -> tracing.Span:
        """Until the client is up to date: a part of the request that led here, or one of its own."""
        span = tracing.part("watch")
        return self._session.span("watch") if span is tracing.NOTHING else span

    def _refuse(self, error: ServiceError, room_id: str) -> None:
        metadata = {**error.metadata, "room_id": room_id[:80]}
        self._session.refuse(ServiceError(error.reason, error.message, **metadata))
