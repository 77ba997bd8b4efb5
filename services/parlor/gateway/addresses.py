"""From where a client comes, as limits count it: the peer, or what the operator's own proxies say of it."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import unquote

from aiohttp import web

_UNKNOWN: Final = "unknown"
_CUSTOMER_BITS: Final = 64

_Address = IPv4Address | IPv6Address


class Proxies:
    """The proxies whose `X-Forwarded-For` is believed, by address or network.

    Each proxy appends the address from which it was called. So the header is read from its end, as
    far as those who wrote it are proxies of ours; what stands further left was sent by the client
    and could be anything. RFC 7239's `Forwarded` is not read: two headers that may differ are two
    answers to one question.

    >>> ours = Proxies(["10.0.0.0/8"])
    >>> ours.client("10.0.0.1", "6.6.6.6, 192.0.2.7, 10.0.0.2")
    '192.0.2.7'
    >>> ours.client("192.0.2.7", "6.6.6.6")
    '192.0.2.7'
    >>> ours.client("2001:db8::7", "")
    '2001:db8::/64'
    """

    def __init__(self, trusted: Iterable[str]) -> None:
        """Raises ValueError for what is no address and no network."""
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(each) for each in trusted]

    def client(self, peer: str, header: str) -> str:
        """The client: its IPv4 address or IPv6 network; `header` is all of its `X-Forwarded-For`, and
        `unknown` stands for none.
        """
        caller = _address(peer)
        if caller is None:
            return _UNKNOWN
        for hop in reversed(header.split(",")):
            if not self._are(caller):
                break
            before = _address(hop.strip())
            if before is None:
                # The proxy would not or could not say: it stands for its clients.
                break
            caller = before
        return _counted(caller)

    def customer(self, peer: str) -> str:
        """Who is behind a connection's own address; empty where it is one of ours or none, so that
        many clients come from it.
        """
        address = _address(peer)
        return "" if address is None or self._are(address) else _counted(address)

    def _are(self, address: _Address) -> bool:
        return any(address in network for network in self._networks)


def of_grpc_peer(peer: str) -> str:
    """The address in what gRPC calls a peer.

    >>> of_grpc_peer("ipv4:192.0.2.7:53412"), of_grpc_peer("ipv6:%5B::1%5D:53412")
    ('192.0.2.7', '::1')
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return _UNKNOWN
    return rest.rpartition(":")[0].strip("[]")


def of_http(request: web.Request, proxies: Proxies) -> str:
    """The client behind a request over HTTP."""
    forwarded = ", ".join(request.headers.getall("X-Forwarded-For", []))
    return proxies.client(request.remote or "", forwarded)


def _counted(address: _Address) -> str:
    """The address, or of IPv6 the network that one customer is given: who has one of its addresses
    has all 2**64 of them.
    """
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _CUSTOMER_BITS), strict=False))
    return str(address)


def _address(text: str) -> _Address | None:
    """An address, with or without a port; None for anything else."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text)
    except ValueError:
        return None
    if isinstance(found, IPv6Address):
        # What a socket for both kinds makes of the older kind; a zone means something to its own host only.
        return found.ipv4_mapped or IPv6Address(int(found))
    return found
