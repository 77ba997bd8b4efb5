"""Channels from one service to another: plain, or with the certificates of this process."""

from collections.abc import Sequence
from typing import Any, Final

import grpc

from parlor.serving.renewed_channel import RenewedChannel
from parlor.serving.tls import Tls
from parlor.serving.traced_calls import onward

MESSAGE_BYTES: Final = 4 * 1024 * 1024
"""The largest message between services."""

CHANNEL_OPTIONS: Final = (
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 2_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # A replica that comes back is used at once, not after gRPC's default of up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Also how long connecting may take, its handshake included: less fails where a machine is busy.
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)
"""For channels from one service to another; a dead peer is noticed within 4 s."""


class Channels:
    """Opens channels; whoever asks for one closes it."""

    def __init__(self, tls: Tls | None = None) -> None:
        self._tls = tls

    def to_one(self, address: str) -> grpc.aio.Channel:
        """To one replica, `host:port`."""
        return self._opened(address, CHANNEL_OPTIONS)

    def to_each(self, addresses: Sequence[str]) -> grpc.aio.Channel:
        """To all replicas of a service, which are asked in turn: by a name that stands for all of
        them, or by their numeric addresses.
        """
        # gRPC takes one name, or a list of numeric addresses.
        target = addresses[0] if len(addresses) == 1 else "ipv4:" + ",".join(addresses)
        return self._opened(target, (*CHANNEL_OPTIONS, ("grpc.lb_policy_name", "round_robin")))

    def _opened(self, target: str, options: Sequence[tuple[str, Any]]) -> grpc.aio.Channel:
        if self._tls is None:
            return grpc.aio.insecure_channel(target, options=options, interceptors=onward())
        return RenewedChannel(target, self._tls, options=options, interceptors=onward())
