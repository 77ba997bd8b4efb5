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
    """All of one gateway, by the address that the connection comes from: a client's or a proxy's."""

    def __init__(self, is_many: Callable[[str], bool], clock: Clock) -> None:
        """`is_many` says whether many clients come from an address, which is never shut; `clock` gives s."""
        self._is_many = is_many
        self._clock = clock
        self._words: dict[str, Bucket] = {}
        self._until: dict[str, float] = {}

    def refused(self, peer: str) -> None:
        """Counts a refusal; one too many shuts the address out from now on."""
        if self._is_many(peer) or self.shut_s(peer):
            return
        words = self._words.pop(peer, None) or Bucket(HEARD, self._clock)
        # In the order of their last refusals, so the first one is the oldest.
        self._words[peer] = words
        if words.take():
            self._until[peer] = self._clock() + SHUT_S
        if len(self._words) > _MOST:
            oldest = next(iter(self._words))
            del self._words[oldest]
            self._until.pop(oldest, None)

    def is_many(self, peer: str) -> bool:
        """Whether many clients come from this address."""
        return self._is_many(peer)

    def shut_s(self, peer: str) -> float:
        """For how many seconds more no connections of this address are taken."""
        return max(0.0, self._until.get(peer, 0.0) - self._clock())
