"""One replica of matchmaking, put together. Several may run: pools are owned by one at a time."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.matcher import Matcher
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import seats_of
from parlor.matchmaking.rounds import Rounds
from parlor.matchmaking.service import MatchmakingService
from parlor.matchmaking.store import PoolStore
from parlor.serving import App
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis import open_batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.matchmaking_service_pb2_grpc import add_MatchmakingServiceServicer_to_server

SERVICES = ("parlor.v1.MatchmakingService",)


@asynccontextmanager
async def bind(app: App[MatchmakingConfig]) -> AsyncIterator[None]:
    """Serves tickets and tends pools until told to stop; then the pools go to other replicas."""
    config = app.config
    keys = Keys(config.redis_prefix)
    batch = open_batch(app.redis, timeout_ms=config.redis_timeout_ms)
    store = PoolStore(batch, keys, lease_ms=config.ticket_ms, forget_ms=config.forget_ms)
    engines = Engines(batch, keys, open_ms=config.open_ms)
    places = Places(batch, keys, store, engines)
    clock = RedisClock(batch)
    await clock.measure()
    maintenance = Maintenance(batch, keys, clock.now)
    await maintenance.look()
    matcher = Matcher(store, places, engines, seats_of, config.fill_after_ms, maintenance)
    rounds = Rounds(store, matcher, replica=secrets.token_hex(8), owner_ms=config.owner_ms)
    service = MatchmakingService(
        store,
        places,
        app.draining,
        maintenance,
        follow_ms=config.follow_ms,
        renew_ms=config.renew_ms,
    )
    add_MatchmakingServiceServicer_to_server(service, app.server)
    tending = asyncio.create_task(rounds.run(config.tick_ms), name="rounds")
    watching = [asyncio.create_task(clock.keep()), asyncio.create_task(maintenance.keep())]
    app.add_ready_check("rounds", lambda: _runs(tending))
    try:
        yield
    finally:
        for task in (tending, *watching):
            task.cancel()
        await asyncio.gather(tending, *watching, return_exceptions=True)
        await rounds.release()
        await engines.aclose()
        await batch.aclose()


async def _runs(task: "asyncio.Task[None]") -> bool:
    return not task.done()
