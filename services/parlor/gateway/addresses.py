"""From where a client comes: the peer, or what the operator's own proxies say of it."""

from typing import Final
from urllib.parse import unquote

_UNKNOWN: Final = "unknown"


def forwarded(peer: str, header: str, proxies: int) -> str:
    """The address of a client behind `proxies` proxies, each of which appended to
    `X-Forwarded-For`.

    What stands further left was sent by the client and could be anything.

    >>> forwarded("10.0.0.1", "6.6.6.6, 192.0.2.7", 1)
    '192.0.2.7'
    >>> forwarded("10.0.0.1", "6.6.6.6", 0)
    '10.0.0.1'
    """
    hops = [hop.strip() for hop in header.split(",") if hop.strip()]
    if not proxies or len(hops) < proxies:
        return peer or _UNKNOWN
    return hops[-proxies][:64]


def of_grpc_peer(peer: str) -> str:
    """The address in what gRPC calls a peer.

    >>> of_grpc_peer("ipv4:192.0.2.7:53412"), of_grpc_peer("ipv6:%5B::1%5D:53412")
    ('192.0.2.7', '::1')
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return _UNKNOWN
    return rest.rpartition(":")[0].strip("[]")
