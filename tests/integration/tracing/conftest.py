"""A gateway and an engine with every request traced, and the receiver of their spans."""

from collections.abc import AsyncIterator, Iterator

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App, tracing
from parlor.serving.otlp import OpenTelemetry
from tests.integration.gateway.support import Clients, engine, gateway
from tests.integration.tracing.support import KEY, Receiver, receiver


@pytest.fixture
async def collector() -> AsyncIterator[Receiver]:
    async with receiver() as made:
        yield made


@pytest.fixture
def traced(collector: Receiver) -> Iterator[None]:
    """Everything in this process, with every request traced."""
    tracer = OpenTelemetry("test", endpoint=collector.endpoint, ratio=1)
    tracing.use(tracer)
    yield
    tracing.use(None)


@pytest.fixture
async def door(redis_url: str, traced: None) -> AsyncIterator[App[GatewayConfig]]:
    async with (
        engine(redis_url),
        gateway(redis_url, token_keys=(KEY,), guests=True) as app,
    ):
        yield app


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    made = Clients()
    yield made
    await made.aclose()
