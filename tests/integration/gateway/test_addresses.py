"""Limits per address count the client's own, whatever the client says it is."""

import itertools
from collections.abc import Awaitable, Callable

import aiohttp
import grpc
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1.play_service_pb2 import LoginRequest
from tests.integration.gateway.support import Clients, gateway

BURST = 3
MINE = "203.0.113.9"
OTHERS = [f"198.51.100.{number}" for number in range(2 * BURST)]
"""What a client makes up, or the addresses of other clients."""

Login = Callable[[str], Awaitable[bool]]
"""Whether a login with this `X-Forwarded-For` is let through."""


def over_http(door: App[GatewayConfig], clients: Clients) -> Login:
    async def login(forwarded: str) -> bool:
        url = f"http://{door.http_address}/login"
        headers = {"X-Forwarded-For": forwarded}
        async with (
            aiohttp.ClientSession() as http,
            http.post(url, json={"name": "Ann"}, headers=headers) as response,
        ):
            return response.status == 200

    return login


def over_grpc(door: App[GatewayConfig], clients: Clients) -> Login:
    async def login(forwarded: str) -> bool:
        metadata = (("x-forwarded-for", forwarded),)
        try:
            await clients.stub(door).Login(LoginRequest(name="Ann"), metadata=metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                return False
            raise
        return True

    return login


WAYS = pytest.mark.parametrize("way", [over_http, over_grpc])
STRICT = {"address_arrivals_per_s": 0, "address_arrivals_burst": BURST}


@WAYS
async def test_a_client_gains_nothing_by_the_header(
    redis_url: str, clients: Clients, way: Callable[[App[GatewayConfig], Clients], Login]
) -> None:
    async with gateway(redis_url, **STRICT) as door:
        login = way(door, clients)
        let_in = [await login(made_up) for made_up in OTHERS]
    assert let_in == [number < BURST for number in range(len(OTHERS))]


@WAYS
async def test_behind_a_trusted_proxy_each_client_has_its_own(
    redis_url: str, clients: Clients, way: Callable[[App[GatewayConfig], Clients], Login]
) -> None:
    """The proxy of this test is the test: it calls from 127.0.0.1."""
    async with gateway(redis_url, trusted_proxies=("127.0.0.0/8",), **STRICT) as door:
        login = way(door, clients)
        assert all([await login(other) for other in OTHERS])
        hostile = [
            f"{made_up}, {MINE}"
            for made_up in itertools.chain(OTHERS, ["127.0.0.1", "unknown", "'"])
        ]
        let_in = [await login(header) for header in hostile]
    assert let_in == [number < BURST for number in range(len(hostile))]
