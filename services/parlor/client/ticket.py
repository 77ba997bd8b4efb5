"""The player's ticket, as far as its session has heard of it."""

import asyncio
from collections.abc import Collection
from typing import Final

from parlor.v1.matchmaking_pb2 import TicketState, TicketUpdate
from parlor.v1.play_pb2 import Welcome

_ENDED: Final = frozenset({TicketState.TICKET_STATE_ASSIGNED, TicketState.TICKET_STATE_CANCELLED})
"""States in which it is known what the ticket has led to; an assigned one may wait again."""


class Ticket:
    """One ticket after the other."""

    def __init__(self) -> None:
        self._moved = asyncio.Event()
        self._over: Exception | None = None
        self._before: frozenset[str] = frozenset()
        self.last: TicketUpdate | None = None
        """The last that was heard."""

    def begin(self, before: Collection[str]) -> None:
        """A new one is asked for; the player was in these rooms before."""
        self.last = None
        self._before = frozenset(before) | {""}

    async def room_id(self) -> str:
        """The room that the ticket leads to, once it does; empty where it is cancelled."""
        while self.last is None or self.last.state not in _ENDED:
            if self._over is not None:
                raise self._over
            self._moved.clear()
            await self._moved.wait()
        return self.last.room_id

    def take(self, update: TicketUpdate) -> None:
        """The ticket moved."""
        self.last = update
        self._moved.set()

    def given_back(self) -> None:
        """It is cancelled, though nobody said so; one that has ended otherwise stays as it is."""
        if self.last is None or self.last.state not in _ENDED:
            cancelled = TicketUpdate(state=TicketState.TICKET_STATE_CANCELLED)
            if self.last is not None:
                cancelled.ticket_id = self.last.ticket_id
            self.take(cancelled)

    def welcomed(self, welcome: Welcome) -> None:
        """After a reconnection, a ticket that is not mentioned any more has ended; one of which
        nothing was heard yet may have led to a room all the same.
        """
        if welcome.HasField("ticket"):
            self.take(welcome.ticket)
        elif self.last is None and self._before and welcome.room_id not in self._before:
            self.take(
                TicketUpdate(state=TicketState.TICKET_STATE_ASSIGNED, room_id=welcome.room_id)
            )
        elif self.last is not None and self.last.state not in _ENDED:
            assigned, cancelled = (
                TicketState.TICKET_STATE_ASSIGNED,
                TicketState.TICKET_STATE_CANCELLED,
            )
            self.take(
                TicketUpdate(
                    ticket_id=self.last.ticket_id,
                    state=assigned if welcome.room_id else cancelled,
                    room_id=welcome.room_id,
                )
            )

    def end(self, error: Exception) -> None:
        """Nothing will be heard any more."""
        self._over = error
        self._moved.set()
