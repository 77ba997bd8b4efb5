"""Channels from one service to another."""

from collections.abc import Sequence
from typing import Any

import grpc

from parlor.serving.app import CHANNEL_OPTIONS
from parlor.serving.traced_calls import onward


def to_one(address: str) -> grpc.aio.Channel:
    """A channel to one replica, `host:port`."""
    return _opened(address, CHANNEL_OPTIONS)


def to_each(addresses: Sequence[str]) -> grpc.aio.Channel:
    """A channel to all replicas of a service, which are asked in turn: a name that stands for all of them, or their
    numeric addresses.
    """
    # gRPC takes one name, or a list of numeric addresses.
    target = addresses[0] if len(addresses) == 1 else "ipv4:" + ",".join(addresses)
    return _opened(target, (*CHANNEL_OPTIONS, ("grpc.lb_policy_name", "round_robin")))


def _opened(target: str, options: Sequence[tuple[str, Any]]) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(target, options=options, interceptors=onward())
