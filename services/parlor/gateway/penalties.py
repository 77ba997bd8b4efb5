"""Addresses refused again and again for coming too often: for a while they get no connection at all.

To refuse over HTTP costs the gateway as much as to serve, and a thousand refusals a second would be
felt by everybody. So an address that goes on regardless of what it was told is not heard for some
seconds. Those who share the address with it lose nothing by that: what it may spend comes back
meanwhile, and their own connections are made then.
"""

from collections.abc import Callable
from typing import Final

from parlor.gateway.limits import Bucket, Rate

HEARD: Final = Rate(5, 20)
"""Refusals of one address that are put into words."""
SHUT_S: Final = 8.0
"""Shorter than what it takes to give an address back all that it may spend at once."""
_MOST: Final = 10_000
"""Addresses that are remembered. Who owns more of them than that is not stopped by this."""

Clock = Callable[[], float]


class Penalties:
    """All of one gateway, by the address that the connection comes from."""

    def __init__(self, customer: Callable[[str], str], clock: Clock) -> None:
        """`customer` says who is behind an address, and nothing for one that is never shut out, since
        many clients come from it; `clock` gives s.
        """
        self._customer = customer
        self._clock = clock
        self._words: dict[str, Bucket] = {}
        self._until: dict[str, float] = {}

    def refused(self, peer: str) -> None:
        """Counts a refusal; one too many shuts out who is behind this address from now on."""
        who = self._customer(peer)
        if not who or self._left_s(who):
            return
        words = self._words.pop(who, None) or Bucket(HEARD, self._clock)
        # In the order of their last refusals, so the first one is the oldest.
        self._words[who] = words
        if words.take():
            self._until[who] = self._clock() + SHUT_S
        if len(self._words) > _MOST:
            oldest = next(iter(self._words))
            del self._words[oldest]
            self._until.pop(oldest, None)

    def is_many(self, peer: str) -> bool:
        """Whether many clients come from this address."""
        return not self._customer(peer)

    def shut_s(self, peer: str) -> float:
        """For how many seconds more no connections of this address are taken."""
        return self._left_s(self._customer(peer)) if self._until else 0.0

    def _left_s(self, who: str) -> float:
        return max(0.0, self._until.get(who, 0.0) - self._clock())
