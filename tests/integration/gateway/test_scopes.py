"""Every call needs the scope that docs/api.md says, and that one is enough."""

import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import jwt
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.message_factory import GetMessageClass

from docs.generate import api, protos
from parlor.gateway.config import GatewayConfig
from parlor.gateway.serve import SERVICES
from parlor.gateway.tokens import SCOPES
from parlor.serving import App
from parlor.serving.errors import from_rpc_error, reason_name
from tests.integration.gateway.support import Clients, bearer, gateway

SECRET = "a secret of the test, of 32 bytes or more"
CONTRACT = protos.read()
POOL = descriptor_pool.Default()

METHODS = {
    f"{service.rpartition('.')[2]}.{method.name}": method
    for service in SERVICES
    for method in POOL.FindServiceByName(service).methods
}
# They have no token in the metadata: one gives it, the other takes it from its first frame.
OPEN = {"PlayService.Login", "PlayService.Connect"}


@pytest.fixture
async def door(redis_url: str, doudizhu: object) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway that knows the test's key."""
    async with gateway(redis_url, token_keys=(f"test=HS256:value:{SECRET}",)) as app:
        yield app


async def refusal(app: App[GatewayConfig], clients: Clients, method: Any, *scopes: str) -> str:
    """The reason for which an empty request with these scopes is refused; empty where it is not."""
    claims = {"sub": "backend", "exp": int(time.time()) + 60, "scope": " ".join(scopes)}
    token = jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "test"})
    path = f"/{method.containing_service.full_name}/{method.name}"
    channel = clients.channel(app)
    kinds = (channel.unary_unary, channel.unary_stream)
    call: Any = kinds[method.server_streaming](path)
    try:
        answered = call(
            GetMessageClass(method.input_type)().SerializeToString(), metadata=bearer(token)
        )
        if method.server_streaming:
            async for _ in answered:
                pass
        else:
            await answered
    except grpc.aio.AioRpcError as error:
        return reason_name(from_rpc_error(error).reason)
    return ""


@pytest.mark.parametrize("name", sorted(METHODS.keys() - OPEN))
async def test_a_call_needs_the_scope_that_is_documented(
    name: str, door: App[GatewayConfig], clients: Clients
) -> None:
    method = METHODS[name]
    service = f".{method.containing_service.full_name}"
    # Where there are two, the second is for what this request does not ask.
    (scope, *_) = api.scopes_of(CONTRACT, service, method.name)
    others = SCOPES - {scope}
    assert await refusal(door, clients, method, *others) == "SCOPE_MISSING"
    assert await refusal(door, clients, method, scope) != "SCOPE_MISSING"


def test_the_open_ones_say_that_they_need_none() -> None:
    for name in OPEN:
        service, _, method = name.partition(".")
        assert api.scopes_of(CONTRACT, f".parlor.v1.{service}", method) == ()
