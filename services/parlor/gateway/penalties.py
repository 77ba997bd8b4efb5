"""Addresses refused again and again for coming too often: for a while they get no connection at all.

To refuse over HTTP costs the gateway as much as to serve, and a thousand refusals a second would be
felt by everybody. So an address that goes on regardless of what it was told is not heard for some
seconds, each time for longer. Those who share the address with it lose nothing by that: what it may
spend comes back meanwhile, and their own connections are made then.
"""

from collections.abc import Callable
from typing import Final

from parlor.gateway.limits import Bucket, Rate

HEARD: Final = Rate(5, 20)
"""Refusals of one address that are put into words."""
FIRST_S: Final = 1.0
LONGEST_S: Final = 8.0
_MOST: Final = 10_000
"""Addresses that are remembered. Who owns more of them than that is not stopped by this."""

Clock = Callable[[], float]


class Penalties:
    """All of one gateway, by the address that the connection comes from: a client's or a proxy's."""

    def __init__(self, is_many: Callable[[str], bool], clock: Clock) -> None:
        """`is_many` says whether many clients come from an address, which is never shut; `clock` gives s."""
        self._is_many = is_many
        self._clock = clock
        self._refused: dict[str, _Refused] = {}

    def refused(self, peer: str) -> None:
        """Counts a refusal; one too many shuts the address out from now on."""
        if self._is_many(peer):
            return
        refused = self._refused.pop(peer, None) or _Refused(self._clock)
        # In the order of their last refusals, so the first one is the oldest.
        self._refused[peer] = refused
        if len(self._refused) > _MOST:
            del self._refused[next(iter(self._refused))]
        refused.again()

    def is_many(self, peer: str) -> bool:
        """Whether many clients come from this address."""
        return self._is_many(peer)

    def shut_s(self, peer: str) -> float:
        """For how many seconds more no connections of this address are taken."""
        refused = self._refused.get(peer)
        return 0.0 if refused is None else max(0.0, refused.until - self._clock())


class _Refused:
    """An address that was."""

    __slots__ = ("_clock", "_length", "_words", "until")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._words = Bucket(HEARD, clock)
        self._length = 0.0
        self.until = 0.0

    def again(self) -> None:
        now = self._clock()
        if now < self.until or not self._words.take():
            return
        # Who has kept still for as long as the last penalty took begins anew.
        repeats = now < self.until + self._length
        self._length = min(LONGEST_S, 2 * self._length) if repeats else FIRST_S
        self.until = now + self._length
