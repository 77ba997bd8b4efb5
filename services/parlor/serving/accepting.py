"""Connections taken one at a time, at a steady pace.

An event loop takes all that wait to be accepted in one turn, and then greets them all: a thousand
connections of one client would hold up everybody else for a second. Here they wait in the kernel's
queue instead, where they cost nothing, and one address gets a small part of the process's time.
"""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from parlor.serving import metrics
from parlor.serving.kernel_filter import KernelFilter

BACKLOG: Final = 4_096
"""How many may wait to be accepted; the kernel may allow fewer."""
PAUSE_S: Final = 0.002
"""From one connection to the next."""
CROWD_PAUSE_S: Final = 0.020
"""The same after one of an address from which most have come lately: greeting it takes a twentieth of that."""
_AWAY_PAUSE_S: Final = 0.001
_LATELY: Final = 16
"""Connections that are looked at: a browser makes six for a page, and they are no crowd."""
_LATELY_S: Final = 1.0
_EXHAUSTED_S: Final = 0.1


class Gate(Protocol):
    """What a service knows about those who come."""

    def shut_s(self, peer: str) -> float:
        """For how many seconds more no connections of this address are taken."""

    def is_many(self, peer: str) -> bool:
        """Whether many clients come from this address."""


class OpenGate:
    """The gate of who knows nothing."""

    def shut_s(self, _peer: str) -> float:
        """None."""
        return 0.0

    def is_many(self, _peer: str) -> bool:
        """It may be."""
        return True


async def accept(
    listening: socket.socket, protocol: Callable[[], asyncio.Protocol], gate: Gate
) -> None:
    """Accepts connections for ever, each for a new `protocol`; `listening` does not block."""
    loop = asyncio.get_running_loop()
    lately: deque[tuple[str, float]] = deque(maxlen=_LATELY)
    with contextlib.closing(KernelFilter(listening)) as kernel:
        while True:
            try:
                connection, (peer, *_) = await loop.sock_accept(listening)
            except ConnectionError:
                # It was given up while it waited.
                continue
            except OSError:
                # Out of files: those who wait are taken once others have gone.
                await asyncio.sleep(_EXHAUSTED_S)
                continue
            if shut_s := gate.shut_s(peer):
                # It came before the kernel knew, or there is no room for it in the filter.
                kernel.shut(peer, shut_s)
                connection.close()
                metrics.turned_away.inc()
                await asyncio.sleep(_AWAY_PAUSE_S)
                continue
            # One that breaks at once is nobody's failure.
            with contextlib.suppress(OSError):
                await loop.connect_accepted_socket(protocol, connection)
            now = loop.time()
            lately.append((peer, now))
            same = sum(who == peer and now - at < _LATELY_S for who, at in lately)
            is_crowd = same > _LATELY // 2 and not gate.is_many(peer)
            await asyncio.sleep(CROWD_PAUSE_S if is_crowd else PAUSE_S)
