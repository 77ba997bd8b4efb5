"""A session's party: who is in it, and the ticket that its leader takes for all of them."""

import asyncio
import random
from typing import TYPE_CHECKING, Final

from redis.exceptions import RedisError

from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.v1.matchmaking_pb2 import PartyUpdate
from parlor.v1.play_pb2 import Answer, CreateParty, JoinParty, LeaveParty, ServerFrame

if TYPE_CHECKING:
    from parlor.gateway.session import Session

_SHORTEST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0


class PartyWatch:
    """The party of one session's player."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._watching = False

    async def resume(self) -> None:
        """Follows the party that the player is in, if any; without matchmaking there is none to see.
        Raises RedisError.
        """
        gateway = self._session.gateway
        if not gateway.matchmaking.is_there:
            return
        if await gateway.batch.call("EXISTS", gateway.keys.player_party(self._session.who.player)):
            self._follow()

    async def create(self, request: CreateParty) -> Payload:
        """Begins a party; the answer."""
        party = await self._session.gateway.matchmaking.create_party(
            self._session.who, request.request_id
        )
        return self._answer(request.request_id, party)

    async def join(self, request: JoinParty) -> Payload:
        """Joins a party; the answer. A try at a code is counted as one at a room's."""
        session = self._session
        await session.gateway.spend_code(session.who.player, session.address)
        party = await session.gateway.matchmaking.join_party(
            session.who, request.request_id, request.code
        )
        return self._answer(request.request_id, party)

    async def leave(self, request: LeaveParty) -> Payload:
        """Leaves the party, or takes another out of it; the answer."""
        party = await self._session.gateway.matchmaking.leave_party(
            self._session.who, request.request_id, request.member
        )
        return self._answer(request.request_id, party)

    def _answer(self, request_id: str, party: PartyUpdate) -> Payload:
        if party.code:
            self._follow()
        return Payload.of(ServerFrame(answer=Answer(request_id=request_id, party=party)))

    def _follow(self) -> None:
        if not self._watching:
            self._watching = True
            self._session.spawn(self._watch)

    async def _watch(self) -> None:
        """Tells the client whenever the party has changed, until the player is in none."""
        session = self._session
        pause_s = _SHORTEST_PAUSE_S
        try:
            while True:
                try:
                    async for party in session.gateway.matchmaking.watch_party(session.who):
                        pause_s = _SHORTEST_PAUSE_S
                        session.send(Payload.of(ServerFrame(party=party)))
                        if not party.code:
                            return
                        if party.ticket_id:
                            await session.ticket.take_up(party.ticket_id)
                except (ServiceError, RedisError):
                    # The replica that was asked is gone, or the store; another has the party too.
                    pass
                # Every session with a party is here at once when all replicas are gone.
                await asyncio.sleep(pause_s * random.uniform(0.5, 1))
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        finally:
            self._watching = False
