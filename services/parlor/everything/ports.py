"""The port somebody asked for."""

import socket

from parlor.everything.failure import NotStarted


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
