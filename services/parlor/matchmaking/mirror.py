"""The owner's copy of its pool's queue: brought up to date by what has changed, not read each time.

It belongs to one fence. Whoever gets the pool, or finds that it missed something, begins with the
whole queue.
"""

from collections.abc import Sequence

from parlor.matchmaking.queue import Waiting
from parlor.matchmaking.tickets import MatchRecord


class Mirror:
    """The waiting tickets of one pool, and its matches under way, as its owner knows them."""

    def __init__(self) -> None:
        self.fence = 0
        self.version = -1
        """How many changes it has seen; -1 before it has seen the queue."""
        self.tickets: dict[str, Waiting] = {}
        self.matches: dict[str, MatchRecord] = {}
        """Between proposal and assignment, by id."""

    def take(self, fence: int, version: int, rows: Sequence[bytes], *, whole: bool) -> None:
        """Takes changes up: tickets and their rows, one after the other, in order; with `whole`
        they are all that there are.
        """
        self.fence, self.version = fence, version
        if whole:
            self.tickets.clear()
        for raw, row in zip(rows[::2], rows[1::2], strict=True):
            ticket = raw.decode()
            if row:
                since, size, rating = row.split(b" ")
                self.tickets[ticket] = Waiting(
                    since_ms=int(since), ticket=ticket, size=int(size), rating=float(rating)
                )
            else:
                self.tickets.pop(ticket, None)

    def lose(self) -> None:
        """Forgets it all: what is known is not certain any more."""
        self.version = -1
