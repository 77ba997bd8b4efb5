"""An engine for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.integration.engine.support import Replica, replica


@pytest.fixture
async def engine(redis_url: str) -> AsyncIterator[Replica]:
    """One replica on the worker's Redis."""
    async with replica(redis_url) as running:
        yield running
