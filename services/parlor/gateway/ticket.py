"""A session's wish for a game: its ticket, followed for as long as the session lives.

Following renews the ticket's lease. A session that ends stops following, and the ticket waits a
moment for the player to come back before it is given up.
"""

import asyncio
import random
from typing import TYPE_CHECKING, Final

from parlor.gateway import frames
from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.matchmaking_service_pb2 import CreateTicketRequest
from parlor.v1.play_pb2 import Answer, Dequeue, Enqueue, Explain, ServerFrame, Welcome

if TYPE_CHECKING:
    from parlor.gateway.session import Session

TICKET: Final = "ticket:"
"""What a place begins with that is a ticket."""

_ROOM: Final = "room:"
_SHORTEST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 2.0
"""Well below the time after which a ticket that nobody follows is given up."""


class TicketWatch:
    """The ticket of one session's player."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._followed = ""

    async def resume(self, ticket_id: str, welcome: Welcome) -> None:
        """Puts the player's waiting ticket into the welcome and follows it; without matchmaking
        there is none to see. One that cannot be looked at now is told of as soon as it can.
        """
        try:
            update = await self._session.gateway.matchmaking.get(self._session.who, ticket_id)
        except ServiceError as error:
            if error.reason != ErrorReason.ERROR_REASON_TICKET_NOT_FOUND:
                self.follow(ticket_id)
            return
        welcome.ticket.CopyFrom(update)
        if update.state != TicketState.TICKET_STATE_CANCELLED:
            self.follow(ticket_id)

    async def take(self, request: Enqueue) -> Payload:
        """Takes a ticket; the answer."""
        who = self._session.who
        asked = CreateTicketRequest(
            request_id=request.request_id,
            config=request.config,
            player=who.player,
            name=who.name,
            bot=who.bot,
            region=request.region,
            stake=request.stake,
            party_code=request.party_code,
        )
        self._follow(await self._session.gateway.matchmaking.create(asked))
        return frames.answer(request.request_id)

    async def explain(self, request: Explain) -> Payload:
        """Says why the ticket waits; the answer."""
        explained = await self._session.gateway.matchmaking.explain(self._session.who)
        answer = Answer(request_id=request.request_id, explained=explained)
        return Payload.of(ServerFrame(answer=answer))

    async def give_back(self, request: Dequeue) -> Payload:
        """Gives the ticket back; the answer."""
        # By its id: where it has led to a room, the player's place does not name it any more.
        await self._session.gateway.matchmaking.cancel(
            self._session.who, request.request_id, self._followed
        )
        return frames.answer(request.request_id)

    async def take_up(self, ticket_id: str) -> None:
        """Follows the ticket that the player's party was given last, if the player is on it still:
        the party keeps it in mind, whatever its members do afterwards. Raises RedisError.
        """
        if ticket_id == self._followed:
            return
        session = self._session
        place, moved_from = await session.gateway.players.whereabouts(session.who.player)
        if place == TICKET + ticket_id:
            self.follow(ticket_id)
        elif moved_from == TICKET + ticket_id:
            self.follow(ticket_id, seated=session.rooms.follows(place.removeprefix(_ROOM)))

    def follow(self, ticket_id: str, *, seated: bool = False) -> None:
        """Follows a ticket that was taken elsewhere: by another member of the party, or before this
        session. What one has led to whose player is `seated` is no news, only what it becomes next.
        """
        if ticket_id != self._followed and self._session.gateway.matchmaking.is_there:
            self._followed = ticket_id
            self._session.spawn(self._watch, ticket_id, seated=seated)

    def _follow(self, update: TicketUpdate) -> None:
        # One that is assigned may wait again.
        if update.state == TicketState.TICKET_STATE_CANCELLED:
            self._tell(update)
        else:
            self.follow(update.ticket_id)

    async def _watch(self, ticket_id: str, *, seated: bool) -> None:
        """Tells the client whenever the ticket has moved, until it is over: a table at which somebody
        is missing gives its tickets back to the queue.
        """
        session, matchmaking = self._session, self._session.gateway.matchmaking
        pause_s = _SHORTEST_PAUSE_S
        try:
            while self._followed == ticket_id:
                try:
                    async for update in matchmaking.watch(session.who, ticket_id, until_begun=True):
                        pause_s = _SHORTEST_PAUSE_S
                        if self._followed != ticket_id:
                            return
                        seated = seated and update.state == TicketState.TICKET_STATE_ASSIGNED
                        if not seated:
                            self._tell(update)
                    return
                except ServiceError as error:
                    if error.reason == ErrorReason.ERROR_REASON_TICKET_NOT_FOUND:
                        if not seated:
                            self._tell(_gone(ticket_id))
                        return
                # The replica that was asked is gone; another has the ticket too.
                await asyncio.sleep(pause_s * random.uniform(0.5, 1))
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        finally:
            if self._followed == ticket_id:
                self._followed = ""

    def _tell(self, update: TicketUpdate) -> None:
        self._session.send(frames.ticket(update))
        if update.state == TicketState.TICKET_STATE_ASSIGNED and update.room_id:
            self._session.rooms.follow(update.room_id, None)


def _gone(ticket_id: str) -> TicketUpdate:
    return TicketUpdate(ticket_id=ticket_id, state=TicketState.TICKET_STATE_CANCELLED)
