"""A session's wish for a game: its ticket, followed for as long as the session lives.

Following renews the ticket's lease. A session that ends stops following, and the ticket waits a
moment for the player to come back before it is given up.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from parlor.gateway import frames
from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.play_pb2 import Dequeue, Enqueue, Welcome

if TYPE_CHECKING:
    from parlor.gateway.session import Session

_OVER: Final = frozenset({TicketState.TICKET_STATE_ASSIGNED, TicketState.TICKET_STATE_CANCELLED})
_AGAIN_S: Final = 0.5


class TicketWatch:
    """The ticket of one session's player."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._followed = ""

    async def resume(self, ticket_id: str, welcome: Welcome) -> None:
        """Puts the player's waiting ticket into the welcome and follows it; without matchmaking
        there is none to see.
        """
        try:
            update = await self._session.gateway.matchmaking.get(self._session.who, ticket_id)
        except ServiceError:
            return
        welcome.ticket.CopyFrom(update)
        self._follow(update)

    async def take(self, request: Enqueue) -> Payload:
        """Takes a ticket; the answer."""
        matchmaking = self._session.gateway.matchmaking
        update = await matchmaking.create(self._session.who, request.request_id, request.config)
        self._follow(update)
        return frames.answer(request.request_id)

    async def give_back(self, request: Dequeue) -> Payload:
        """Gives the ticket back; the answer."""
        await self._session.gateway.matchmaking.cancel(self._session.who, request.request_id)
        return frames.answer(request.request_id)

    def _follow(self, update: TicketUpdate) -> None:
        if update.ticket_id != self._followed and update.state not in _OVER:
            self._followed = update.ticket_id
            self._session.spawn(self._watch(update.ticket_id))
        elif update.state in _OVER:
            self._tell(update)

    async def _watch(self, ticket_id: str) -> None:
        """Tells the client whenever the ticket has moved, until it is over."""
        session = self._session
        try:
            while True:
                try:
                    async for update in session.gateway.matchmaking.watch(session.who, ticket_id):
                        self._tell(update)
                        if update.state in _OVER:
                            return
                except ServiceError as error:
                    if error.reason == ErrorReason.ERROR_REASON_TICKET_NOT_FOUND:
                        gone = TicketUpdate(
                            ticket_id=ticket_id, state=TicketState.TICKET_STATE_CANCELLED
                        )
                        self._tell(gone)
                        return
                # The replica that was asked is gone; another has the ticket too.
                await asyncio.sleep(_AGAIN_S)
        finally:
            self._followed = ""

    def _tell(self, update: TicketUpdate) -> None:
        self._session.send(frames.ticket(update))
        if update.state == TicketState.TICKET_STATE_ASSIGNED and update.room_id:
            self._session.rooms.follow(update.room_id, None)
