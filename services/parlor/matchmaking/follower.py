"""One who follows tickets, and is told of each that has moved."""

import asyncio
from typing import Final

from parlor.matchmaking.tickets import MATCHED, TicketRecord
from parlor.serving.errors import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason

HELD_MS: Final = 500
"""How long nobody is told that a ticket is matched: most of the time its room is open before."""


class Follower:
    """Whoever waits for `next`; the replica's `Followers` show it what they find."""

    def __init__(self, *, held_ms: int = HELD_MS) -> None:
        self._held_s = held_ms / 1000
        self.seen: dict[str, TicketRecord] = {}
        """The tickets as they stood last, without those that nobody has looked at yet or that are forgotten."""
        self._moved: dict[str, TicketRecord | None] = {}
        self._held: dict[str, TicketRecord | None] = {}
        """Those that have moved to where they hardly stay."""
        self._holding = False
        self._looked = asyncio.Event()
        self._over = False

    def show(self, ticket: str, found: TicketRecord | None) -> None:
        """The ticket was looked at, or told of."""
        if found is None:
            self.seen.pop(ticket, None)
        elif found.state == MATCHED and ticket in self.seen:
            self.seen[ticket] = self._held[ticket] = found
            if not self._holding:
                self._holding = True
                asyncio.get_running_loop().call_later(self._held_s, self._let_go)
            return
        else:
            self.seen[ticket] = found
        self._held.pop(ticket, None)
        self._moved[ticket] = found
        self._looked.set()

    def end(self) -> None:
        """The replica stops."""
        self._over = True
        self._looked.set()

    async def next(self) -> dict[str, TicketRecord | None]:
        """By id, all that were looked at since the last time, as they stand; None for a forgotten one.

        Raises DRAINING where the replica stops first.
        """
        await self._looked.wait()
        if self._over:
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")
        self._looked.clear()
        moved, self._moved = self._moved, {}
        return moved

    def _let_go(self) -> None:
        self._holding = False
        if self._held:
            self._moved |= self._held
            self._held.clear()
            self._looked.set()
