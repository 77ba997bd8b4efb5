"""A gateway before one engine of each kind, and a guest with questions."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Clients, gateway
from tests.integration.rules_api.support import PATIENCE_MS, Asker, asker, engine


@pytest.fixture
async def door(redis_url: str) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway that knows an engine of each kind."""
    async with AsyncExitStack() as stack:
        for kind in ("doudizhu", "jinxian", "planes"):
            await stack.enter_async_context(engine(redis_url, kind))
        yield await stack.enter_async_context(gateway(redis_url, engine_total_ms=PATIENCE_MS))


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    """Clients, whose connections end with the test."""
    made = Clients()
    yield made
    await made.aclose()


@pytest.fixture
async def ann(door: App[GatewayConfig], clients: Clients) -> Asker:
    """A guest."""
    return await asker(door, clients)
