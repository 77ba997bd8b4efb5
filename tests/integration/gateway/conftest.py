"""A deployment for each test: one engine, one gateway, and the clients."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Clients, engine, gateway


@pytest.fixture
async def doudizhu(redis_url: str) -> AsyncIterator[App[EngineConfig]]:
    """An engine."""
    async with engine(redis_url) as app:
        yield app


@pytest.fixture
async def door(redis_url: str, doudizhu: App[EngineConfig]) -> AsyncIterator[App[GatewayConfig]]:
    """A gateway before the engine."""
    async with gateway(redis_url) as app:
        yield app


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    """Clients, whose connections end with the test."""
    made = Clients()
    yield made
    await made.aclose()


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that gateways run on: what a transport reports of its buffers is the loop's own."""
    return {"uvloop": uvloop.new_event_loop}
