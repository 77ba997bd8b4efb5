"""Leases of seated players, as a gateway renews them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.gateway.presence import Presences
from parlor.gateway.routing import Router
from parlor.serving.channels import Channels
from parlor.serving.keys import kind_of, shard_of
from parlor.serving.redis import Batch
from parlor.serving.tasks import stop
from parlor.v1.engine_service_pb2 import Player
from tests.conftest import Eventually
from tests.integration.gateway.support import KEYS

ROOM, OTHER = "s3-doudizhu-aaaaaaaa", "s3-doudizhu-bbbbbbbb"
ANN, BOB = Player(player="ann"), Player(player="bob")


@pytest.fixture
async def presences(batch: Batch) -> AsyncIterator[Presences]:
    """The leases of a gateway that no engine hears."""
    config = GatewayConfig(lease_ms=1_000, renew_ms=100)
    leases = Presences(batch, KEYS, config, Router(batch, KEYS, config, Channels()))
    renewing = asyncio.create_task(leases.run())
    yield leases
    await stop(renewing)


async def test_leases_are_renewed_while_others_come_without_a_pause(
    presences: Presences, batch: Batch, eventually: Eventually
) -> None:
    seen: set[bytes | None] = set()

    async def come() -> None:
        # One in each turn of the loop: whenever a round trip is over, somebody has come meanwhile.
        while True:
            presences.hold(OTHER, BOB, 1, lambda: None)
            await asyncio.sleep(0)

    async def renewed_twice() -> bool:
        key = KEYS.presence(shard_of(ROOM), kind_of(ROOM))
        seen.add(await batch.call("ZSCORE", key, f"{ROOM}:{ANN.player}"))
        return len(seen - {None}) == 3

    presences.hold(ROOM, ANN, 1, lambda: None)
    coming = asyncio.create_task(come())
    try:
        await eventually(renewed_twice, timeout=30)
    finally:
        await stop(coming)
