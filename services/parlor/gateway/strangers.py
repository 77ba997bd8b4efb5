"""Connections that have not said yet whose they are, counted by address.

A player says hello within a round trip. Who opens connections and says nothing would otherwise fill
the gateway with sessions, whose ends come all at once.
"""

from collections import Counter

from parlor.gateway.limits import too_fast

_RETRY_MS = 1_000


class Strangers:
    """All of one gateway."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: Counter[str] = Counter()

    def check(self, address: str) -> None:
        """Raises TOO_FAST where an address has too many of them."""
        if self._waiting.get(address, 0) >= self._most:
            raise too_fast(_RETRY_MS)

    def came(self, address: str) -> None:
        """Counts a connection."""
        self._waiting[address] += 1

    def left(self, address: str) -> None:
        """Counts it no more: it has said hello, or is gone."""
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]
