"""Engines of every kind in this process, and questions through a gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from parlor.engine.advice.service import services_of
from parlor.engine.config import EngineConfig
from parlor.engine.host import Host
from parlor.engine.serve import SERVICES, engine_of
from parlor.gateway.config import GatewayConfig
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.game import AnyGame
from parlor.rules.jinxian import JINXIAN
from parlor.rules.planes import PLANES
from parlor.serving import App, serving
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1.doudizhu_rules_service_pb2_grpc import DouDizhuRulesServiceStub
from parlor.v1.jinxian_rules_service_pb2_grpc import JinxianRulesServiceStub
from parlor.v1.planes_rules_service_pb2_grpc import PlanesRulesServiceStub
from parlor.wire.doudizhu import DOUDIZHU as DOUDIZHU_WIRE
from parlor.wire.game import WireGame
from parlor.wire.jinxian import JINXIAN as JINXIAN_WIRE
from parlor.wire.planes import PLANES as PLANES_WIRE
from tests.integration.gateway.support import Clients, bearer

_GAMES: dict[str, tuple[AnyGame, WireGame]] = {
    "doudizhu": (DOUDIZHU, DOUDIZHU_WIRE),
    "jinxian": (JINXIAN, JINXIAN_WIRE),
    "planes": (PLANES, PLANES_WIRE),
}
PATIENCE_MS = 120_000
"""How long a gateway asks engines: the first question starts a process, which takes long on a busy machine."""

_STUBS = {
    "doudizhu": DouDizhuRulesServiceStub,
    "jinxian": JinxianRulesServiceStub,
    "planes": PlanesRulesServiceStub,
}


@asynccontextmanager
async def engine(redis_url: str, kind: str, **settings: Any) -> AsyncIterator[App[EngineConfig]]:
    """An engine of one kind."""
    game, wire = _GAMES[kind]
    config = EngineConfig(redis_url=redis_url, unbounded=True, advice_ms=60_000, **settings)
    services = (*SERVICES, *services_of(kind))
    bind = engine_of(Host(game=game, wire=wire))
    async with serving("engine", config, bind, services=services) as app:
        yield app


class Asker:
    """A guest with questions."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self.token = token
        self.stubs: dict[str, Any] = {kind: stub(channel) for kind, stub in _STUBS.items()}

    async def ask(self, kind: str, method: str, request: Any, **options: Any) -> Any:
        """The response to a question."""
        options.setdefault("metadata", bearer(self.token))
        options.setdefault("timeout", 100)
        return await getattr(self.stubs[kind], method)(request, **options)

    async def refused(
        self, kind: str, method: str, request: Any, **options: Any
    ) -> tuple[grpc.StatusCode, str, dict[str, str]]:
        """Code, reason and metadata of a question that has to be refused."""
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await self.ask(kind, method, request, **options)
        found = from_rpc_error(error.value)
        return error.value.code(), reason_name(found.reason), dict(found.metadata)


async def asker(door: App[GatewayConfig], clients: Clients) -> Asker:
    """A guest of the gateway."""
    token, _ = await clients.login(door, "Ann")
    return Asker(clients.channel(door), token)
