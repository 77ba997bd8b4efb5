"""An engine for each test."""

from collections.abc import AsyncIterator

import pytest

from parlor.serving.redis import Batch
from tests.integration.engine.support import Replica, Unswept, replica


@pytest.fixture
async def engine(redis_url: str) -> AsyncIterator[Replica]:
    """One replica on the worker's Redis."""
    async with replica(redis_url) as running:
        yield running


@pytest.fixture
async def unswept(batch: Batch) -> Unswept:
    """Rooms that only their commands move."""
    rooms = Unswept(batch)
    await rooms.clock.measure()
    return rooms
