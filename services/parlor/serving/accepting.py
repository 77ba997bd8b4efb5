"""Connections taken one at a time, at a steady pace.

An event loop takes all that wait to be accepted in one turn, and then greets them all: a thousand
connections of one client would hold up everybody else for a third of a second. Here they wait in the
kernel's queue instead, where they cost nothing.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Final

from parlor.serving import metrics

BACKLOG: Final = 4_096
"""How many may wait to be accepted; the kernel may allow fewer."""
PAUSE_S: Final = 0.002
"""From one connection to the next: what greeting one takes is a fraction of it."""
_EXHAUSTED_S: Final = 0.1


async def accept(
    listening: socket.socket,
    protocol: Callable[[], asyncio.Protocol],
    *,
    turns_away: Callable[[str], bool],
) -> None:
    """Accepts connections for ever, each for a new `protocol`; `listening` does not block.

    Those from an address that `turns_away` says are closed at once.
    """
    loop = asyncio.get_running_loop()
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
        if turns_away(peer):
            connection.close()
            metrics.turned_away.inc()
            # One in a turn of the loop, which takes no longer for it.
            await asyncio.sleep(0)
            continue
        # One that breaks at once is nobody's failure.
        with contextlib.suppress(OSError):
            await loop.connect_accepted_socket(protocol, connection)
        await asyncio.sleep(PAUSE_S)
