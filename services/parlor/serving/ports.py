"""Ports for servers that are told theirs before they start."""

import socket
from collections import deque
from secrets import randbelow

_FIRST, _LAST = 15_000, 32_767
"""Below what Linux, BSD and macOS give to outgoing connections: a port that some client holds for
a second can't be listened on, although a moment ago it was free.
"""
_RESERVED = 256
_reserved: deque[socket.socket] = deque()


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port of `host` nobody listens on, another one each time.

    Until `_RESERVED` more have been asked for, no other process of the machine is given it by this
    function: a UDP socket of that number, which ends with this process, reserves it.

    Raises:
        OSError: there is none.

    """
    size = _LAST - _FIRST + 1
    # From anywhere: two that start together don't try the same ones. Not by `random`, which tests
    # seed alike in every process.
    start = randbelow(size)
    for step in range(size):
        port = _FIRST + (start + step) % size
        if _reserve(host, port):
            return port
    raise OSError(f"no free port on {host} from {_FIRST} to {_LAST}")


def _reserve(host: str, port: int) -> bool:
    reservation = socket.socket(type=socket.SOCK_DGRAM)
    try:
        reservation.bind((host, port))
        with socket.socket() as probe:
            probe.bind((host, port))
    except OSError:
        reservation.close()
        return False
    _reserved.append(reservation)
    if len(_reserved) > _RESERVED:
        _reserved.popleft().close()
    return True
