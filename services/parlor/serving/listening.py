"""Where a process can be reached: its socket for HTTP, and its gRPC server with its port."""

import socket
from collections.abc import Sequence
from typing import Final

import grpc

from parlor.serving.accepting import BACKLOG
from parlor.serving.channels import MESSAGE_BYTES
from parlor.serving.config import Common
from parlor.serving.tls import Tls

_OPTIONS: Final = (
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    # Two processes on one port would each get half of the calls meant for one of them.
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    # A server that counts pings as abuse closes a channel whose client looks for dead peers, as
    # ours do.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.max_pings_without_data", 0),
)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens for HTTP; raises OSError where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from None
    opened.setblocking(False)
    return opened


def grpc_server(
    config: Common, tls: Tls | None, interceptors: Sequence[grpc.aio.ServerInterceptor] = ()
) -> tuple[grpc.aio.Server, int]:
    """A server, not started yet, and the port that it has taken; raises OSError where it cannot."""
    server = grpc.aio.server(interceptors=tuple(interceptors), options=_OPTIONS)
    address = f"{config.grpc_host}:{config.grpc_port}"
    try:
        if tls is None:
            return server, server.add_insecure_port(address)
        return server, server.add_secure_port(address, tls.server_credentials())
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}: {error}") from None


def reachable(host: str) -> str:
    """A name for a host that listens on all its addresses."""
    return socket.gethostname() if host in ("0.0.0.0", "::", "[::]") else host  # noqa: S104
