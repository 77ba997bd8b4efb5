"""Whose word is taken on where a client comes from."""

import pytest

from parlor.gateway.addresses import Proxies
from parlor.gateway.config import GatewayConfig
from parlor.serving import BadConfig

OURS = Proxies(["10.0.0.0/8", "192.0.2.1", "fd00::/8"])
"""The proxies of these tests."""


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        pytest.param("203.0.113.9", "", "203.0.113.9", id="no proxy"),
        pytest.param("203.0.113.9", "6.6.6.6", "203.0.113.9", id="a stranger speaks for another"),
        pytest.param("10.0.0.1", "203.0.113.9", "203.0.113.9", id="a proxy"),
        pytest.param("10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9", id="what a client sent"),
        pytest.param(
            "10.0.0.1", "6.6.6.6,203.0.113.9,192.0.2.1,10.9.9.9", "203.0.113.9", id="three proxies"
        ),
        pytest.param("10.0.0.1", "10.0.0.2, 203.0.113.9", "203.0.113.9", id="it names a proxy"),
        pytest.param("10.0.0.1", "", "10.0.0.1", id="a proxy by itself"),
        pytest.param("10.0.0.1", "10.0.0.3", "10.0.0.3", id="somebody inside"),
        pytest.param("10.0.0.1", "203.0.113.9, unknown", "10.0.0.1", id="a proxy does not say"),
        pytest.param("10.0.0.1", "203.0.113.9, ", "10.0.0.1", id="an empty end"),
        pytest.param("10.0.0.1", "x" * 8000, "10.0.0.1", id="nonsense"),
        pytest.param("10.0.0.1", "203.0.113.9:1234", "203.0.113.9", id="with a port"),
        pytest.param("10.0.0.1", "[2001:db8::7]:80", "2001:db8::/64", id="IPv6 with a port"),
        pytest.param("10.0.0.1", "2001:DB8:0::7", "2001:db8::/64", id="one way to write it"),
        pytest.param("10.0.0.1", "fe80::1%eth0", "fe80::/64", id="without a zone"),
        pytest.param("fd00::1", "203.0.113.9", "203.0.113.9", id="a proxy of IPv6"),
        pytest.param("::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9", id="IPv4 in IPv6"),
        pytest.param("10.0.0.1", "010.0.0.1", "10.0.0.1", id="octal or not"),
        pytest.param("10.0.0.1", "<script>, 203.0.113.9", "203.0.113.9", id="markup"),
        pytest.param("unix:", "203.0.113.9", "unknown", id="no address"),
    ],
)
def test_only_our_proxies_are_believed(peer: str, header: str, client: str) -> None:
    assert OURS.client(peer, header) == client


def test_a_customer_with_a_whole_network_of_ipv6_is_one_client() -> None:
    network = "2001:db8:0:7:"
    theirs = {OURS.client(f"{network}{host}", "") for host in (":1", ":2", "a:b:c:d")}
    assert theirs == {OURS.client("10.0.0.1", f"{network}:3")} == {"2001:db8:0:7::/64"}
    assert OURS.client("2001:db8:0:8::1", "") not in theirs


def test_without_proxies_nobody_is_believed() -> None:
    assert Proxies(()).client("10.0.0.1", "6.6.6.6") == "10.0.0.1"


@pytest.mark.parametrize("setting", ["1", "one", "10.0.0.1/8", "proxy.example", "10.0.0.0/33"])
def test_what_is_no_address_and_no_network_is_refused(setting: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_GATEWAY_TRUSTED_PROXIES"):
        GatewayConfig(trusted_proxies=(setting,))
