"""Ports of this machine that nobody listens on."""

import socket

from parlor.everything.failure import NotStarted


def free_ports(count: int, host: str) -> list[int]:
    """Different ports that were free a moment ago."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((host, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def available(host: str, port: int) -> int:
    """`port`; raises NotStarted where another program has it."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise NotStarted(
            f"port {port} cannot be used ({error.strerror}); "
            f"set PARLOR_EVERYTHING_PORT to another one, or to 0 for any"
        ) from None
    return port
